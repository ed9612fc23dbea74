// Functions of Object whose loops call program code, see object.rs.

// Object.fromEntries ( iterable ) <https://tc39.es/ecma262/#sec-object.fromentries>
function Object_fromEntries(iterable) {
  if (iterable === void 0 || iterable === null) {
    $throwTypeError("{} is not iterable", iterable);
  }
  const result = {};
  for (const entry of iterable) {
    if (!$isObject(entry)) {
      $throwTypeError("Iterator value {} is not an entry object", entry);
    }
    const key = entry[0];
    const value = entry[1];
    $createDataProperty(result, key, value);
  }
  return result;
}

// Object.groupBy ( items, callback ) <https://tc39.es/ecma262/#sec-object.groupby>
function Object_groupBy(items, callback) {
  if (items === void 0 || items === null) {
    $throwTypeError("{} is not iterable", items);
  }
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  const groups = $newObject(null);
  let k = 0;
  for (const value of items) {
    const key = $toPropertyKey($call(callback, void 0, value, k));
    const group = groups[key];
    if (group === void 0) {
      $createDataProperty(groups, key, [value]);
    } else {
      $push(group, value);
    }
    k++;
  }
  return groups;
}
