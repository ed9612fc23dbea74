//! The parser of `JSON.parse`: <https://tc39.es/ecma262/#sec-json.parse>.
//!
//! One loop over the code units. Containers under construction are frames; the values of open arrays and objects stand on one
//! stack until their container ends, so that objects get their shape and slots at once. No garbage is collected meanwhile.

use thin_vec::ThinVec;

use crate::heap::{Gc, Heap};
use crate::object::{Attributes, Object, Shape};
use crate::property_key::PropertyKey;
use crate::string::{JsString, StrView, StringBuilder};
use crate::value::Value;
use crate::vm::{Completion, IntrinsicObject, Vm};

/// Objects with more members are finished as dictionaries.
const MAX_SLOTS: usize = 48;

/// Containers between two looks at limits and clock.
const POLL_INTERVAL: u32 = 4096;

const KEY_CACHE: usize = 64;

/// What a text means.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parsed {
    /// The value.
    pub value: Value,
    /// The source of its parts, see json.js; undefined when it was not asked for.
    pub record: Value,
}

/// Parses a string.
pub(super) fn parse(vm: &mut Vm, text: Gc<JsString>, with_source: bool) -> Completion<Parsed> {
    // The text is copied, since building values needs the heap.
    match vm.heap.flat_view(text) {
        StrView::Latin1(units) => {
            let units = units.to_vec();
            run(vm, &units, with_source)
        }
        StrView::Utf16(units) => {
            let units = units.to_vec();
            run(vm, &units, with_source)
        }
    }
}

/// Parses text of Latin-1 code units.
pub(super) fn parse_latin1(vm: &mut Vm, units: &[u8]) -> Completion<Value> {
    run(vm, units, false).map(|parsed| parsed.value)
}

/// Parses text of UTF-16 code units.
pub(super) fn parse_utf16(vm: &mut Vm, units: &[u16]) -> Completion<Value> {
    run(vm, units, false).map(|parsed| parsed.value)
}

fn run<U: Unit>(vm: &mut Vm, text: &[U], with_source: bool) -> Completion<Parsed> {
    let object_prototype = vm.intrinsic(IntrinsicObject::ObjectPrototype);
    let array_prototype = vm.intrinsic(IntrinsicObject::ArrayPrototype);
    let mut parser = Parser {
        text,
        at: 0,
        object_shape: vm.heap.root_shape(Some(object_prototype)),
        array_shape: vm.heap.root_shape(Some(array_prototype)),
        values: Vec::new(),
        frames: Vec::new(),
        keys: [None; KEY_CACHE],
        with_source,
        countdown: POLL_INTERVAL,
    };
    match parser.document(vm) {
        Ok(parsed) => Ok(parsed),
        Err(Failure::Thrown(thrown)) => Err(thrown),
        Err(Failure::Syntax(what)) => {
            let message = parser.message(what);
            Err(vm.throw_syntax_error(message))
        }
    }
}

/// A code unit of the text.
trait Unit: Copy {
    fn code(self) -> u16;
    /// A new string of these units.
    fn string(heap: &mut Heap, units: &[Self]) -> Gc<JsString>;
    /// The key of these units.
    fn key(heap: &mut Heap, units: &[Self]) -> PropertyKey;
    fn push(builder: &mut StringBuilder, units: &[Self]);
    fn same(left: &[Self], right: &[Self]) -> bool;
}

impl Unit for u8 {
    #[inline]
    fn code(self) -> u16 {
        u16::from(self)
    }

    #[inline]
    fn string(heap: &mut Heap, units: &[u8]) -> Gc<JsString> {
        match *units {
            [unit] => heap.single_char(u16::from(unit)),
            _ => heap.new_string_latin1(units),
        }
    }

    fn key(heap: &mut Heap, units: &[u8]) -> PropertyKey {
        key_of(heap, StrView::Latin1(units))
    }

    fn push(builder: &mut StringBuilder, units: &[u8]) {
        builder.push_latin1(units);
    }

    #[inline]
    fn same(left: &[u8], right: &[u8]) -> bool {
        left == right
    }
}

impl Unit for u16 {
    #[inline]
    fn code(self) -> u16 {
        self
    }

    fn string(heap: &mut Heap, units: &[u16]) -> Gc<JsString> {
        heap.new_string_utf16(units)
    }

