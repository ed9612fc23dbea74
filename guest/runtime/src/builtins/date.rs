//! `Date`: [ECMA-262, 21.4](https://tc39.es/ecma262/#sec-date-objects). Calendar and texts are in date_calendar.rs and date_text.rs.
//!
//! Local time is what [`VmHost::time_zone_offset_minutes`](crate::vm::VmHost) says. Under [`Vm::product_rules`] the texts of
//! `toString` and `Date()` are ISO.

use crate::builtins::date_calendar::{
    Fields, MS_PER_MINUTE, make_date, make_day, make_full_year, make_time, time_clip,
};
use crate::builtins::{
    Builtin, Entry, Key, PrototypeKind, alias, constructor, date_text, global_constructor, method, native,
};
use crate::heap::Gc;
use crate::names::keys;
use crate::object::{Object, ObjectKind, PackedValue};
use crate::operations::Hint;
use crate::symbol;
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `Date`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(constructor("Date", 7, construct), IntrinsicObject::Date, IntrinsicObject::DatePrototype),
    statics: &[method("now", 0, now), method("parse", 1, parse), method("UTC", 7, utc)],
    prototype: PROTOTYPE,
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

const PROTOTYPE: &[Entry] = &[
    method("getDate", 0, |vm, a| field(vm, a, Zone::Local, |f| f.day)),
    method("getDay", 0, |vm, a| field(vm, a, Zone::Local, |f| f.weekday)),
    method("getFullYear", 0, |vm, a| field(vm, a, Zone::Local, |f| f.year)),
    method("getHours", 0, |vm, a| field(vm, a, Zone::Local, |f| f.hour)),
    method("getMilliseconds", 0, |vm, a| field(vm, a, Zone::Local, |f| f.millisecond)),
    method("getMinutes", 0, |vm, a| field(vm, a, Zone::Local, |f| f.minute)),
    method("getMonth", 0, |vm, a| field(vm, a, Zone::Local, |f| f.month)),
    method("getSeconds", 0, |vm, a| field(vm, a, Zone::Local, |f| f.second)),
    method("getTime", 0, get_time),
    method("getTimezoneOffset", 0, get_timezone_offset),
    method("getUTCDate", 0, |vm, a| field(vm, a, Zone::Utc, |f| f.day)),
    method("getUTCDay", 0, |vm, a| field(vm, a, Zone::Utc, |f| f.weekday)),
    method("getUTCFullYear", 0, |vm, a| field(vm, a, Zone::Utc, |f| f.year)),
    method("getUTCHours", 0, |vm, a| field(vm, a, Zone::Utc, |f| f.hour)),
    method("getUTCMilliseconds", 0, |vm, a| field(vm, a, Zone::Utc, |f| f.millisecond)),
    method("getUTCMinutes", 0, |vm, a| field(vm, a, Zone::Utc, |f| f.minute)),
    method("getUTCMonth", 0, |vm, a| field(vm, a, Zone::Utc, |f| f.month)),
    method("getUTCSeconds", 0, |vm, a| field(vm, a, Zone::Utc, |f| f.second)),
    method("getYear", 0, |vm, a| field(vm, a, Zone::Local, |f| f.year - 1900)),
    method("setDate", 1, |vm, a| set_parts(vm, a, Zone::Local, DATE, 1)),
    method("setFullYear", 3, |vm, a| set_parts(vm, a, Zone::Local, YEAR, 3)),
    method("setHours", 4, |vm, a| set_parts(vm, a, Zone::Local, HOURS, 4)),
    method("setMilliseconds", 1, |vm, a| set_parts(vm, a, Zone::Local, MILLISECONDS, 1)),
    method("setMinutes", 3, |vm, a| set_parts(vm, a, Zone::Local, MINUTES, 3)),
    method("setMonth", 2, |vm, a| set_parts(vm, a, Zone::Local, MONTH, 2)),
    method("setSeconds", 2, |vm, a| set_parts(vm, a, Zone::Local, SECONDS, 2)),
    method("setTime", 1, set_time),
    method("setUTCDate", 1, |vm, a| set_parts(vm, a, Zone::Utc, DATE, 1)),
    method("setUTCFullYear", 3, |vm, a| set_parts(vm, a, Zone::Utc, YEAR, 3)),
    method("setUTCHours", 4, |vm, a| set_parts(vm, a, Zone::Utc, HOURS, 4)),
    method("setUTCMilliseconds", 1, |vm, a| set_parts(vm, a, Zone::Utc, MILLISECONDS, 1)),
    method("setUTCMinutes", 3, |vm, a| set_parts(vm, a, Zone::Utc, MINUTES, 3)),
    method("setUTCMonth", 2, |vm, a| set_parts(vm, a, Zone::Utc, MONTH, 2)),
    method("setUTCSeconds", 2, |vm, a| set_parts(vm, a, Zone::Utc, SECONDS, 2)),
    method("setYear", 1, set_year),
    method("toDateString", 0, to_date_string),
    method("toISOString", 0, to_iso_string),
    method("toJSON", 1, to_json),
    method("toLocaleDateString", 0, to_locale_date_string),
    method("toLocaleString", 0, to_locale_string),
    method("toLocaleTimeString", 0, to_locale_time_string),
    method("toString", 0, to_string),
    method("toTimeString", 0, to_time_string),
    method("toUTCString", 0, to_utc_string),
    method("valueOf", 0, get_time),
    alias("toGMTString", "toUTCString"),
    Entry::ReadonlyMethod(Key::Symbol(symbol::TO_PRIMITIVE), native("[Symbol.toPrimitive]", 1, to_primitive), true),
];

