// Methods of Array whose loops call program code, see array.rs.

// Array.from ( items [ , mapper [ , thisArg ] ] ) <https://tc39.es/ecma262/#sec-array.from>
function Array_from(items, mapper, thisArg) {
  const isMapping = mapper !== void 0;
  if (isMapping && !$isCallable(mapper)) {
    $throwTypeError("{} is not a function", mapper);
  }
  if (items === void 0 || items === null) {
    $throwTypeError("{} is not iterable (cannot read property Symbol(Symbol.iterator))", items);
  }
  const method = $getMethod(items, $builtin("%Symbol%").iterator);
  let k = 0;
  if (method !== void 0) {
    const result = $isConstructor(this) ? $construct(this, this) : [];
    if (isMapping) {
      for (const value of iterableOf("iterator", method, items)) {
        $createDataProperty(result, k, $call(mapper, thisArg, value, k));
        k++;
      }
    } else {
      for (const value of iterableOf("iterator", method, items)) {
        $createDataProperty(result, k, value);
        k++;
      }
    }
    result.length = k;
    return result;
  }
  const source = $toObject(items);
  const length = $lengthOf(source);
  const result = $isConstructor(this) ? $construct(this, this, length) : $newArray(length);
  for (; k < length; k++) {
    const value = source[k];
    $createDataProperty(result, k, isMapping ? $call(mapper, thisArg, value, k) : value);
  }
  result.length = length;
  return result;
}

// Array.fromAsync ( asyncItems [ , mapper [ , thisArg ] ] ) <https://tc39.es/ecma262/#sec-array.fromasync>
async function Array_fromAsync(items, mapper, thisArg) {
  const isMapping = mapper !== void 0;
  if (isMapping && !$isCallable(mapper)) {
    $throwTypeError("{} is not a function", mapper);
  }
  if (items === void 0 || items === null) {
    $throwTypeError("{} is not iterable (cannot read property Symbol(Symbol.iterator))", items);
  }
  let kind = "asyncIterator";
  let method = $getMethod(items, $builtin("%Symbol%").asyncIterator);
  if (method === void 0) {
    kind = "iterator";
    method = $getMethod(items, $builtin("%Symbol%").iterator);
  }
  let k = 0;
  if (method !== void 0) {
    const result = $isConstructor(this) ? $construct(this, this) : [];
    for await (const value of iterableOf(kind, method, items)) {
      $createDataProperty(result, k, isMapping ? await $call(mapper, thisArg, value, k) : value);
      k++;
    }
    result.length = k;
    return result;
  }
  const source = $toObject(items);
  const length = $lengthOf(source);
  const result = $isConstructor(this) ? $construct(this, this, length) : $newArray(length);
  for (; k < length; k++) {
    let value = await source[k];
    if (isMapping) {
      value = await $call(mapper, thisArg, value, k);
    }
    $createDataProperty(result, k, value);
  }
  result.length = length;
  return result;
}

// Array.prototype.every ( callback [ , thisArg ] ) <https://tc39.es/ecma262/#sec-array.prototype.every>
function Array_prototype_every(callback, thisArg) {
  const object = $toObject(this);
  const length = $lengthOf(object);
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  for (let k = 0; k < length; k++) {
    if (k in object && !$call(callback, thisArg, object[k], k, object)) {
      return false;
    }
  }
  return true;
}

// Array.prototype.filter ( callback [ , thisArg ] ) <https://tc39.es/ecma262/#sec-array.prototype.filter>
function Array_prototype_filter(callback, thisArg) {
  const object = $toObject(this);
  const length = $lengthOf(object);
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  const result = $arraySpeciesCreate(object, 0);
  let to = 0;
  for (let k = 0; k < length; k++) {
    if (k in object) {
      const value = object[k];
      if ($call(callback, thisArg, value, k, object)) {
        $createDataProperty(result, to, value);
        to++;
      }
    }
  }
  return result;
}

// Array.prototype.find ( predicate [ , thisArg ] ) <https://tc39.es/ecma262/#sec-array.prototype.find>
function Array_prototype_find(predicate, thisArg) {
  const object = $toObject(this);
  const length = $lengthOf(object);
  if (!$isCallable(predicate)) {
    $throwTypeError("{} is not a function", predicate);
  }
  for (let k = 0; k < length; k++) {
    const value = object[k];
    if ($call(predicate, thisArg, value, k, object)) {
      return value;
    }
  }
}

// Array.prototype.findIndex ( predicate [ , thisArg ] ) <https://tc39.es/ecma262/#sec-array.prototype.findindex>
function Array_prototype_findIndex(predicate, thisArg) {
  const object = $toObject(this);
  const length = $lengthOf(object);
  if (!$isCallable(predicate)) {
    $throwTypeError("{} is not a function", predicate);
  }
  for (let k = 0; k < length; k++) {
    if ($call(predicate, thisArg, object[k], k, object)) {
      return k;
    }
  }
  return -1;
}

// Array.prototype.findLast ( predicate [ , thisArg ] ) <https://tc39.es/ecma262/#sec-array.prototype.findlast>
function Array_prototype_findLast(predicate, thisArg) {
  const object = $toObject(this);
  const length = $lengthOf(object);
  if (!$isCallable(predicate)) {
    $throwTypeError("{} is not a function", predicate);
  }
  for (let k = length - 1; k >= 0; k--) {
    const value = object[k];
    if ($call(predicate, thisArg, value, k, object)) {
      return value;
    }
  }
}