    fn key(heap: &mut Heap, units: &[u16]) -> PropertyKey {
        let narrow: Option<Vec<u8>> = units.iter().map(|&unit| u8::try_from(unit).ok()).collect();
        match narrow {
            Some(units) => key_of(heap, StrView::Latin1(&units)),
            None => key_of(heap, StrView::Utf16(units)),
        }
    }

    fn push(builder: &mut StringBuilder, units: &[u16]) {
        builder.push_utf16(units);
    }

    #[inline]
    fn same(left: &[u16], right: &[u16]) -> bool {
        left == right
    }
}

fn key_of(heap: &mut Heap, view: StrView<'_>) -> PropertyKey {
    match view.array_index() {
        Some(index) => PropertyKey::index(index),
        None => PropertyKey::name(heap.intern_view(view)),
    }
}

/// A container that has begun.
enum Frame {
    Array {
        /// Where its elements begin on the stack of values.
        start: usize,
        /// Records of the elements.
        records: Option<Gc<Object>>,
    },
    Object {
        /// Where its slots begin on the stack of values.
        start: usize,
        shape: Gc<Shape>,
        /// The object, once it has become too large for the stack, or has an index among its keys.
        object: Option<Gc<Object>>,
        /// The key whose value comes next.
        key: PropertyKey,
        /// Records of the members.
        records: Option<Gc<Object>>,
    },
}

enum Failure {
    Syntax(Syntax),
    Thrown(crate::vm::Thrown),
}

/// What is wrong with the text at the present position.
#[derive(Clone, Copy)]
enum Syntax {
    /// The unit there (or the end) fits nowhere.
    Token,
    /// A fixed text, followed by the position.
    At(&'static str),
}

struct Parser<'a, U> {
    text: &'a [U],
    at: usize,
    object_shape: Gc<Shape>,
    array_shape: Gc<Shape>,
    values: Vec<Value>,
    frames: Vec<Frame>,
    /// Keys seen before: position and length in the text.
    keys: [Option<(usize, usize, PropertyKey)>; KEY_CACHE],
    with_source: bool,
    countdown: u32,
}

