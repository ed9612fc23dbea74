// Functions and methods of %TypedArray% whose loops call program code, see typed_array.rs.

// %TypedArray%.from ( source [ , mapper [ , thisArg ] ] ) <https://tc39.es/ecma262/#sec-%typedarray%.from>
function TypedArray_from(source, mapper, thisArg) {
  if (!$isConstructor(this)) {
    $throwTypeError("{} is not a constructor", this);
  }
  const isMapping = mapper !== void 0;
  if (isMapping && !$isCallable(mapper)) {
    $throwTypeError("{} is not a function", mapper);
  }
  if (source === void 0 || source === null) {
    $throwTypeError("{} is not iterable", source);
  }
  const method = $getMethod(source, $builtin("%Symbol%").iterator);
  let values;
  if (method !== void 0) {
    values = [];
    for (const value of iterableOf("iterator", method, source)) {
      $push(values, value);
    }
  } else {
    values = $toObject(source);
  }
  const length = $lengthOf(values);
  const target = $typedArrayCreate(this, length);
  for (let k = 0; k < length; k++) {
    const value = values[k];
    target[k] = isMapping ? $call(mapper, thisArg, value, k) : value;
  }
  return target;
}

// %TypedArray%.prototype.every ( callback [ , thisArg ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.every>
function TypedArray_prototype_every(callback, thisArg) {
  const length = $validateTypedArray(this);
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  for (let k = 0; k < length; k++) {
    if (!$call(callback, thisArg, this[k], k, this)) {
      return false;
    }
  }
  return true;
}

// %TypedArray%.prototype.filter ( callback [ , thisArg ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.filter>
function TypedArray_prototype_filter(callback, thisArg) {
  const length = $validateTypedArray(this);
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  const kept = [];
  for (let k = 0; k < length; k++) {
    const value = this[k];
    if ($call(callback, thisArg, value, k, this)) {
      $push(kept, value);
    }
  }
  const count = kept.length;
  const result = $typedArraySpeciesCreate(this, count);
  for (let k = 0; k < count; k++) {
    result[k] = kept[k];
  }
  return result;
}

// %TypedArray%.prototype.find ( predicate [ , thisArg ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.find>
function TypedArray_prototype_find(predicate, thisArg) {
  const length = $validateTypedArray(this);
  if (!$isCallable(predicate)) {
    $throwTypeError("{} is not a function", predicate);
  }
  for (let k = 0; k < length; k++) {
    const value = this[k];
    if ($call(predicate, thisArg, value, k, this)) {
      return value;
    }
  }
}

// %TypedArray%.prototype.findIndex ( predicate [ , thisArg ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.findindex>
function TypedArray_prototype_findIndex(predicate, thisArg) {
  const length = $validateTypedArray(this);
  if (!$isCallable(predicate)) {
    $throwTypeError("{} is not a function", predicate);
  }
  for (let k = 0; k < length; k++) {
    if ($call(predicate, thisArg, this[k], k, this)) {
      return k;
    }
  }
  return -1;
}

// %TypedArray%.prototype.findLast ( predicate [ , thisArg ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.findlast>
function TypedArray_prototype_findLast(predicate, thisArg) {
  const length = $validateTypedArray(this);
  if (!$isCallable(predicate)) {
    $throwTypeError("{} is not a function", predicate);
  }
  for (let k = length - 1; k >= 0; k--) {
    const value = this[k];
    if ($call(predicate, thisArg, value, k, this)) {
      return value;
    }
  }
}

// %TypedArray%.prototype.findLastIndex ( predicate [ , thisArg ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.findlastindex>
function TypedArray_prototype_findLastIndex(predicate, thisArg) {
  const length = $validateTypedArray(this);
  if (!$isCallable(predicate)) {
    $throwTypeError("{} is not a function", predicate);
  }
  for (let k = length - 1; k >= 0; k--) {
    if ($call(predicate, thisArg, this[k], k, this)) {
      return k;
    }
  }
  return -1;
}

// %TypedArray%.prototype.forEach ( callback [ , thisArg ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.foreach>
function TypedArray_prototype_forEach(callback, thisArg) {
  const length = $validateTypedArray(this);
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  for (let k = 0; k < length; k++) {
    $call(callback, thisArg, this[k], k, this);
  }
}

// %TypedArray%.prototype.map ( callback [ , thisArg ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.map>
function TypedArray_prototype_map(callback, thisArg) {
  const length = $validateTypedArray(this);
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  const result = $typedArraySpeciesCreate(this, length);
  for (let k = 0; k < length; k++) {
    result[k] = $call(callback, thisArg, this[k], k, this);
  }
  return result;
}

// %TypedArray%.prototype.reduce ( callback [ , initialValue ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.reduce>
function TypedArray_prototype_reduce(callback, ...initial) {
  const length = $validateTypedArray(this);
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  let k = 0;
  let accumulator;
  if (initial.length > 0) {
    accumulator = initial[0];
  } else {
    if (length === 0) {
      $throwTypeError("Reduce of empty array with no initial value");
    }
    accumulator = this[0];
    k = 1;
  }
  for (; k < length; k++) {
    accumulator = $call(callback, void 0, accumulator, this[k], k, this);
  }
  return accumulator;
}

// %TypedArray%.prototype.reduceRight ( callback [ , initialValue ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.reduceright>
function TypedArray_prototype_reduceRight(callback, ...initial) {
  const length = $validateTypedArray(this);
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  let k = length - 1;
  let accumulator;
  if (initial.length > 0) {
    accumulator = initial[0];
  } else {
    if (length === 0) {
      $throwTypeError("Reduce of empty array with no initial value");
    }
    accumulator = this[k];
    k--;
  }
  for (; k >= 0; k--) {
    accumulator = $call(callback, void 0, accumulator, this[k], k, this);
  }
  return accumulator;
}

// %TypedArray%.prototype.some ( callback [ , thisArg ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.some>
function TypedArray_prototype_some(callback, thisArg) {
  const length = $validateTypedArray(this);
  if (!$isCallable(callback)) {
    $throwTypeError("{} is not a function", callback);
  }
  for (let k = 0; k < length; k++) {
    if ($call(callback, thisArg, this[k], k, this)) {
      return true;
    }
  }
  return false;
}

// %TypedArray%.prototype.sort ( comparator ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.sort>
function TypedArray_prototype_sort(comparator) {
  if (comparator !== void 0 && !$isCallable(comparator)) {
    $throwTypeError("The comparison function must be either a function or undefined");
  }
  const length = $validateTypedArray(this);
  if (comparator === void 0) {
    return $typedArraySort(this);
  }
  const sorted = mergeSort(elementsOf(this, length), comparator);
  const current = $typedArrayLength(this);
  for (let k = 0; k < length && k < current; k++) {
    this[k] = sorted[k];
  }
  return this;
}

// %TypedArray%.prototype.toSorted ( comparator ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.tosorted>
function TypedArray_prototype_toSorted(comparator) {
  if (comparator !== void 0 && !$isCallable(comparator)) {
    $throwTypeError("The comparison function must be either a function or undefined");
  }
  const length = $validateTypedArray(this);
  const result = $typedArrayCreateSameType(this, length);
  if (comparator === void 0) {
    for (let k = 0; k < length; k++) {
      result[k] = this[k];
    }
    return $typedArraySort(result);
  }
  const sorted = mergeSort(elementsOf(this, length), comparator);
  for (let k = 0; k < length; k++) {
    result[k] = sorted[k];
  }
  return result;
}

function elementsOf(array, length) {
  const elements = [];
  for (let k = 0; k < length; k++) {
    $push(elements, array[k]);
  }
  return elements;
}
