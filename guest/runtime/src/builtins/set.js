// Methods of Set whose loops call program code, see set.rs.

function Set_require(set, method) {
  if ($classOf(set) !== 9) {
    $throwTypeError("Method Set.prototype." + method + " called on incompatible receiver {}", set);
  }
}

// GetSetRecord ( obj ) <https://tc39.es/ecma262/#sec-getsetrecord>: [object, size, has, keys]
function Set_record(object) {
  if (!$isObject(object)) {
    $throwTypeError("{} is not an object", object);
  }
  const number = $toNumber(object.size);
  if (number !== number) {
    $throwTypeError("The 'size' property must be a number, but is NaN");
  }
  const size = $toIntegerOrInfinity(number);
  if (size < 0) {
    $throwRangeError("'{}' is an invalid size", $toString(size));
  }
  const has = object.has;
  if (!$isCallable(has)) {
    $throwTypeError("The 'has' property must be a function, but is {}", has);
  }
  const keys = object.keys;
  if (!$isCallable(keys)) {
    $throwTypeError("The 'keys' property must be a function, but is {}", keys);
  }
  return [object, size, has, keys];
}

function Set_has(record, value) {
  return !!$call(record[2], record[0], value);
}

// GetIteratorFromMethod for the keys of a set record: [iterator, next]
function Set_keys(record) {
  const iterator = $call(record[3], record[0]);
  if (!$isObject(iterator)) {
    $throwTypeError("{} is not an object", iterator);
  }
  return [iterator, iterator.next];
}

// IteratorStep ( iteratorRecord ): the result object, or undefined when done
function Set_step(keys) {
  const result = $call(keys[1], keys[0]);
  if (!$isObject(result)) {
    $throwTypeError("Iterator result {} is not an object", result);
  }
  return result.done ? void 0 : result;
}

function Set_close(keys) {
  const method = $getMethod(keys[0], "return");
  if (method !== void 0) {
    const result = $call(method, keys[0]);
    if (!$isObject(result)) {
      $throwTypeError("{} is not an object", result);
    }
  }
}

function Set_new() {
  return $construct($builtin("%Set%"), $builtin("%Set%"));
}

function Set_copy(set) {
  const copy = Set_new();
  let position = $mapNext(set, 0);
  while (position >= 0) {
    $mapSet(copy, $mapKeyAt(set, position), void 0);
    position = $mapNext(set, position + 1);
  }
  return copy;
}

// Set.prototype.difference ( other ) <https://tc39.es/ecma262/#sec-set.prototype.difference>
function Set_prototype_difference(other) {
  Set_require(this, "difference");
  const record = Set_record(other);
  const result = Set_copy(this);
  if ($mapSize(this) <= record[1]) {
    let position = $mapNext(this, 0);
    while (position >= 0) {
      const value = $mapKeyAt(this, position);
      if (Set_has(record, value)) {
        $mapDelete(result, value);
      }
      position = $mapNext(this, position + 1);
    }
  } else {
    const keys = Set_keys(record);
    let step;
    while ((step = Set_step(keys)) !== void 0) {
      $mapDelete(result, step.value);
    }
  }
  return result;
}

// Set.prototype.forEach ( callback [ , thisArg ] ) <https://tc39.es/ecma262/#sec-set.prototype.foreach>
function Set_prototype_forEach(callback, thisArg) {
  Set_require(this, "forEach");
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  let position = $mapNext(this, 0);
  while (position >= 0) {
    const value = $mapKeyAt(this, position);
    $call(callback, thisArg, value, value, this);
    position = $mapNext(this, position + 1);
  }
}

// Set.prototype.intersection ( other ) <https://tc39.es/ecma262/#sec-set.prototype.intersection>
function Set_prototype_intersection(other) {
  Set_require(this, "intersection");
  const record = Set_record(other);
  const result = Set_new();
  if ($mapSize(this) <= record[1]) {
    let position = $mapNext(this, 0);
    while (position >= 0) {
      const value = $mapKeyAt(this, position);
      if (Set_has(record, value)) {
        $mapSet(result, value, void 0);
      }
      position = $mapNext(this, position + 1);
    }
  } else {
    const keys = Set_keys(record);
    let step;
    while ((step = Set_step(keys)) !== void 0) {
      const value = step.value;
      if ($mapHas(this, value)) {
        $mapSet(result, value, void 0);
      }
    }
  }
  return result;
}

// Set.prototype.isDisjointFrom ( other ) <https://tc39.es/ecma262/#sec-set.prototype.isdisjointfrom>
function Set_prototype_isDisjointFrom(other) {
  Set_require(this, "isDisjointFrom");
  const record = Set_record(other);
  if ($mapSize(this) <= record[1]) {
    let position = $mapNext(this, 0);
    while (position >= 0) {
      if (Set_has(record, $mapKeyAt(this, position))) {
        return false;
      }
      position = $mapNext(this, position + 1);
    }
    return true;
  }
  const keys = Set_keys(record);
  let step;
  while ((step = Set_step(keys)) !== void 0) {
    if ($mapHas(this, step.value)) {
      Set_close(keys);
      return false;
    }
  }
  return true;
}

// Set.prototype.isSubsetOf ( other ) <https://tc39.es/ecma262/#sec-set.prototype.issubsetof>
function Set_prototype_isSubsetOf(other) {
  Set_require(this, "isSubsetOf");
  const record = Set_record(other);
  if ($mapSize(this) > record[1]) {
    return false;
  }
  let position = $mapNext(this, 0);
  while (position >= 0) {
    if (!Set_has(record, $mapKeyAt(this, position))) {
      return false;
    }
    position = $mapNext(this, position + 1);
  }
  return true;
}

// Set.prototype.isSupersetOf ( other ) <https://tc39.es/ecma262/#sec-set.prototype.issupersetof>
function Set_prototype_isSupersetOf(other) {
  Set_require(this, "isSupersetOf");
  const record = Set_record(other);
  if ($mapSize(this) < record[1]) {
    return false;
  }
  const keys = Set_keys(record);
  let step;
  while ((step = Set_step(keys)) !== void 0) {
    if (!$mapHas(this, step.value)) {
      Set_close(keys);
      return false;
    }
  }
  return true;
}

// Set.prototype.symmetricDifference ( other ) <https://tc39.es/ecma262/#sec-set.prototype.symmetricdifference>
function Set_prototype_symmetricDifference(other) {
  Set_require(this, "symmetricDifference");
  const keys = Set_keys(Set_record(other));
  const result = Set_copy(this);
  let step;
  while ((step = Set_step(keys)) !== void 0) {
    const value = step.value;
    if ($mapHas(this, value)) {
      $mapDelete(result, value);
    } else {
      $mapSet(result, value, void 0);
    }
  }
  return result;
}

// Set.prototype.union ( other ) <https://tc39.es/ecma262/#sec-set.prototype.union>
function Set_prototype_union(other) {
  Set_require(this, "union");
  const keys = Set_keys(Set_record(other));
  const result = Set_copy(this);
  let step;
  while ((step = Set_step(keys)) !== void 0) {
    $mapSet(result, step.value, void 0);
  }
  return result;
}