impl<U: Unit> Parser<'_, U> {
    /// The whole text.
    fn document(&mut self, vm: &mut Vm) -> Result<Parsed, Failure> {
        loop {
            let mut parsed = match self.begin(vm)? {
                Some(parsed) => parsed,
                None => continue,
            };
            // Hands the value to its container, and the container to its own when it ends.
            loop {
                let Some(frame) = self.frames.last_mut() else {
                    self.skip_white_space();
                    if self.at < self.text.len() {
                        return Err(self.fail("Unexpected non-whitespace character after JSON"));
                    }
                    return Ok(parsed);
                };
                match frame {
                    Frame::Array { records, .. } => {
                        self.values.push(parsed.value);
                        if let Some(records) = *records {
                            push_record(vm, records, parsed.record);
                        }
                        match self.next_token() {
                            Some(b',') => {
                                self.at += 1;
                                break;
                            }
                            Some(b']') => {
                                self.at += 1;
                                parsed = self.end_array(vm);
                            }
                            _ => return Err(self.fail("Expected ',' or ']' after array element")),
                        }
                    }
                    Frame::Object { .. } => {
                        self.add_member(vm, parsed);
                        match self.next_token() {
                            Some(b',') => {
                                self.at += 1;
                                if self.next_token() != Some(b'"') {
                                    return Err(self.fail("Expected double-quoted property name"));
                                }
                                self.key(vm)?;
                                break;
                            }
                            Some(b'}') => {
                                self.at += 1;
                                parsed = self.end_object(vm);
                            }
                            _ => return Err(self.fail("Expected ',' or '}' after property value")),
                        }
                    }
                }
            }
        }
    }

    /// A whole primitive or empty container; None when a container has begun whose first value comes next.
    #[inline]
    fn begin(&mut self, vm: &mut Vm) -> Result<Option<Parsed>, Failure> {
        let token = self.next_token();
        let start = self.at;
        let value = match token {
            Some(b'"') => Value::string(self.string(&mut vm.heap)?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'{') => {
                self.at += 1;
                self.poll(vm)?;
                let records = self.with_source.then(|| vm.heap.new_object(None));
                let (start, shape, key) = (self.values.len(), self.object_shape, PropertyKey::index(0));
                self.frames.push(Frame::Object { start, shape, object: None, key, records });
                return match self.next_token() {
                    Some(b'"') => self.key(vm).map(|()| None),
                    Some(b'}') => {
                        self.at += 1;
                        Ok(Some(self.end_object(vm)))
                    }
                    _ => Err(self.fail("Expected property name or '}'")),
                };
            }
            Some(b'[') => {
                self.at += 1;
                self.poll(vm)?;
                let records = self.with_source.then(|| vm.heap.new_array_with_shape(self.array_shape, &[]));
                self.frames.push(Frame::Array { start: self.values.len(), records });
                if self.next_token() == Some(b']') {
                    self.at += 1;
                    return Ok(Some(self.end_array(vm)));
                }
                return Ok(None);
            }
            Some(b't') => self.word(b"true", Value::TRUE)?,
            Some(b'f') => self.word(b"false", Value::FALSE)?,
            Some(b'n') => self.word(b"null", Value::NULL)?,
            _ => return Err(Failure::Syntax(Syntax::Token)),
        };
        let mut record = Value::UNDEFINED;
        if self.with_source {
            let source = Value::string(U::string(&mut vm.heap, &self.text[start..self.at]));
            record = Value::object(vm.heap.new_array_with_shape(self.array_shape, &[value, source]));
        }
        Ok(Some(Parsed { value, record }))
    }

    fn end_array(&mut self, vm: &mut Vm) -> Parsed {
        let Some(Frame::Array { start, records }) = self.frames.pop() else {
            return Parsed { value: Value::UNDEFINED, record: Value::UNDEFINED };
        };
        let elements: ThinVec<Value> = ThinVec::from(&self.values[start..]);
        self.values.truncate(start);
        let value = Value::object(vm.heap.new_array_from_elements(self.array_shape, elements));
        Parsed { value, record: self.container_record(vm, value, records) }
    }

    fn end_object(&mut self, vm: &mut Vm) -> Parsed {
        let Some(Frame::Object { start, shape, object, records, .. }) = self.frames.pop() else {
            return Parsed { value: Value::UNDEFINED, record: Value::UNDEFINED };
        };
        let object = object.unwrap_or_else(|| vm.heap.new_object_with_shape(shape, &self.values[start..]));
        self.values.truncate(start);
        let value = Value::object(object);
        Parsed { value, record: self.container_record(vm, value, records) }
    }

    fn container_record(&mut self, vm: &mut Vm, value: Value, records: Option<Gc<Object>>) -> Value {
        match records {
            Some(records) => {
                let pair = [value, Value::object(records)];
                Value::object(vm.heap.new_array_with_shape(self.array_shape, &pair))
            }
            None => Value::UNDEFINED,
        }
    }

    /// Adds the value to the innermost container, which is an object.
    #[inline]
    fn add_member(&mut self, vm: &mut Vm, parsed: Parsed) {
        let Some(Frame::Object { start, shape, object, key, records }) = self.frames.last_mut() else { return };
        if let Some(records) = *records {
            // Too many elements for an object are too many for its records, too: then there are fewer records.
            let _ = vm.heap.create_data_property(records, *key, parsed.record);
        }
        if object.is_none() && !key.is_index() && self.values.len() - *start < MAX_SLOTS {
            if let Some(next) = vm.heap.shape_transition(*shape, *key) {
                // OPTIMIZATION: a shape that goes on with this key does not have it yet.
                *shape = next;
                self.values.push(parsed.value);
            } else if let Some((slot, _)) = vm.heap.shape_find(*shape, *key) {
                self.values[*start + slot as usize] = parsed.value;
            } else {
                *shape = vm.heap.shape_with(*shape, *key, Attributes::ALL);
                self.values.push(parsed.value);
            }
            return;
        }
        let target = match *object {
            Some(object) => object,
            None => {
                let created = vm.heap.new_object_with_shape(*shape, &self.values[*start..]);
                self.values.truncate(*start);
                *object = Some(created);
                created
            }
        };
        // The text is too short for too many elements.
        let _ = vm.heap.create_data_property(target, *key, parsed.value);
    }

    /// The next unit that is not white space, if it is ASCII. The position is at it.
    #[inline]
    fn next_token(&mut self) -> Option<u8> {
        self.skip_white_space();
        self.text.get(self.at).and_then(|unit| u8::try_from(unit.code()).ok())
    }

    #[inline]
    fn skip_white_space(&mut self) {
        while let Some(unit) = self.text.get(self.at) {
            if !matches!(unit.code(), 0x20 | 0x0A | 0x0D | 0x09) {
                return;
            }
            self.at += 1;
        }
    }

    fn unit(&self, at: usize) -> Option<u8> {
        self.text.get(at).and_then(|unit| u8::try_from(unit.code()).ok())
    }

    fn word(&mut self, word: &[u8], value: Value) -> Result<Value, Failure> {
        for &expected in word {
            if self.unit(self.at) != Some(expected) {
                return Err(Failure::Syntax(Syntax::Token));
            }
            self.at += 1;
        }
        Ok(value)
    }

    /// The property name at the present position, with its colon, into the innermost frame.
    #[inline]
    fn key(&mut self, vm: &mut Vm) -> Result<(), Failure> {
        let start = self.at + 1;
        let end = self.plain_end(start);
        let parsed = if self.unit(end) == Some(b'"') {
            self.at = end + 1;
            self.cached_key(&mut vm.heap, start, end)
        } else {
            let text = self.string(&mut vm.heap)?;
            vm.heap.key_from_string(text)
        };
        if self.next_token() != Some(b':') {
            return Err(self.fail("Expected ':' after property name"));
        }
        self.at += 1;
        if let Some(Frame::Object { key, .. }) = self.frames.last_mut() {
            *key = parsed;
        }
        Ok(())
    }

    #[inline]
    fn cached_key(&mut self, heap: &mut Heap, start: usize, end: usize) -> PropertyKey {
        let units = &self.text[start..end];
        let (first, last) = match (units.first(), units.last()) {
            (Some(first), Some(last)) => (usize::from(first.code()), usize::from(last.code())),
            _ => (0, 0),
        };
        let place = &mut self.keys[(units.len() * 31 + first * 7 + last) % KEY_CACHE];
        if let Some((at, length, key)) = *place
            && length == units.len()
            && U::same(&self.text[at..at + length], units)
        {
            return key;
        }
        let key = U::key(heap, units);
        *place = Some((start, units.len(), key));
        key
    }

    /// Where the units that stand for themselves in a string end.
    #[inline]
    fn plain_end(&self, start: usize) -> usize {
        let mut at = start;
        while let Some(unit) = self.text.get(at) {
            let code = unit.code();
            if code == 0x22 || code == 0x5C || code < 0x20 {
                break;
            }
            at += 1;
        }
        at
    }

    /// The string at the present position.
    #[inline]
    fn string(&mut self, heap: &mut Heap) -> Result<Gc<JsString>, Failure> {
        let start = self.at + 1;
        let end = self.plain_end(start);
        if self.unit(end) == Some(b'"') {
            self.at = end + 1;
            return Ok(U::string(heap, &self.text[start..end]));
        }
        self.string_with_escapes(heap, start, end)
    }

    fn string_with_escapes(&mut self, heap: &mut Heap, start: usize, end: usize) -> Result<Gc<JsString>, Failure> {
        let mut builder = StringBuilder::new();
        let (mut start, mut end) = (start, end);
        loop {
            U::push(&mut builder, &self.text[start..end]);
            self.at = end;
            match self.unit(end) {
                Some(b'"') => break,
                Some(b'\\') => {}
                None if end >= self.text.len() => return Err(self.fail("Unterminated string")),
                _ => return Err(self.fail("Bad control character in string literal")),
            }
            self.at += 1;
            let unit = match self.unit(self.at) {
                Some(escape @ (b'"' | b'\\' | b'/')) => u16::from(escape),
                Some(b'b') => 0x08,
                Some(b'f') => 0x0C,
                Some(b'n') => 0x0A,
                Some(b'r') => 0x0D,
                Some(b't') => 0x09,
                Some(b'u') => {
                    let mut unit = 0;
                    for _ in 0..4 {
                        self.at += 1;
                        let digit = self.unit(self.at).and_then(|digit| char::from(digit).to_digit(16));
                        match digit {
                            Some(digit) => unit = unit << 4 | digit as u16,
                            None if self.at >= self.text.len() => return Err(self.fail("Unterminated string")),
                            None => return Err(self.fail("Bad Unicode escape")),
                        }
                    }
                    unit
                }
                None if self.at >= self.text.len() => return Err(self.fail("Unterminated string")),
                _ => return Err(self.fail("Bad escaped character")),
            };
            builder.push_unit(unit);
            self.at += 1;
            start = self.at;
            end = self.plain_end(start);
        }
        self.at += 1;
        match builder.finish(heap) {
            Ok(text) => Ok(text),
            Err(_) => Err(self.fail("String too long")),
        }
    }

    /// The number at the present position.
    #[inline]
    fn number(&mut self) -> Result<Value, Failure> {
        let start = self.at;
        let negative = self.unit(self.at) == Some(b'-');
        if negative {
            self.at += 1;
        }
        let first = self.at;
        let mut integer: u64 = 0;
        while let Some(digit @ b'0'..=b'9') = self.unit(self.at) {
            integer = integer.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        let digits = self.at - first;
        if digits == 0 {
            return Err(self.fail("No number after minus sign"));
        }
        if digits > 1 && self.unit(first) == Some(b'0') {
            self.at = first + 1;
            return Err(self.fail("Unexpected number"));
        }
        if digits <= 15 && !matches!(self.unit(self.at), Some(b'.' | b'e' | b'E')) {
            // Such integers are exact.
            let number = integer as f64;
            return Ok(Value::number(if negative { -number } else { number }));
        }
        self.long_number(start)
    }

    fn long_number(&mut self, start: usize) -> Result<Value, Failure> {
        if self.unit(self.at) == Some(b'.') {
            self.at += 1;
            if !self.skip_digits() {
                return Err(self.fail("Unterminated fractional number"));
            }
        }
        if matches!(self.unit(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.unit(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !self.skip_digits() {
                return Err(self.fail("Exponent part is missing a number"));
            }
        }
        let text: String = self.text[start..self.at].iter().map(|unit| char::from(unit.code() as u8)).collect();
        match text.parse() {
            Ok(number) => Ok(Value::number(number)),
            Err(_) => Err(self.fail("Unexpected number")),
        }
    }

    fn skip_digits(&mut self) -> bool {
        let start = self.at;
        while matches!(self.unit(self.at), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at > start
    }

    /// Looks at limits and clock now and then.
    fn poll(&mut self, vm: &mut Vm) -> Result<(), Failure> {
        self.countdown -= 1;
        if self.countdown == 0 {
            self.countdown = POLL_INTERVAL;
            vm.poll().map_err(Failure::Thrown)?;
        }
        Ok(())
    }

    #[cold]
    fn fail(&self, what: &'static str) -> Failure {
        Failure::Syntax(Syntax::At(what))
    }

    /// The message of the SyntaxError.
    #[cold]
    fn message(&self, what: Syntax) -> String {
        match what {
            Syntax::At(what) => format!("{what} in JSON at position {}", self.at).replace("JSON in JSON", "JSON"),
            Syntax::Token => {
                let Some(unit) = self.text.get(self.at) else { return "Unexpected end of JSON input".to_owned() };
                let token = String::from_utf16_lossy(&[unit.code()]);
                let (excerpt, is_whole) = self.excerpt();
                if is_whole && excerpt == "\"undefined\"" {
                    return format!("{excerpt} is not valid JSON");
                }
                format!("Unexpected token '{token}', {excerpt} is not valid JSON")
            }
        }
    }

    /// The text around the position, and whether that is all of it.
    fn excerpt(&self) -> (String, bool) {
        const CONTEXT: usize = 10;
        let length = self.text.len();
        let (start, end) = if length <= 2 * CONTEXT {
            (0, length)
        } else {
            (self.at.saturating_sub(CONTEXT), (self.at + CONTEXT).min(length))
        };
        let units: Vec<u16> = self.text[start..end].iter().map(|unit| unit.code()).collect();
        let before = if start > 0 { "..." } else { "" };
        let after = if end < length { "..." } else { "" };
        (format!("{before}\"{}\"{after}", String::from_utf16_lossy(&units)), start == 0 && end == length)
    }
}

fn push_record(vm: &mut Vm, records: Gc<Object>, record: Value) {
    // Too many elements for an array are too many for its records, too: then there are fewer records.
    let _ = vm.heap.array_push(records, record);
}