/// Whether fields are those of local time or of UTC.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Zone {
    Local,
    Utc,
}

// Places of the parts of a time in arrays.
const YEAR: usize = 0;
const MONTH: usize = 1;
const DATE: usize = 2;
const HOURS: usize = 3;
const MINUTES: usize = 4;
const SECONDS: usize = 5;
const MILLISECONDS: usize = 6;

/// Date ( ...values ) <https://tc39.es/ecma262/#sec-date>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    // 1. If NewTarget is undefined, return ToDateString of the current time.
    if !arguments.is_construct() {
        let time = time_clip(vm.host.now_ms().floor());
        return date_string(vm, time);
    }
    let time = match arguments.len() {
        0 => time_clip(vm.host.now_ms().floor()),
        1 => {
            let value = arguments.get(vm, 0);
            match value.as_object().and_then(|object| time_value(vm, object)) {
                Some(time) => time,
                None => {
                    let primitive = vm.to_primitive(value, Hint::Default)?;
                    match primitive.as_string() {
                        Some(text) => {
                            let text = vm.heap.rust_string(text);
                            parse_text(vm, &text)
                        }
                        None => time_clip(vm.to_number(primitive)?),
                    }
                }
            }
        }
        _ => {
            let local = time_of_arguments(vm, arguments)?;
            time_clip(to_utc(vm, local))
        }
    };
    let kind = ObjectKind::Date(PackedValue::new(Value::number(time)));
    vm.ordinary_create_from_constructor(arguments.new_target, IntrinsicObject::DatePrototype, kind).map(Value::object)
}

/// Date.now ( ) <https://tc39.es/ecma262/#sec-date.now>
fn now(vm: &mut Vm, _: &Arguments) -> Completion<Value> {
    Ok(Value::number(time_clip(vm.host.now_ms().floor())))
}

/// Date.parse ( string ) <https://tc39.es/ecma262/#sec-date.parse>
fn parse(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let text = vm.to_string(arguments.get(vm, 0))?;
    let text = vm.heap.rust_string(text);
    Ok(Value::number(parse_text(vm, &text)))
}

