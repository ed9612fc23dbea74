// The methods of %RegExp.prototype% that call `exec` of the program, or a replacement function.

function regExpExec(regexp, string) {
  const fast = $regExpExecFast(regexp, string);
  if (fast !== undefined) return fast;
  const exec = $get(regexp, "exec");
  if ($isCallable(exec)) {
    const result = $call(exec, regexp, string);
    if (result !== null && !$isObject(result)) {
      $throwTypeError("the exec method of a regular expression must give an object or null");
    }
    return result;
  }
  return $regExpBuiltinExec(regexp, string);
}

function hasFlag(flags, letter) {
  return $stringIndexOf(flags, letter, 0) !== -1;
}

function hasEitherUnicode(flags) {
  return hasFlag(flags, "u") || hasFlag(flags, "v");
}

function advanceLastIndex(regexp, string, isUnicode) {
  const index = $toLength($get(regexp, "lastIndex"));
  $set(regexp, "lastIndex", $advanceStringIndex(string, index, isUnicode));
}

// https://tc39.es/ecma262/#sec-regexp.prototype-%symbol.match%
function RegExp_prototype_match(string) {
  if (!$isObject(this)) $throwTypeError("RegExp.prototype.@@match called on incompatible receiver {}", this);
  const text = $toString(string);
  if ($isPristineRegExp(this)) return $regExpMatchTexts(this, text);
  const flags = $toString($get(this, "flags"));
  if (!hasFlag(flags, "g")) return regExpExec(this, text);
  const isUnicode = hasEitherUnicode(flags);
  $set(this, "lastIndex", 0);
  const matches = [];
  for (;;) {
    const result = regExpExec(this, text);
    if (result === null) return $lengthOf(matches) === 0 ? null : matches;
    const matched = $toString($get(result, 0));
    $push(matches, matched);
    if (matched === "") advanceLastIndex(this, text, isUnicode);
  }
}

// https://tc39.es/ecma262/#sec-regexp-prototype-matchall
function RegExp_prototype_matchAll(string) {
  if (!$isObject(this)) $throwTypeError("RegExp.prototype.@@matchAll called on incompatible receiver {}", this);
  const text = $toString(string);
  const constructor = $speciesConstructor(this, $builtin("%RegExp%"));
  const flags = $toString($get(this, "flags"));
  const matcher = $construct(constructor, constructor, this, flags);
  $set(matcher, "lastIndex", $toLength($get(this, "lastIndex")));
  const iterator = $newInternal($builtin("%RegExpStringIteratorPrototype%"), 120, 5);
  $setSlot(iterator, 0, matcher);
  $setSlot(iterator, 1, text);
  $setSlot(iterator, 2, hasFlag(flags, "g"));
  $setSlot(iterator, 3, hasEitherUnicode(flags));
  $setSlot(iterator, 4, false);
  return iterator;
}

// https://tc39.es/ecma262/#sec-%regexpstringiteratorprototype%.next
function RegExpStringIterator_next() {
  if ($classOf(this) !== 120) {
    $throwTypeError("next method called on incompatible receiver {}", this);
  }
  if ($slot(this, 4)) return { value: undefined, done: true };
  const regexp = $slot(this, 0);
  const text = $slot(this, 1);
  const result = regExpExec(regexp, text);
  if (result === null) {
    $setSlot(this, 4, true);
    return { value: undefined, done: true };
  }
  if (!$slot(this, 2)) {
    $setSlot(this, 4, true);
    return { value: result, done: false };
  }
  if ($toString($get(result, 0)) === "") advanceLastIndex(regexp, text, $slot(this, 3));
  return { value: result, done: false };
}

// https://tc39.es/ecma262/#sec-regexp.prototype-%symbol.replace%
function RegExp_prototype_replace(string, replaceValue) {
  if (!$isObject(this)) $throwTypeError("RegExp.prototype.@@replace called on incompatible receiver {}", this);
  const text = $toString(string);
  const isFunction = $isCallable(replaceValue);
  const replacement = isFunction ? replaceValue : $toString(replaceValue);
  if ($isPristineRegExp(this)) {
    if (isFunction) return replacePristine(this, text, replacement);
    return $regExpReplaceFast(this, text, replacement);
  }
  const results = collectResults(this, text);
  const count = $lengthOf(results);
  let accumulated = "";
  let nextPosition = 0;
  for (let i = 0; i < count; i++) {
    const result = $get(results, i);
    const captureCount = $lengthOf(result);
    const matched = $toString($get(result, 0));
    let position = $toIntegerOrInfinity($get(result, "index"));
    if (position < 0) position = 0;
    else if (position > text.length) position = text.length;
    const captures = [];
    for (let n = 1; n < captureCount; n++) {
      const capture = $get(result, n);
      $push(captures, capture === undefined ? undefined : $toString(capture));
    }
    let named = $get(result, "groups");
    let substitution;
    if (isFunction) {
      const values = [matched];
      for (let n = 1; n < captureCount; n++) $push(values, $get(captures, n - 1));
      $push(values, position);
      $push(values, text);
      if (named !== undefined) $push(values, named);
      substitution = $toString($call(replacement, undefined, ...values));
    } else {
      if (named !== undefined) named = $toObject(named);
      substitution = $getSubstitution(matched, text, position, captures, named, replacement);
    }
    if (position >= nextPosition) {
      accumulated = $concat($concat(accumulated, $substring(text, nextPosition, position)), substitution);
      nextPosition = position + matched.length;
    }
  }
  if (nextPosition >= text.length) return accumulated;
  return $concat(accumulated, $substring(text, nextPosition, text.length));
}

