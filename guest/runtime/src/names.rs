//! Names that the engine itself uses, interned first into every heap so that their handles are constants.

use crate::heap::{Gc, Heap, Marker};
use crate::property_key::PropertyKey;
use crate::string::JsString;

macro_rules! names {
    ($($id:ident $text:literal)+) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "counts the names; never written out")]
        enum Position { $($id),+ }

        /// All names in the order of their handles.
        const TEXTS: &[&str] = &[$($text),+];

        $(
            #[doc = concat!("`", $text, "`")]
            pub const $id: Gc<JsString> = Gc::fixed(Position::$id as u32 + 1);
        )+

        /// The same names as property keys.
        pub mod keys {
            use super::PropertyKey;
            $(
                #[doc = concat!("`", $text, "`")]
                pub const $id: PropertyKey = PropertyKey::name(super::$id);
            )+
        }
    };
}

names! {
    EMPTY ""
    LENGTH "length"
    NAME "name"
    PROTOTYPE "prototype"
    CONSTRUCTOR "constructor"
    VALUE "value"
    DONE "done"
    NEXT "next"
    RETURN "return"
    THROW "throw"
    GET "get"
    SET "set"
    WRITABLE "writable"
    ENUMERABLE "enumerable"
    CONFIGURABLE "configurable"
    TO_STRING "toString"
    VALUE_OF "valueOf"
    TO_JSON "toJSON"
    TO_ISO_STRING "toISOString"
    TO_LOCALE_STRING "toLocaleString"
    MESSAGE "message"
    STACK "stack"
    CAUSE "cause"
    ERRORS "errors"
    ERROR "error"
    SUPPRESSED "suppressed"
    CALLEE "callee"
    CALLER "caller"
    ARGUMENTS "arguments"
    UNDEFINED "undefined"
    NULL "null"
    TRUE "true"
    FALSE "false"
    NAN "NaN"
    INFINITY "Infinity"
    NEGATIVE_INFINITY "-Infinity"
    OBJECT "object"
    FUNCTION "function"
    NUMBER "number"
    STRING "string"
    BOOLEAN "boolean"
    SYMBOL "symbol"
    BIGINT "bigint"
    DEFAULT "default"
    INDEX "index"
    INPUT "input"
    INDICES "indices"
    GROUPS "groups"
    RAW "raw"
    LAST_INDEX "lastIndex"
    EXEC "exec"
    FLAGS "flags"
    SOURCE "source"
    GLOBAL "global"
    IGNORE_CASE "ignoreCase"
    MULTILINE "multiline"
    DOT_ALL "dotAll"
    UNICODE "unicode"
    UNICODE_SETS "unicodeSets"
    STICKY "sticky"
    HAS_INDICES "hasIndices"
    THEN "then"
    RESOLVE "resolve"
    REJECT "reject"
    PROMISE "promise"
    STATUS "status"
    REASON "reason"
    FULFILLED "fulfilled"
    REJECTED "rejected"
    PROTO "__proto__"
    ANONYMOUS "anonymous"
    GLOBAL_THIS "globalThis"
    EVAL "eval"
    APPLY "apply"
    CONSTRUCT "construct"
    DEFINE_PROPERTY "defineProperty"
    DELETE_PROPERTY "deleteProperty"
    GET_OWN_PROPERTY_DESCRIPTOR "getOwnPropertyDescriptor"
    GET_PROTOTYPE_OF "getPrototypeOf"
    HAS "has"
    IS_EXTENSIBLE "isExtensible"
    OWN_KEYS "ownKeys"
    PREVENT_EXTENSIONS "preventExtensions"
    SET_PROTOTYPE_OF "setPrototypeOf"
    PROXY "proxy"
    REVOKE "revoke"
    ADD "add"
    SIZE "size"
    KEYS "keys"
    VALUES "values"
    ENTRIES "entries"
    JOIN "join"
    CONCAT "concat"
    PUSH "push"
    OBJECT_CLASS "Object"
    FUNCTION_CLASS "Function"
    ARRAY_CLASS "Array"
    ERROR_CLASS "Error"
    STRING_CLASS "String"
    NUMBER_CLASS "Number"
    BOOLEAN_CLASS "Boolean"
    SYMBOL_CLASS "Symbol"
    PROMISE_CLASS "Promise"
    AGGREGATE_ERROR "AggregateError"
    EVAL_ERROR "EvalError"
    RANGE_ERROR "RangeError"
    REFERENCE_ERROR "ReferenceError"
    SUPPRESSED_ERROR "SuppressedError"
    SYNTAX_ERROR "SyntaxError"
    TYPE_ERROR "TypeError"
    URI_ERROR "URIError"
    MAX_BYTE_LENGTH "maxByteLength"
    DETACHED "detached"
    BYTE_LENGTH "byteLength"
    BYTE_OFFSET "byteOffset"
    BUFFER "buffer"
    THIS "this"
    NEW_TARGET "new.target"
    STAR_DEFAULT_STAR "*default*"
    TOOLS "tools"
    CONSOLE "console"
    TEXT "text"
    IMAGE "image"
    TYPE "type"
    DATA "data"
}

/// Interns all names into an empty heap, in order.
pub(crate) fn intern_all(heap: &mut Heap) {
    for (position, text) in TEXTS.iter().enumerate() {
        let atom = heap.intern_str(text);
        assert_eq!(atom.index() as usize, position + 1, "name {text:?} must be interned once and first");
    }
}

/// Names are never collected.
pub(crate) fn mark_all(marker: &mut Marker) {
    for position in 0..TEXTS.len() {
        marker.mark(Gc::<JsString>::fixed(position as u32 + 1));
    }
}