/// Date.UTC ( year \[ , month \[ , date \[ , hours \[ , minutes \[ , seconds \[ , ms ] ] ] ] ] ] ) <https://tc39.es/ecma262/#sec-date.utc>
fn utc(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let time = time_of_arguments(vm, arguments)?;
    Ok(Value::number(time_clip(time)))
}

/// Date.prototype.getTime ( ) <https://tc39.es/ecma262/#sec-date.prototype.gettime>, and valueOf
fn get_time(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    this_time_value(vm, arguments).map(Value::number)
}

/// Date.prototype.getTimezoneOffset ( ) <https://tc39.es/ecma262/#sec-date.prototype.gettimezoneoffset>
fn get_timezone_offset(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let time = this_time_value(vm, arguments)?;
    if time.is_nan() {
        return Ok(Value::NAN);
    }
    let offset = vm.host.time_zone_offset_minutes(time, false);
    // Adding 0 turns -0 into +0.
    Ok(Value::number(-offset + 0.0))
}

/// Date.prototype.setTime ( time ) <https://tc39.es/ecma262/#sec-date.prototype.settime>
fn set_time(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    this_time_value(vm, arguments)?;
    let time = vm.to_number(arguments.get(vm, 0))?;
    set_time_value(vm, arguments, time_clip(time))
}

/// Date.prototype.setYear ( year ) <https://tc39.es/ecma262/#sec-date.prototype.setyear>
fn set_year(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let time = this_time_value(vm, arguments)?;
    let year = vm.to_number(arguments.get(vm, 0))?;
    if year.is_nan() {
        return set_time_value(vm, arguments, f64::NAN);
    }
    let local = if time.is_nan() { 0.0 } else { local_time(vm, time) };
    let fields = Fields::of(local);
    let day = make_day(make_full_year(year), fields.month as f64, fields.day as f64);
    let local = make_date(day, local.rem_euclid(86_400_000.0));
    let time = to_utc(vm, local);
    set_time_value(vm, arguments, time_clip(time))
}

/// Date.prototype.toDateString ( ) <https://tc39.es/ecma262/#sec-date.prototype.todatestring>
fn to_date_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    formatted(vm, arguments, |local, _| date_text::date_string(local))
}

/// Date.prototype.toISOString ( ) <https://tc39.es/ecma262/#sec-date.prototype.toisostring>
fn to_iso_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let time = this_time_value(vm, arguments)?;
    if time.is_nan() {
        return Err(vm.throw_range_error("Invalid time value"));
    }
    Ok(vm.string(&date_text::iso_string(&Fields::of(time))))
}

/// Date.prototype.toJSON ( key ) <https://tc39.es/ecma262/#sec-date.prototype.tojson>
fn to_json(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = vm.to_object(arguments.this)?;
    vm.root(object);
    let primitive = vm.to_primitive(Value::object(object), Hint::Number)?;
    if primitive.as_number().is_some_and(|number| !number.is_finite()) {
        return Ok(Value::NULL);
    }
    vm.invoke(Value::object(object), keys::TO_ISO_STRING, &[])
}

/// Date.prototype.toLocaleDateString ( ) in American English <https://tc39.es/ecma262/#sec-date.prototype.tolocaledatestring>
fn to_locale_date_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    formatted(vm, arguments, |local, _| date_text::english_date(local))
}

/// Date.prototype.toLocaleString ( ) in American English <https://tc39.es/ecma262/#sec-date.prototype.tolocalestring>
fn to_locale_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    formatted(vm, arguments, |local, _| {
        format!("{}, {}", date_text::english_date(local), date_text::english_time(local))
    })
}

/// Date.prototype.toLocaleTimeString ( ) in American English <https://tc39.es/ecma262/#sec-date.prototype.tolocaletimestring>
fn to_locale_time_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    formatted(vm, arguments, |local, _| date_text::english_time(local))
}