// The list holds the number of groups, then for each match its position, text, groups and named groups.
function replacePristine(regexp, text, replacement) {
  const list = $regExpMatchList(regexp, text);
  const end = $lengthOf(list);
  const groupCount = $get(list, 0);
  let accumulated = "";
  let nextPosition = 0;
  for (let at = 1; at < end; at += groupCount + 3) {
    const position = $get(list, at);
    const matched = $get(list, at + 1);
    const named = $get(list, at + groupCount + 2);
    let substitution;
    if (named !== undefined || groupCount > 2) {
      const values = [];
      for (let n = 0; n <= groupCount; n++) $push(values, $get(list, at + 1 + n));
      $push(values, position);
      $push(values, text);
      if (named !== undefined) $push(values, named);
      substitution = $call(replacement, undefined, ...values);
    } else if (groupCount === 0) {
      substitution = $call(replacement, undefined, matched, position, text);
    } else if (groupCount === 1) {
      substitution = $call(replacement, undefined, matched, $get(list, at + 2), position, text);
    } else {
      substitution = $call(replacement, undefined, matched, $get(list, at + 2), $get(list, at + 3), position, text);
    }
    substitution = $toString(substitution);
    accumulated = $concat($concat(accumulated, $substring(text, nextPosition, position)), substitution);
    nextPosition = position + matched.length;
  }
  if (nextPosition >= text.length) return accumulated;
  return $concat(accumulated, $substring(text, nextPosition, text.length));
}

function collectResults(regexp, text) {
  const flags = $toString($get(regexp, "flags"));
  const isGlobal = hasFlag(flags, "g");
  const isUnicode = hasEitherUnicode(flags);
  if (isGlobal) $set(regexp, "lastIndex", 0);
  const results = [];
  for (;;) {
    const result = regExpExec(regexp, text);
    if (result === null) return results;
    $push(results, result);
    if (!isGlobal) return results;
    if ($toString($get(result, 0)) === "") advanceLastIndex(regexp, text, isUnicode);
  }
}

function isUint32(value) {
  return typeof value === "number" && value >>> 0 === value;
}

// https://tc39.es/ecma262/#sec-regexp.prototype-%symbol.split%
function RegExp_prototype_split(string, limit) {
  if (!$isObject(this)) $throwTypeError("RegExp.prototype.@@split called on incompatible receiver {}", this);
  const text = $toString(string);
  if (limit === undefined || isUint32(limit)) {
    const fast = $regExpSplitFast(this, text, limit);
    if (fast !== undefined) return fast;
  }
  const constructor = $speciesConstructor(this, $builtin("%RegExp%"));
  const flags = $toString($get(this, "flags"));
  const isUnicode = hasEitherUnicode(flags);
  const splitter = $construct(constructor, constructor, this, hasFlag(flags, "y") ? flags : $concat(flags, "y"));
  const parts = [];
  const most = limit === undefined ? 4294967295 : $toNumber(limit) >>> 0;
  if (most === 0) return parts;
  if (text.length === 0) {
    if (regExpExec(splitter, text) !== null) return parts;
    $push(parts, text);
    return parts;
  }
  const size = text.length;
  let partStart = 0;
  let searchFrom = 0;
  while (searchFrom < size) {
    $set(splitter, "lastIndex", searchFrom);
    const result = regExpExec(splitter, text);
    if (result === null) {
      searchFrom = $advanceStringIndex(text, searchFrom, isUnicode);
      continue;
    }
    let end = $toLength($get(splitter, "lastIndex"));
    if (end > size) end = size;
    if (end === partStart) {
      searchFrom = $advanceStringIndex(text, searchFrom, isUnicode);
      continue;
    }
    $push(parts, $substring(text, partStart, searchFrom));
    if ($lengthOf(parts) === most) return parts;
    partStart = end;
    const captureCount = $lengthOf(result);
    for (let n = 1; n < captureCount; n++) {
      $push(parts, $get(result, n));
      if ($lengthOf(parts) === most) return parts;
    }
    searchFrom = partStart;
  }
  $push(parts, $substring(text, partStart, size));
  return parts;
}
