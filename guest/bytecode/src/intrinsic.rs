//! Intrinsics of self-hosted code.
//!
//! Builtins that call user callbacks in a loop are written in JavaScript beside their Rust file and compiled in self-hosted
//! mode. There, a call of an identifier that starts with `$` is not a property lookup but one of these operations, so no
//! program can patch it. Three names are handled by the compiler alone: `$call(f, this, ...args)` and
//! `$construct(f, newTarget, ...args)` become call instructions, `$throw(KIND, "message")` a `ThrowError`.

macro_rules! intrinsics {
    ($($(#[doc = $doc:literal])+ $name:ident $text:literal;)+) => {
        /// An operation that self-hosted code reaches by a `$` name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Intrinsic {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Intrinsic {
            /// All intrinsics in order of their numbers.
            pub const ALL: &'static [Intrinsic] = &[$(Intrinsic::$name,)+];

            /// The name in self-hosted source.
            pub const fn text(self) -> &'static str {
                match self { $(Intrinsic::$name => $text,)+ }
            }

            /// The intrinsic of this number.
            pub fn from_number(number: u32) -> Option<Intrinsic> {
                Self::ALL.get(number as usize).copied()
            }

            /// The intrinsic with this `$` name.
            pub fn from_text(text: &str) -> Option<Intrinsic> {
                Self::ALL.iter().copied().find(|i| i.text() == text)
            }
        }
    };
}