// Array.prototype.findLastIndex ( predicate [ , thisArg ] ) <https://tc39.es/ecma262/#sec-array.prototype.findlastindex>
function Array_prototype_findLastIndex(predicate, thisArg) {
  const object = $toObject(this);
  const length = $lengthOf(object);
  if (!$isCallable(predicate)) {
    $throwTypeError("{} is not a function", predicate);
  }
  for (let k = length - 1; k >= 0; k--) {
    if ($call(predicate, thisArg, object[k], k, object)) {
      return k;
    }
  }
  return -1;
}

// Array.prototype.flatMap ( mapper [ , thisArg ] ) <https://tc39.es/ecma262/#sec-array.prototype.flatmap>
function Array_prototype_flatMap(mapper, thisArg) {
  const object = $toObject(this);
  const length = $lengthOf(object);
  if (!$isCallable(mapper)) {
    $throwTypeError("flatMap mapper function is not callable");
  }
  const result = $arraySpeciesCreate(object, 0);
  let to = 0;
  for (let k = 0; k < length; k++) {
    if (k in object) {
      to = $flattenInto(result, to, $call(mapper, thisArg, object[k], k, object));
    }
  }
  return result;
}

// Array.prototype.forEach ( callback [ , thisArg ] ) <https://tc39.es/ecma262/#sec-array.prototype.foreach>
function Array_prototype_forEach(callback, thisArg) {
  const object = $toObject(this);
  const length = $lengthOf(object);
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  for (let k = 0; k < length; k++) {
    if (k in object) {
      $call(callback, thisArg, object[k], k, object);
    }
  }
}

// Array.prototype.map ( callback [ , thisArg ] ) <https://tc39.es/ecma262/#sec-array.prototype.map>
function Array_prototype_map(callback, thisArg) {
  const object = $toObject(this);
  const length = $lengthOf(object);
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  const result = $arraySpeciesCreate(object, length);
  for (let k = 0; k < length; k++) {
    if (k in object) {
      $createDataProperty(result, k, $call(callback, thisArg, object[k], k, object));
    }
  }
  return result;
}

// Array.prototype.reduce ( callback [ , initialValue ] ) <https://tc39.es/ecma262/#sec-array.prototype.reduce>
function Array_prototype_reduce(callback, ...initial) {
  const object = $toObject(this);
  const length = $lengthOf(object);
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  let k = 0;
  let accumulator;
  if (initial.length > 0) {
    accumulator = initial[0];
  } else {
    while (k < length && !(k in object)) {
      k++;
    }
    if (k >= length) {
      $throwTypeError("Reduce of empty array with no initial value");
    }
    accumulator = object[k];
    k++;
  }
  for (; k < length; k++) {
    if (k in object) {
      accumulator = $call(callback, void 0, accumulator, object[k], k, object);
    }
  }
  return accumulator;
}

// Array.prototype.reduceRight ( callback [ , initialValue ] ) <https://tc39.es/ecma262/#sec-array.prototype.reduceright>
function Array_prototype_reduceRight(callback, ...initial) {
  const object = $toObject(this);
  const length = $lengthOf(object);
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  let k = length - 1;
  let accumulator;
  if (initial.length > 0) {
    accumulator = initial[0];
  } else {
    while (k >= 0 && !(k in object)) {
      k--;
    }
    if (k < 0) {
      $throwTypeError("Reduce of empty array with no initial value");
    }
    accumulator = object[k];
    k--;
  }
  for (; k >= 0; k--) {
    if (k in object) {
      accumulator = $call(callback, void 0, accumulator, object[k], k, object);
    }
  }
  return accumulator;
}

// Array.prototype.some ( callback [ , thisArg ] ) <https://tc39.es/ecma262/#sec-array.prototype.some>
function Array_prototype_some(callback, thisArg) {
  const object = $toObject(this);
  const length = $lengthOf(object);
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  for (let k = 0; k < length; k++) {
    if (k in object && $call(callback, thisArg, object[k], k, object)) {
      return true;
    }
  }
  return false;
}

// Array.prototype.sort ( comparator ) <https://tc39.es/ecma262/#sec-array.prototype.sort>
function Array_prototype_sort(comparator) {
  if (comparator !== void 0 && !$isCallable(comparator)) {
    $throwTypeError("The comparison function must be either a function or undefined");
  }
  const object = $toObject(this);
  const length = $lengthOf(object);
  let sorted = $sortCompact(object, length, false);
  const count = sorted.length;
  sorted = comparator === void 0 ? $sortDefault(sorted) : mergeSort(sorted, comparator);
  let k = 0;
  for (; k < count; k++) {
    object[k] = sorted[k];
  }
  for (; k < length; k++) {
    $deletePropertyOrThrow(object, k);
  }
  return object;
}

// Array.prototype.toSorted ( comparator ) <https://tc39.es/ecma262/#sec-array.prototype.tosorted>
function Array_prototype_toSorted(comparator) {
  if (comparator !== void 0 && !$isCallable(comparator)) {
    $throwTypeError("The comparison function must be either a function or undefined");
  }
  const object = $toObject(this);
  const length = $lengthOf(object);
  if (length > 4294967295) {
    $throwRangeError("Invalid array length");
  }
  const items = $sortCompact(object, length, true);
  return comparator === void 0 ? $sortDefault(items) : mergeSort(items, comparator);
}
