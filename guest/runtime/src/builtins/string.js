// The methods of %String.prototype% that call a method of their argument, or a replacement function.

function requireCoercible(receiver, name) {
  if (receiver === undefined || receiver === null) {
    $throwTypeError($concat($concat("String.prototype.", name), " called on null or undefined"));
  }
}

// The method of an object under a well-known symbol: 0 match, 1 matchAll, 2 replace, 3 search, 4 split.
function methodOf(argument, symbol) {
  return $isObject(argument) ? $symbolMethod(argument, symbol) : undefined;
}

function invokeOn(regexp, symbol, text) {
  return $call($symbolMethod(regexp, symbol), regexp, text);
}

// https://tc39.es/ecma262/#sec-string.prototype.match
function String_prototype_match(regexp) {
  requireCoercible(this, "match");
  const matcher = methodOf(regexp, 0);
  if (matcher !== undefined) return $call(matcher, regexp, this);
  const text = $toString(this);
  return invokeOn($regExpCreate(regexp, undefined), 0, text);
}

// https://tc39.es/ecma262/#sec-string.prototype.matchall
function String_prototype_matchAll(regexp) {
  requireCoercible(this, "matchAll");
  requireGlobal(regexp, "String.prototype.matchAll called with a non-global RegExp argument");
  const matcher = methodOf(regexp, 1);
  if (matcher !== undefined) return $call(matcher, regexp, this);
  const text = $toString(this);
  return invokeOn($regExpCreate(regexp, "g"), 1, text);
}

// A regular expression without the flag g is refused.
function requireGlobal(argument, message) {
  if (!$isObject(argument) || !$isRegExp(argument)) return;
  const flags = $get(argument, "flags");
  if (flags === undefined || flags === null) $throwTypeError(message);
  if ($stringIndexOf($toString(flags), "g", 0) === -1) $throwTypeError(message);
}

// https://tc39.es/ecma262/#sec-string.prototype.replace
function String_prototype_replace(searchValue, replaceValue) {
  requireCoercible(this, "replace");
  const replacer = methodOf(searchValue, 2);
  if (replacer !== undefined) return $call(replacer, searchValue, this, replaceValue);
  const text = $toString(this);
  const search = $toString(searchValue);
  if (!$isCallable(replaceValue)) return $stringReplace(text, search, $toString(replaceValue), false);
  const position = $stringIndexOf(text, search, 0);
  if (position === -1) return text;
  const replacement = $toString($call(replaceValue, undefined, search, position, text));
  const start = $concat($substring(text, 0, position), replacement);
  return $concat(start, $substring(text, position + search.length, text.length));
}

// https://tc39.es/ecma262/#sec-string.prototype.replaceall
function String_prototype_replaceAll(searchValue, replaceValue) {
  requireCoercible(this, "replaceAll");
  requireGlobal(searchValue, "String.prototype.replaceAll called with a non-global RegExp argument");
  const replacer = methodOf(searchValue, 2);
  if (replacer !== undefined) return $call(replacer, searchValue, this, replaceValue);
  const text = $toString(this);
  const search = $toString(searchValue);
  if (!$isCallable(replaceValue)) return $stringReplace(text, search, $toString(replaceValue), true);
  const advance = search.length === 0 ? 1 : search.length;
  let result = "";
  let next = 0;
  let position = $stringIndexOf(text, search, 0);
  while (position !== -1) {
    const replacement = $toString($call(replaceValue, undefined, search, position, text));
    result = $concat($concat(result, $substring(text, next, position)), replacement);
    next = position + search.length;
    position = $stringIndexOf(text, search, position + advance);
  }
  return next < text.length ? $concat(result, $substring(text, next, text.length)) : result;
}

// https://tc39.es/ecma262/#sec-string.prototype.search
function String_prototype_search(regexp) {
  requireCoercible(this, "search");
  const searcher = methodOf(regexp, 3);
  if (searcher !== undefined) return $call(searcher, regexp, this);
  const text = $toString(this);
  return invokeOn($regExpCreate(regexp, undefined), 3, text);
}

// https://tc39.es/ecma262/#sec-string.prototype.split
function String_prototype_split(separator, limit) {
  requireCoercible(this, "split");
  const splitter = methodOf(separator, 4);
  if (splitter !== undefined) return $call(splitter, separator, this, limit);
  return $stringSplit($toString(this), separator, limit);
}