/// Date.prototype.toString ( ) <https://tc39.es/ecma262/#sec-date.prototype.tostring>
fn to_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let time = this_time_value(vm, arguments)?;
    date_string(vm, time)
}

/// Date.prototype.toTimeString ( ) <https://tc39.es/ecma262/#sec-date.prototype.totimestring>
fn to_time_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    formatted(vm, arguments, date_text::time_string)
}

/// Date.prototype.toUTCString ( ) <https://tc39.es/ecma262/#sec-date.prototype.toutcstring>
fn to_utc_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let time = this_time_value(vm, arguments)?;
    if time.is_nan() {
        return Ok(vm.string("Invalid Date"));
    }
    Ok(vm.string(&date_text::utc_string(&Fields::of(time))))
}

/// Date.prototype \[ %Symbol.toPrimitive% ] ( hint ) <https://tc39.es/ecma262/#sec-date.prototype-%symbol.toprimitive%>
fn to_primitive(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let Some(object) = arguments.this.as_object() else {
        let text = vm.display(arguments.this);
        return Err(
            vm.throw_type_error(format!("Date.prototype[Symbol.toPrimitive] called on incompatible receiver {text}"))
        );
    };
    let hint = arguments.get(vm, 0);
    let hint_text = match hint.as_string() {
        Some(text) => vm.heap.rust_string(text),
        None => String::new(),
    };
    let order = match hint_text.as_str() {
        "string" | "default" => [keys::TO_STRING, keys::VALUE_OF],
        "number" => [keys::VALUE_OF, keys::TO_STRING],
        _ => {
            let text = if hint.is_string() { hint_text } else { vm.display(hint) };
            return Err(vm.throw_type_error(format!("Invalid hint: {text}")));
        }
    };
    // OrdinaryToPrimitive ( O, hint )
    for key in order {
        let method = vm.get(object, key)?;
        if vm.heap.is_callable(method) {
            let result = vm.call(method, arguments.this, &[])?;
            if !result.is_object() {
                return Ok(result);
            }
        }
    }
    Err(vm.throw_type_error("Cannot convert object to primitive value"))
}

/// The time value of a Date object: NaN for an invalid one, None for other objects.
pub fn time_value(vm: &Vm, object: Gc<Object>) -> Option<f64> {
    match &vm.heap[object].kind {
        ObjectKind::Date(time) => time.get().as_number(),
        _ => None,
    }
}

/// LocalTime ( t ) <https://tc39.es/ecma262/#sec-localtime>
pub fn local_time(vm: &mut Vm, time: f64) -> f64 {
    time + vm.host.time_zone_offset_minutes(time, false) * MS_PER_MINUTE
}

/// UTC ( t ) <https://tc39.es/ecma262/#sec-utc-t>
pub fn to_utc(vm: &mut Vm, local: f64) -> f64 {
    if !local.is_finite() {
        return f64::NAN;
    }
    local - vm.host.time_zone_offset_minutes(local, true) * MS_PER_MINUTE
}

/// Date.parse of a text: NaN when it is no date.
pub fn parse_text(vm: &mut Vm, text: &str) -> f64 {
    match date_text::parse(text) {
        Some(parsed) => time_clip(match parsed.offset_minutes {
            Some(offset) => parsed.time - offset * MS_PER_MINUTE,
            None => to_utc(vm, parsed.time),
        }),
        None => f64::NAN,
    }
}

/// ToDateString ( tv ) <https://tc39.es/ecma262/#sec-todatestring>, under the product's rules ISO
fn date_string(vm: &mut Vm, time: f64) -> Completion<Value> {
    if time.is_nan() {
        return Ok(vm.string("Invalid Date"));
    }
    if vm.product_rules {
        return Ok(vm.string(&date_text::iso_string(&Fields::of(time))));
    }
    let (local, offset) = local_fields(vm, time);
    let text = format!("{} {}", date_text::date_string(&local), date_text::time_string(&local, offset));
    Ok(vm.string(&text))
}

