//! The standard library: one file per global, named as in ECMA-262, each with one table.
//!
//! A file holds `pub static BUILTIN: Builtin` (or several, for example the iterator prototypes) and the native functions it
//! names. Functions whose loop calls user code are self-hosted: the table says [`hosted`] and the JavaScript body stands in the
//! `.js` file of the same name, listed in [`SELF_HOSTED`]. The realm builds all objects from [`ALL`], in order.

pub(crate) mod array;
mod array_buffer;
mod array_iterator;
mod atomics;
mod data_view;
mod function;
mod generator_function;
mod math;
mod number;
mod number_format;
mod object;
mod proxy;
mod reflect;
mod regexp;
mod async_from_sync_iterator;
mod bigint;
mod boolean;
pub mod date;
mod date_calendar;
mod date_text;
pub mod error;
mod finalization_registry;
mod generator;
mod globals;
mod iterator;
pub mod json;
mod json_parser;
mod json_serializer;
mod map;
mod promise;
mod set;
mod symbol;
mod weak_map;
mod weak_ref;
mod weak_set;
mod shared_array_buffer;
mod spec;
mod string;
mod typed_array;
mod uint8_array;

pub(crate) use function::function_text;
pub(crate) use finalization_registry::CLEANUP as CLEANUP_FINALIZATION_REGISTRY;
pub use spec::*;

/// All tables. A constructor stands before those that inherit from it.
pub static ALL: &[&Builtin] = &[
    &object::BUILTIN,
    &function::BUILTIN,
    &array::BUILTIN,
    &array_buffer::BUILTIN,
    &array_iterator::BUILTIN,
    &atomics::BUILTIN,
    &data_view::BUILTIN,
    &generator_function::ASYNC_FUNCTION,
    &generator_function::ASYNC_GENERATOR_FUNCTION,
    &generator_function::GENERATOR_FUNCTION,
    &math::BUILTIN,
    &number::BUILTIN,
    &number::GLOBALS,
    &proxy::BUILTIN,
    &reflect::BUILTIN,
    &regexp::BUILTIN,
    &regexp::STRING_ITERATOR,
    &shared_array_buffer::BUILTIN,
    &string::BUILTIN,
    &string::ITERATOR,
    &typed_array::BUILTIN,
    &typed_array::INT8,
    &uint8_array::BUILTIN,
    &typed_array::UINT8_CLAMPED,
    &typed_array::INT16,
    &typed_array::UINT16,
    &typed_array::INT32,
    &typed_array::UINT32,
    &typed_array::BIG_INT64,
    &typed_array::BIG_UINT64,
    &typed_array::FLOAT16,
    &typed_array::FLOAT32,
    &typed_array::FLOAT64,
    &async_from_sync_iterator::BUILTIN,
    &bigint::BUILTIN,
    &boolean::BUILTIN,
    &date::BUILTIN,
    &error::BUILTIN,
    &error::AGGREGATE_ERROR,
    &error::EVAL_ERROR,
    &error::RANGE_ERROR,
    &error::REFERENCE_ERROR,
    &error::SUPPRESSED_ERROR,
    &error::SYNTAX_ERROR,
    &error::TYPE_ERROR,
    &error::URI_ERROR,
    &finalization_registry::BUILTIN,
    &generator::GENERATOR,
    &generator::ASYNC_GENERATOR,
    &globals::BUILTIN,
    &iterator::BUILTIN,
    &iterator::HELPER,
    &iterator::WRAP,
    &iterator::ASYNC_ITERATOR,
    &json::BUILTIN,
    &map::BUILTIN,
    &map::ITERATOR,
    &promise::BUILTIN,
    &set::BUILTIN,
    &set::ITERATOR,
    &symbol::BUILTIN,
    &weak_map::BUILTIN,
    &weak_ref::BUILTIN,
    &weak_set::BUILTIN,
];

