// The parts of JSON that call program code in their loops, see json.rs.

// JSON.parse ( text [ , reviver ] ) <https://tc39.es/ecma262/#sec-json.parse>
function JSON_parse(text, reviver) {
  const string = $toString(text);
  if (!$isCallable(reviver)) {
    return $jsonParse(string);
  }
  const parsed = $jsonParseWithSource(string);
  const root = { "": parsed[0] };
  return JSON_internalize(root, "", reviver, parsed[1]);
}

// InternalizeJSONProperty ( holder, name, reviver, parseRecord ) <https://tc39.es/ecma262/#sec-internalizejsonproperty>
//
// A record is an array: [value, source text] of a primitive, [array, records], [object, null-prototype object of records by key].
// Once the program has changed a value, its record does not count any more.
function JSON_internalize(holder, name, reviver, record) {
  const value = $get(holder, name);
  const context = {};
  let known = record !== void 0 && $sameValue(record[0], value) ? record[1] : void 0;
  if ($isObject(value)) {
    if ($isArray(value)) {
      const length = $lengthOf(value);
      const count = known === void 0 ? 0 : $lengthOf(known);
      for (let i = 0; i < length; i++) {
        JSON_reviveElement(value, $toString(i), reviver, i < count ? known[i] : void 0);
      }
    } else {
      const keys = $ownEnumerableStringKeys(value);
      const count = $lengthOf(keys);
      for (let i = 0; i < count; i++) {
        const key = keys[i];
        const child = known !== void 0 && $hasOwn(known, key) ? $get(known, key) : void 0;
        JSON_reviveElement(value, key, reviver, child);
      }
    }
  } else if (known !== void 0) {
    context.source = known;
  }
  return $call(reviver, holder, name, value, context);
}

function JSON_reviveElement(holder, key, reviver, record) {
  const element = JSON_internalize(holder, key, reviver, record);
  if (element === void 0) {
    $deleteProperty(holder, key);
  } else {
    $tryCreateDataProperty(holder, key, element);
  }
}

// JSON.stringify ( value [ , replacer [ , space ] ] ) <https://tc39.es/ecma262/#sec-json.stringify>
function JSON_stringify(value, replacer, space) {
  if (!$isCallable(replacer)) {
    return $jsonStringify(value, replacer, space);
  }
  const gap = $jsonGap(space);
  return JSON_serialize({ "": value }, "", replacer, gap, "", []);
}

// SerializeJSONProperty ( state, key, holder ) <https://tc39.es/ecma262/#sec-serializejsonproperty>
function JSON_serialize(holder, key, replacer, gap, indent, stack) {
  let value = $get(holder, key);
  if ($isObject(value) || typeof value === "bigint") {
    const toJSON = $get(value, "toJSON");
    if ($isCallable(toJSON)) {
      value = $call(toJSON, value, key);
    }
  }
  value = $call(replacer, holder, key, value);
  if (!$isObject(value)) {
    return $jsonPrimitive(value);
  }
  const simple = $jsonPrimitive(value);
  if (simple !== void 0 || $isCallable(value)) {
    return simple;
  }
  const depth = $lengthOf(stack);
  for (let i = 0; i < depth; i += 2) {
    if (stack[i] === value) {
      $jsonThrowCircular(stack, i, key);
    }
  }
  $push(stack, value);
  $push(stack, key);
  const inner = indent + gap;
  const separator = gap === "" ? "," : ",\n" + inner;
  let text = "";
  if ($isArray(value)) {
    const length = $lengthOf(value);
    for (let i = 0; i < length; i++) {
      const element = JSON_serialize(value, $toString(i), replacer, gap, inner, stack);
      text += (i === 0 ? "" : separator) + (element === void 0 ? "null" : element);
    }
    text = length === 0 ? "[]" : gap === "" ? "[" + text + "]" : "[\n" + inner + text + "\n" + indent + "]";
  } else {
    const keys = $ownEnumerableStringKeys(value);
    const count = $lengthOf(keys);
    const colon = gap === "" ? ":" : ": ";
    let isEmpty = true;
    for (let i = 0; i < count; i++) {
      const name = keys[i];
      const property = JSON_serialize(value, name, replacer, gap, inner, stack);
      if (property !== void 0) {
        text += (isEmpty ? "" : separator) + $jsonQuote(name) + colon + property;
        isEmpty = false;
      }
    }
    text = isEmpty ? "{}" : gap === "" ? "{" + text + "}" : "{\n" + inner + text + "\n" + indent + "}";
  }
  stack.length = depth;
  return text;
}