intrinsics! {
    /// `$isCallable(v)`
    IsCallable "$isCallable";
    /// `$isConstructor(v)`
    IsConstructor "$isConstructor";
    /// `$isObject(v)`: is a Value an Object
    IsObject "$isObject";
    /// `$isArray(v)`: IsArray, sees through proxies
    IsArray "$isArray";
    /// `$toObject(v)`
    ToObject "$toObject";
    /// `$toLength(v)`
    ToLength "$toLength";
    /// `$toIntegerOrInfinity(v)`
    ToIntegerOrInfinity "$toIntegerOrInfinity";
    /// `$toNumber(v)`
    ToNumber "$toNumber";
    /// `$toString(v)`
    ToString "$toString";
    /// `$toPropertyKey(v)`
    ToPropertyKey "$toPropertyKey";
    /// `$lengthOf(o)`: LengthOfArrayLike
    LengthOf "$lengthOf";
    /// `$hasProperty(o, k)`
    HasProperty "$hasProperty";
    /// `$hasOwn(o, k)`
    HasOwn "$hasOwn";
    /// `$get(o, k)`: fast for dense arrays; k is a number or property key
    Get "$get";
    /// `$set(o, k, v)`: Set(O, P, V, true)
    Set "$set";
    /// `$createDataProperty(o, k, v)`: CreateDataPropertyOrThrow
    CreateDataProperty "$createDataProperty";
    /// `$tryCreateDataProperty(o, k, v)`: CreateDataProperty, gives a boolean
    TryCreateDataProperty "$tryCreateDataProperty";
    /// `$deleteProperty(o, k)`: [[Delete]], gives a boolean
    DeleteProperty "$deleteProperty";
    /// `$deletePropertyOrThrow(o, k)`
    DeletePropertyOrThrow "$deletePropertyOrThrow";
    /// `$ownKeys(o)`: fresh array of [[OwnPropertyKeys]]
    OwnKeys "$ownKeys";
    /// `$ownEnumerableStringKeys(o)`: EnumerableOwnProperties(O, key) as a fresh array
    OwnEnumerableStringKeys "$ownEnumerableStringKeys";
    /// `$isOwnEnumerable(o, k)`: whether there is an own, enumerable property
    IsOwnEnumerable "$isOwnEnumerable";
    /// `$push(array, v)`: appends to a fresh array that no program has seen
    Push "$push";
    /// `$newArray(length)`: ArrayCreate
    NewArray "$newArray";
    /// `$newObject(prototype)`: OrdinaryObjectCreate
    NewObject "$newObject";
    /// `$arraySpeciesCreate(o, length)`: ArraySpeciesCreate
    ArraySpeciesCreate "$arraySpeciesCreate";
    /// `$typedArraySpeciesCreate(o, length)`: TypedArraySpeciesCreate with a length
    TypedArraySpeciesCreate "$typedArraySpeciesCreate";
    /// `$typedArrayCreate(constructor, length)`: TypedArrayCreateFromCtor with a length
    TypedArrayCreate "$typedArrayCreate";
    /// `$typedArrayCreateSameType(o, length)`: TypedArrayCreateSameType with a length
    TypedArrayCreateSameType "$typedArrayCreateSameType";
    /// `$typedArraySort(o)`: sorts in place without a comparator, gives o
    TypedArraySort "$typedArraySort";
    /// `$validateTypedArray(v)`: ValidateTypedArray, gives the length
    ValidateTypedArray "$validateTypedArray";
    /// `$typedArrayLength(v)`: the current length, 0 when out of bounds
    TypedArrayLength "$typedArrayLength";
    /// `$speciesConstructor(o, default)`
    SpeciesConstructor "$speciesConstructor";
    /// `$sameValueZero(a, b)`
    SameValueZero "$sameValueZero";
    /// `$sameValue(a, b)`
    SameValue "$sameValue";
    /// `$classOf(v)`: a number that names the kind of object, see the runtime's `ClassTag`; 0 for non-objects
    ClassOf "$classOf";
    /// `$builtin("%Name%")`: the intrinsic object of the current realm, for example `$builtin("%Array%")`
    Builtin "$builtin";
    /// `$throwTypeError(message, ...values)`: throws a TypeError; each `{}` in the message is replaced by the next value, rendered for diagnostics
    ThrowTypeError "$throwTypeError";
    /// `$throwRangeError(message, ...values)`
    ThrowRangeError "$throwRangeError";
    /// `$getMethod(v, k)`: GetMethod
    GetMethod "$getMethod";
    /// `$slot(o, n)`: internal slot n of an object made by `$newInternal`
    Slot "$slot";
    /// `$setSlot(o, n, v)`
    SetSlot "$setSlot";
    /// `$newInternal(prototype, class tag, slot count)`: an object with hidden slots for self-hosted state (iterator helpers)
    NewInternal "$newInternal";
    /// `$newTargetPrototype(newTarget, "%Name.prototype%")`: GetPrototypeFromConstructor
    NewTargetPrototype "$newTargetPrototype";
    /// `$sortCompact(o, length)`: SortIndexedProperties(skip-holes) as a fresh array
    SortCompact "$sortCompact";
    /// `$flattenInto(target, index, element)`: FlattenIntoArray of one element with depth 1, gives the next index
    FlattenInto "$flattenInto";
    /// `$sortNumbers(array, comparator)`: sorts a fresh array of Numbers when the comparator only subtracts, gives whether it did
    SortNumbers "$sortNumbers";
    /// `$sortDefault(array)`: sorts a fresh array by the default comparison (ToString), undefined last
    SortDefault "$sortDefault";
    /// `$mapEntries(map, position)`: next live position at or after `position`, or -1; for forEach and set methods
    MapNext "$mapNext";
    /// `$mapKeyAt(map, position)`
    MapKeyAt "$mapKeyAt";
    /// `$mapValueAt(map, position)`
    MapValueAt "$mapValueAt";
    /// `$mapGet(map, key)`: raw lookup in the Map or Set data, undefined when missing
    MapGet "$mapGet";
    /// `$mapHas(map, key)`: raw lookup
    MapHas "$mapHas";
    /// `$mapSet(map, key, value)`: raw insertion
    MapSet "$mapSet";
    /// `$mapDelete(map, key)`: raw deletion, gives a boolean
    MapDelete "$mapDelete";
    /// `$mapSize(map)`: number of live entries
    MapSize "$mapSize";
    /// `$promiseCapability(constructor)`: NewPromiseCapability as an array [promise, resolve, reject]
    PromiseCapability "$promiseCapability";
    /// `$promiseResolve(constructor, value)`: PromiseResolve
    PromiseResolve "$promiseResolve";
    /// `$isPromise(v)`
    IsPromise "$isPromise";
    /// `$regExpBuiltinExec(regexp, string)`: RegExpBuiltinExec
    RegExpBuiltinExec "$regExpBuiltinExec";
    /// `$regExpExecFast(regexp, string)`: RegExpExec when it comes to the built-in `exec`, unobservably; else undefined
    RegExpExecFast "$regExpExecFast";
    /// `$symbolMethod(v, n)`: GetMethod for a well-known symbol of string methods: 0 match, 1 matchAll, 2 replace, 3 search, 4 split
    SymbolMethod "$symbolMethod";
    /// `$regExpReplaceFast(regexp, string, replacement string)`: the whole replacement when the regular expression is pristine, else undefined
    RegExpReplaceFast "$regExpReplaceFast";
    /// `$regExpMatchList(regexp, string)`: the matches that `Symbol.replace` of a pristine regular expression collects, as a flat list
    RegExpMatchList "$regExpMatchList";
    /// `$regExpMatchTexts(regexp, string)`: `Symbol.match` of a pristine regular expression
    RegExpMatchTexts "$regExpMatchTexts";
    /// `$regExpSplitFast(regexp, string, limit)`: `Symbol.split` of a pristine regular expression whose species is built in, else undefined
    RegExpSplitFast "$regExpSplitFast";
    /// `$regExpCreate(pattern, flags)`: RegExpCreate
    RegExpCreate "$regExpCreate";
    /// `$isRegExp(v)`: IsRegExp
    IsRegExp "$isRegExp";
    /// `$stringReplace(string, search, replacement, all)`: replaces the first or all occurrences by a template
    StringReplace "$stringReplace";
    /// `$stringSplit(string, separator, limit)`: `String.prototype.split` without a splitter
    StringSplit "$stringSplit";
    /// `$isPristineRegExp(regexp)`: exec, flags and symbol methods are the original ones
    IsPristineRegExp "$isPristineRegExp";
    /// `$getSubstitution(matched, string, position, captures array, named captures, template)`
    GetSubstitution "$getSubstitution";
    /// `$advanceStringIndex(string, index, unicode)`
    AdvanceStringIndex "$advanceStringIndex";
    /// `$stringIndexOf(string, search, from)`
    StringIndexOf "$stringIndexOf";
    /// `$substring(string, start, end)`
    Substring "$substring";
    /// `$concat(a, b)`: concatenation of two strings
    Concat "$concat";
    /// `$jsonParseText(string)`: JSON.parse without a reviver
    JsonParse "$jsonParse";
    /// `$jsonParseWithSource(string)`: the value and its parse record, see json.js, as a fresh array
    JsonParseWithSource "$jsonParseWithSource";
    /// `$jsonStringify(value, replacer array, space)`: JSON.stringify without a replacer function
    JsonStringify "$jsonStringify";
    /// `$jsonGap(space)`: the indentation that JSON.stringify makes of its third argument
    JsonGap "$jsonGap";
    /// `$jsonPrimitive(v)`: the JSON text of a primitive, wrapper object or raw JSON; undefined for what has none, and other objects
    JsonPrimitive "$jsonPrimitive";
    /// `$jsonThrowCircular(stack, start, key)`: the TypeError for a cycle
    JsonThrowCircular "$jsonThrowCircular";
    /// `$jsonQuote(string)`
    JsonQuote "$jsonQuote";
    /// `$isPristineArray(v)`: a dense array whose holes and prototype cannot be observed
    IsPristineArray "$isPristineArray";
    /// `$setFunctionName(f, key)`
    SetFunctionName "$setFunctionName";
    /// `$defineProperty(o, k, attributes bits, value)`: data property with attributes 1 writable, 2 enumerable, 4 configurable
    DefineProperty "$defineProperty";
    /// `$newError("TypeError", message)`: a new error of the current realm
    NewError "$newError";
    /// `$host(number, ...args)`: an operation of the embedder (extensions of the engine), see the runtime's `host_intrinsics`
    Host "$host";
}