/// Intrinsic functions that are properties of more than one object, made before all properties.
pub static INTRINSIC_FUNCTIONS: &[(crate::vm::IntrinsicObject, &NativeFunction)] = &[
    (crate::vm::IntrinsicObject::ParseFloat, &number::PARSE_FLOAT),
    (crate::vm::IntrinsicObject::ParseInt, &number::PARSE_INT),
    (crate::vm::IntrinsicObject::ArrayPrototypeToString, &array::TO_STRING),
];

/// Name and text of the self-hosted sources.
pub const SELF_HOSTED: &[(&str, &str)] = &[
    ("array.js", concat!(include_str!("shared.js"), include_str!("array.js"))),
    ("object.js", include_str!("object.js")),
    ("regexp.js", include_str!("regexp.js")),
    ("string.js", include_str!("string.js")),
    ("typed_array.js", concat!(include_str!("shared.js"), include_str!("typed_array.js"))),
    ("iterator.js", include_str!("iterator.js")),
    ("json.js", include_str!("json.js")),
    ("map.js", include_str!("map.js")),
    ("promise.js", include_str!("promise.js")),
    ("set.js", include_str!("set.js")),
];

/// `%Function.prototype%`: accepts anything and returns undefined.
pub static FUNCTION_PROTOTYPE: NativeFunction = native("", 0, |_, _| Ok(crate::value::Value::UNDEFINED));

/// `%ThrowTypeError%` <https://tc39.es/ecma262/#sec-%throwtypeerror%>
pub static THROW_TYPE_ERROR: NativeFunction = native("", 0, |vm, _| {
    Err(vm.throw_type_error(
        "'caller', 'callee', and 'arguments' properties may not be accessed on strict mode functions or the arguments objects for calls to them",
    ))
});

/// Intrinsics of self-hosted code that belong to one builtin each; the arguments are rooted by the caller's registers.
pub(crate) fn call_intrinsic(
    vm: &mut crate::vm::Vm,
    intrinsic: codemode_bytecode::Intrinsic,
    arguments: &[crate::value::Value],
) -> crate::vm::Completion<crate::value::Value> {
    use codemode_bytecode::Intrinsic;
    match intrinsic {
        Intrinsic::RegExpBuiltinExec
        | Intrinsic::RegExpExecFast
        | Intrinsic::SymbolMethod
        | Intrinsic::RegExpReplaceFast
        | Intrinsic::RegExpMatchList
        | Intrinsic::RegExpMatchTexts
        | Intrinsic::RegExpSplitFast
        | Intrinsic::RegExpCreate
        | Intrinsic::IsRegExp
        | Intrinsic::IsPristineRegExp
        | Intrinsic::GetSubstitution
        | Intrinsic::AdvanceStringIndex => regexp::regexp_intrinsic(vm, intrinsic, arguments),
        Intrinsic::JsonParse
        | Intrinsic::JsonParseWithSource
        | Intrinsic::JsonStringify
        | Intrinsic::JsonGap
        | Intrinsic::JsonPrimitive
        | Intrinsic::JsonThrowCircular
        | Intrinsic::JsonQuote => json::intrinsic(vm, intrinsic, arguments),
        Intrinsic::SortCompact
        | Intrinsic::SortDefault
        | Intrinsic::SortNumbers
        | Intrinsic::FlattenInto => array::array_intrinsic(vm, intrinsic, arguments),
        Intrinsic::TypedArraySpeciesCreate
        | Intrinsic::TypedArrayCreate
        | Intrinsic::TypedArrayCreateSameType
        | Intrinsic::TypedArraySort
        | Intrinsic::ValidateTypedArray
        | Intrinsic::TypedArrayLength => typed_array::typed_array_intrinsic(vm, intrinsic, arguments),
        Intrinsic::StringReplace | Intrinsic::StringSplit => string::string_intrinsic(vm, intrinsic, arguments),
        _ => vm.internal_error(intrinsic.text()),
    }
}