/// A text of the local time of the this value, `Invalid Date` when it is invalid.
fn formatted(vm: &mut Vm, arguments: &Arguments, format: impl FnOnce(&Fields, f64) -> String) -> Completion<Value> {
    let time = this_time_value(vm, arguments)?;
    if time.is_nan() {
        return Ok(vm.string("Invalid Date"));
    }
    let (local, offset) = local_fields(vm, time);
    Ok(vm.string(&format(&local, offset)))
}

/// The fields of local time, and its offset in minutes.
fn local_fields(vm: &mut Vm, time: f64) -> (Fields, f64) {
    let offset = vm.host.time_zone_offset_minutes(time, false);
    (Fields::of(time + offset * MS_PER_MINUTE), offset)
}

/// The getters of fields.
fn field(vm: &mut Vm, arguments: &Arguments, zone: Zone, select: impl FnOnce(&Fields) -> i64) -> Completion<Value> {
    let time = this_time_value(vm, arguments)?;
    if time.is_nan() {
        return Ok(Value::NAN);
    }
    let time = if zone == Zone::Local { local_time(vm, time) } else { time };
    Ok(Value::number(select(&Fields::of(time)) as f64))
}

/// The setters of fields: `count` parts from `first` on, of which the first is required.
fn set_parts(vm: &mut Vm, arguments: &Arguments, zone: Zone, first: usize, count: usize) -> Completion<Value> {
    let mut time = this_time_value(vm, arguments)?;
    let given = arguments.len().clamp(1, count);
    let mut values = [0.0; 4];
    for (index, value) in values.iter_mut().enumerate().take(given) {
        *value = vm.to_number(arguments.get(vm, index))?;
    }
    if time.is_nan() {
        if first != YEAR {
            return Ok(Value::NAN);
        }
        time = 0.0;
    } else if zone == Zone::Local {
        time = local_time(vm, time);
    }
    let fields = Fields::of(time);
    let mut parts = [
        fields.year as f64,
        fields.month as f64,
        fields.day as f64,
        fields.hour as f64,
        fields.minute as f64,
        fields.second as f64,
        fields.millisecond as f64,
    ];
    parts[first..first + given].copy_from_slice(&values[..given]);
    let mut time = time_of_parts(&parts);
    if zone == Zone::Local {
        time = to_utc(vm, time);
    }
    set_time_value(vm, arguments, time_clip(time))
}

/// The time that the arguments of the constructor and of `Date.UTC` mean.
fn time_of_arguments(vm: &mut Vm, arguments: &Arguments) -> Completion<f64> {
    let mut parts = [f64::NAN, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    for (index, part) in parts.iter_mut().enumerate().take(arguments.len()) {
        *part = vm.to_number(arguments.get(vm, index))?;
    }
    parts[YEAR] = make_full_year(parts[YEAR]);
    Ok(time_of_parts(&parts))
}

fn time_of_parts(parts: &[f64; 7]) -> f64 {
    let day = make_day(parts[YEAR], parts[MONTH], parts[DATE]);
    make_date(day, make_time(parts[HOURS], parts[MINUTES], parts[SECONDS], parts[MILLISECONDS]))
}

fn this_time_value(vm: &mut Vm, arguments: &Arguments) -> Completion<f64> {
    match arguments.this.as_object().and_then(|object| time_value(vm, object)) {
        Some(time) => Ok(time),
        None => Err(vm.throw_type_error("this is not a Date object.")),
    }
}

fn set_time_value(vm: &mut Vm, arguments: &Arguments, time: f64) -> Completion<Value> {
    let value = Value::number(time);
    if let Some(object) = arguments.this.as_object()
        && let ObjectKind::Date(slot) = &mut vm.heap[object].kind
    {
        slot.set(value);
    }
    Ok(value)
}
