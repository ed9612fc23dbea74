// Methods of Map whose loops call program code, see map.rs.

// Map.groupBy ( items, callback ) <https://tc39.es/ecma262/#sec-map.groupby>
function Map_groupBy(items, callback) {
  if (items === void 0 || items === null) {
    $throwTypeError("{} is not iterable", items);
  }
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  const map = $construct($builtin("%Map%"), $builtin("%Map%"));
  let k = 0;
  for (const value of items) {
    const key = $call(callback, void 0, value, k);
    k++;
    const group = $mapGet(map, key);
    if (group === void 0) {
      const created = [];
      $push(created, value);
      $mapSet(map, key, created);
    } else {
      $push(group, value);
    }
  }
  return map;
}

// Map.prototype.forEach ( callback [ , thisArg ] ) <https://tc39.es/ecma262/#sec-map.prototype.foreach>
function Map_prototype_forEach(callback, thisArg) {
  if ($classOf(this) !== 8) {
    $throwTypeError("Method Map.prototype.forEach called on incompatible receiver {}", this);
  }
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  let position = $mapNext(this, 0);
  while (position >= 0) {
    $call(callback, thisArg, $mapValueAt(this, position), $mapKeyAt(this, position), this);
    position = $mapNext(this, position + 1);
  }
}

// Map.prototype.getOrInsertComputed ( key, callback ) <https://tc39.es/proposal-upsert/#sec-map.prototype.getOrInsertComputed>
function Map_prototype_getOrInsertComputed(key, callback) {
  if ($classOf(this) !== 8) {
    $throwTypeError("Method Map.prototype.getOrInsertComputed called on incompatible receiver {}", this);
  }
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  if ($mapHas(this, key)) {
    return $mapGet(this, key);
  }
  const value = $call(callback, void 0, key === 0 ? 0 : key);
  $mapSet(this, key, value);
  return value;
}
