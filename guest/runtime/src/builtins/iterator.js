// Iterator helpers, see iterator.rs.
//
// A helper is an object of class 100 with the slots: 0 kind, 1 state, 2 underlying iterator, 3 its next method, 4 function or count,
// 5 counter, 6 inner iterator, 7 its next method. Kinds: 0 drop, 1 filter, 2 flatMap, 3 map, 4 take, 5 concat, 6 zip.
// States: 0 not started, 1 suspended, 2 running, 3 completed.

function Iterator_require(value) {
  if (!$isObject(value)) {
    $throwTypeError("{} is not an object", value);
  }
}

function Iterator_requireFunction(iterator, value) {
  if (!$isCallable(value)) {
    Iterator_closeSilently(iterator);
    $throwTypeError("{} is not a function", value);
  }
}

// IteratorClose with a throw completion
function Iterator_closeSilently(iterator) {
  try {
    const method = $getMethod(iterator, "return");
    if (method !== void 0) {
      $call(method, iterator);
    }
  } catch {
    // The first error stays.
  }
}

// IteratorClose with a normal completion
function Iterator_close(iterator) {
  const method = $getMethod(iterator, "return");
  if (method !== void 0) {
    const result = $call(method, iterator);
    if (!$isObject(result)) {
      $throwTypeError("{} is not an object", result);
    }
  }
}

// IteratorStep: the result object, or undefined when done
function Iterator_step(iterator, next) {
  const result = $call(next, iterator);
  if (!$isObject(result)) {
    $throwTypeError("Iterator result {} is not an object", result);
  }
  return result.done ? void 0 : result;
}

// GetIteratorFlattenable ( obj, reject-primitives )
function Iterator_flattenable(value) {
  Iterator_require(value);
  const method = $getMethod(value, $builtin("%Symbol%").iterator);
  const iterator = method === void 0 ? value : $call(method, value);
  Iterator_require(iterator);
  return iterator;
}

function Iterator_newHelper(kind, iterator, next, argument) {
  const helper = $newInternal($builtin("%IteratorHelperPrototype%"), 100, 8);
  $setSlot(helper, 0, kind);
  $setSlot(helper, 1, 0);
  $setSlot(helper, 2, iterator);
  $setSlot(helper, 3, next);
  $setSlot(helper, 4, argument);
  $setSlot(helper, 5, 0);
  return helper;
}

// The count of drop and take
function Iterator_limit(iterator, limit) {
  let number;
  try {
    number = $toNumber(limit);
  } catch (error) {
    Iterator_closeSilently(iterator);
    throw error;
  }
  if (number !== number) {
    Iterator_closeSilently(iterator);
    $throwRangeError("{} must be positive", $toString(number));
  }
  const integer = $toIntegerOrInfinity(number);
  if (integer < 0) {
    Iterator_closeSilently(iterator);
    $throwRangeError("{} must be positive", $toString(integer));
  }
  if (integer > 9007199254740991 && integer !== 1 / 0) {
    Iterator_closeSilently(iterator);
    $throwRangeError("{} is too large", $toString(integer));
  }
  return integer;
}

// Iterator.concat ( ...items ) <https://tc39.es/proposal-iterator-sequencing/#sec-iterator.concat>
function Iterator_concat(...items) {
  const iterables = [];
  const length = $lengthOf(items);
  for (let i = 0; i < length; i++) {
    const item = items[i];
    Iterator_require(item);
    const method = $getMethod(item, $builtin("%Symbol%").iterator);
    if (method === void 0) {
      $throwTypeError("{} is not iterable", item);
    }
    $push(iterables, item);
    $push(iterables, method);
  }
  return Iterator_newHelper(5, void 0, void 0, iterables);
}

// Iterator.prototype.drop ( limit ) <https://tc39.es/ecma262/#sec-iterator.prototype.drop>
function Iterator_prototype_drop(limit) {
  Iterator_require(this);
  const count = Iterator_limit(this, limit);
  return Iterator_newHelper(0, this, this.next, count);
}

// Iterator.prototype.every ( predicate ) <https://tc39.es/ecma262/#sec-iterator.prototype.every>
function Iterator_prototype_every(predicate) {
  Iterator_require(this);
  Iterator_requireFunction(this, predicate);
  const next = this.next;
  let step;
  for (let counter = 0; (step = Iterator_step(this, next)) !== void 0; counter++) {
    const value = step.value;
    let result;
    try {
      result = $call(predicate, void 0, value, counter);
    } catch (error) {
      Iterator_closeSilently(this);
      throw error;
    }
    if (!result) {
      Iterator_close(this);
      return false;
    }
  }
  return true;
}

// Iterator.prototype.filter ( predicate ) <https://tc39.es/ecma262/#sec-iterator.prototype.filter>
function Iterator_prototype_filter(predicate) {
  Iterator_require(this);
  Iterator_requireFunction(this, predicate);
  return Iterator_newHelper(1, this, this.next, predicate);
}

// Iterator.prototype.find ( predicate ) <https://tc39.es/ecma262/#sec-iterator.prototype.find>
function Iterator_prototype_find(predicate) {
  Iterator_require(this);
  Iterator_requireFunction(this, predicate);
  const next = this.next;
  let step;
  for (let counter = 0; (step = Iterator_step(this, next)) !== void 0; counter++) {
    const value = step.value;
    let result;
    try {
      result = $call(predicate, void 0, value, counter);
    } catch (error) {
      Iterator_closeSilently(this);
      throw error;
    }
    if (result) {
      Iterator_close(this);
      return value;
    }
  }
}

// Iterator.prototype.flatMap ( mapper ) <https://tc39.es/ecma262/#sec-iterator.prototype.flatmap>
function Iterator_prototype_flatMap(mapper) {
  Iterator_require(this);
  Iterator_requireFunction(this, mapper);
  return Iterator_newHelper(2, this, this.next, mapper);
}

// Iterator.prototype.forEach ( procedure ) <https://tc39.es/ecma262/#sec-iterator.prototype.foreach>
function Iterator_prototype_forEach(procedure) {
  Iterator_require(this);
  Iterator_requireFunction(this, procedure);
  const next = this.next;
  let step;
  for (let counter = 0; (step = Iterator_step(this, next)) !== void 0; counter++) {
    const value = step.value;
    try {
      $call(procedure, void 0, value, counter);
    } catch (error) {
      Iterator_closeSilently(this);
      throw error;
    }
  }
}

// Iterator.prototype.map ( mapper ) <https://tc39.es/ecma262/#sec-iterator.prototype.map>
function Iterator_prototype_map(mapper) {
  Iterator_require(this);
  Iterator_requireFunction(this, mapper);
  return Iterator_newHelper(3, this, this.next, mapper);
}

// Iterator.prototype.reduce ( reducer [ , initialValue ] ) <https://tc39.es/ecma262/#sec-iterator.prototype.reduce>
function Iterator_prototype_reduce(reducer, ...initial) {
  Iterator_require(this);
  Iterator_requireFunction(this, reducer);
  const next = this.next;
  let accumulator;
  let counter = 0;
  if ($lengthOf(initial) > 0) {
    accumulator = initial[0];
  } else {
    const first = Iterator_step(this, next);
    if (first === void 0) {
      $throwTypeError("Reduce of a done iterator with no initial value");
    }
    accumulator = first.value;
    counter = 1;
  }
  let step;
  for (; (step = Iterator_step(this, next)) !== void 0; counter++) {
    const value = step.value;
    try {
      accumulator = $call(reducer, void 0, accumulator, value, counter);
    } catch (error) {
      Iterator_closeSilently(this);
      throw error;
    }
  }
  return accumulator;
}

// Iterator.prototype.some ( predicate ) <https://tc39.es/ecma262/#sec-iterator.prototype.some>
function Iterator_prototype_some(predicate) {
  Iterator_require(this);
  Iterator_requireFunction(this, predicate);
  const next = this.next;
  let step;
  for (let counter = 0; (step = Iterator_step(this, next)) !== void 0; counter++) {
    const value = step.value;
    let result;
    try {
      result = $call(predicate, void 0, value, counter);
    } catch (error) {
      Iterator_closeSilently(this);
      throw error;
    }
    if (result) {
      Iterator_close(this);
      return true;
    }
  }
  return false;
}

// Iterator.prototype.take ( limit ) <https://tc39.es/ecma262/#sec-iterator.prototype.take>
function Iterator_prototype_take(limit) {
  Iterator_require(this);
  const count = Iterator_limit(this, limit);
  return Iterator_newHelper(4, this, this.next, count);
}

// Iterator.prototype.toArray ( ) <https://tc39.es/ecma262/#sec-iterator.prototype.toarray>
function Iterator_prototype_toArray() {
  Iterator_require(this);
  const next = this.next;
  const values = [];
  let step;
  while ((step = Iterator_step(this, next)) !== void 0) {
    $push(values, step.value);
  }
  return values;
}

// %IteratorHelperPrototype%.next ( ) <https://tc39.es/ecma262/#sec-%iteratorhelperprototype%.next>
function IteratorHelper_next() {
  if ($classOf(this) !== 100) {
    $throwTypeError("Iterator Helper.prototype.next called on incompatible receiver {}", this);
  }
  const state = $slot(this, 1);
  if (state === 2) {
    $throwTypeError("Generator is already running");
  }
  if (state === 3) {
    return { value: void 0, done: true };
  }
  $setSlot(this, 1, 2);
  // Completed, should the rest throw.
  let after = 3;
  try {
    let result;
    switch ($slot(this, 0)) {
      case 0: result = IteratorHelper_drop(this); break;
      case 1: result = IteratorHelper_filter(this); break;
      case 2: result = IteratorHelper_flatMap(this); break;
      case 3: result = IteratorHelper_map(this); break;
      case 4: result = IteratorHelper_take(this); break;
      case 5: result = IteratorHelper_concat(this); break;
      default: result = IteratorHelper_zip(this); break;
    }
    if (!result.done) {
      after = 1;
    }
    return result;
  } finally {
    $setSlot(this, 1, after);
  }
}

function IteratorHelper_drop(helper) {
  const iterator = $slot(helper, 2);
  const next = $slot(helper, 3);
  let remaining = $slot(helper, 4);
  $setSlot(helper, 4, 0);
  while (remaining > 0) {
    remaining--;
    if (Iterator_step(iterator, next) === void 0) {
      return { value: void 0, done: true };
    }
  }
  const step = Iterator_step(iterator, next);
  return step === void 0 ? { value: void 0, done: true } : { value: step.value, done: false };
}

function IteratorHelper_filter(helper) {
  const iterator = $slot(helper, 2);
  const next = $slot(helper, 3);
  const predicate = $slot(helper, 4);
  let step;
  while ((step = Iterator_step(iterator, next)) !== void 0) {
    const value = step.value;
    const counter = $slot(helper, 5);
    $setSlot(helper, 5, counter + 1);
    let selected;
    try {
      selected = $call(predicate, void 0, value, counter);
    } catch (error) {
      Iterator_closeSilently(iterator);
      throw error;
    }
    if (selected) {
      return { value: value, done: false };
    }
  }
  return { value: void 0, done: true };
}

function IteratorHelper_flatMap(helper) {
  const iterator = $slot(helper, 2);
  const next = $slot(helper, 3);
  for (;;) {
    const inner = $slot(helper, 6);
    if (inner !== void 0) {
      let step;
      let value;
      try {
        step = Iterator_step(inner, $slot(helper, 7));
        if (step !== void 0) {
          value = step.value;
        }
      } catch (error) {
        Iterator_closeSilently(iterator);
        throw error;
      }
      if (step !== void 0) {
        return { value: value, done: false };
      }
      $setSlot(helper, 6, void 0);
    }
    const step = Iterator_step(iterator, next);
    if (step === void 0) {
      return { value: void 0, done: true };
    }
    const value = step.value;
    const counter = $slot(helper, 5);
    $setSlot(helper, 5, counter + 1);
    try {
      const started = Iterator_flattenable($call($slot(helper, 4), void 0, value, counter));
      $setSlot(helper, 7, started.next);
      $setSlot(helper, 6, started);
    } catch (error) {
      Iterator_closeSilently(iterator);
      throw error;
    }
  }
}

function IteratorHelper_map(helper) {
  const iterator = $slot(helper, 2);
  const step = Iterator_step(iterator, $slot(helper, 3));
  if (step === void 0) {
    return { value: void 0, done: true };
  }
  const value = step.value;
  const counter = $slot(helper, 5);
  $setSlot(helper, 5, counter + 1);
  try {
    return { value: $call($slot(helper, 4), void 0, value, counter), done: false };
  } catch (error) {
    Iterator_closeSilently(iterator);
    throw error;
  }
}

function IteratorHelper_take(helper) {
  const iterator = $slot(helper, 2);
  const remaining = $slot(helper, 4);
  if (remaining === 0) {
    Iterator_close(iterator);
    return { value: void 0, done: true };
  }
  $setSlot(helper, 4, remaining - 1);
  const step = Iterator_step(iterator, $slot(helper, 3));
  return step === void 0 ? { value: void 0, done: true } : { value: step.value, done: false };
}

function IteratorHelper_concat(helper) {
  const iterables = $slot(helper, 4);
  const length = $lengthOf(iterables);
  for (;;) {
    const inner = $slot(helper, 6);
    if (inner !== void 0) {
      const step = Iterator_step(inner, $slot(helper, 7));
      if (step !== void 0) {
        return { value: step.value, done: false };
      }
      $setSlot(helper, 6, void 0);
    }
    const index = $slot(helper, 5);
    if (index >= length) {
      return { value: void 0, done: true };
    }
    $setSlot(helper, 5, index + 2);
    const started = $call(iterables[index + 1], iterables[index]);
    Iterator_require(started);
    $setSlot(helper, 7, started.next);
    $setSlot(helper, 6, started);
  }
}

// %IteratorHelperPrototype%.return ( ) <https://tc39.es/ecma262/#sec-%iteratorhelperprototype%.return>
function IteratorHelper_return() {
  if ($classOf(this) !== 100) {
    $throwTypeError("Iterator Helper.prototype.return called on incompatible receiver {}", this);
  }
  const state = $slot(this, 1);
  if (state === 2) {
    $throwTypeError("Generator is already running");
  }
  if (state === 3) {
    return { value: void 0, done: true };
  }
  const kind = $slot(this, 0);
  const iterator = $slot(this, 2);
  if (state === 0) {
    // Nothing has run yet: only the underlying iterators are closed, by an object that is completed already.
    $setSlot(this, 1, 3);
    if (kind === 6) {
      Zip_closeAll($slot(this, 4));
    } else if (kind !== 5) {
      Iterator_close(iterator);
    }
    return { value: void 0, done: true };
  }
  $setSlot(this, 1, 2);
  try {
    const inner = $slot(this, 6);
    if (kind === 6) {
      Zip_closeAll($slot(this, 4));
    } else if (inner === void 0) {
      if (kind !== 5) {
        Iterator_close(iterator);
      }
    } else if (kind === 5) {
      Iterator_close(inner);
    } else {
      try {
        Iterator_close(inner);
      } catch (error) {
        Iterator_closeSilently(iterator);
        throw error;
      }
      Iterator_close(iterator);
    }
  } finally {
    $setSlot(this, 1, 3);
  }
  return { value: void 0, done: true };
}

// %WrapForValidIteratorPrototype%.next ( ) <https://tc39.es/ecma262/#sec-%wrapforvaliditeratorprototype%.next>
function WrapForValidIterator_next() {
  if ($classOf(this) !== 101) {
    $throwTypeError("%WrapForValidIteratorPrototype%.next called on incompatible receiver {}", this);
  }
  return $call($slot(this, 1), $slot(this, 0));
}

// %WrapForValidIteratorPrototype%.return ( ) <https://tc39.es/ecma262/#sec-%wrapforvaliditeratorprototype%.return>
function WrapForValidIterator_return() {
  if ($classOf(this) !== 101) {
    $throwTypeError("%WrapForValidIteratorPrototype%.return called on incompatible receiver {}", this);
  }
  const iterator = $slot(this, 0);
  const method = $getMethod(iterator, "return");
  return method === void 0 ? { value: void 0, done: true } : $call(method, iterator);
}

// ---- Joint iteration <https://tc39.es/proposal-joint-iteration/>
//
// The state of a zip is the array in slot 4: [iterators, next methods, padding, mode, keys or undefined]; a finished iterator is
// undefined in its list. Modes: "shortest", "longest", "strict".

// Iterator.zip ( iterables [ , options ] )
function Iterator_zip(iterables, options) {
  Iterator_require(iterables);
  const mode = Zip_mode(options);
  let paddingOption;
  if (mode === "longest") {
    paddingOption = options.padding;
    if (paddingOption !== void 0) {
      Iterator_require(paddingOption);
    }
  }
  const iterators = [];
  const nexts = [];
  const inputMethod = $getMethod(iterables, $builtin("%Symbol%").iterator);
  if (inputMethod === void 0) {
    $throwTypeError("{} is not iterable", iterables);
  }
  const input = $call(inputMethod, iterables);
  Iterator_require(input);
  const inputNext = input.next;
  for (;;) {
    let value;
    let step;
    try {
      step = Iterator_step(input, inputNext);
      if (step !== void 0) {
        value = step.value;
      }
    } catch (error) {
      Zip_closeSilently(iterators);
      throw error;
    }
    if (step === void 0) {
      break;
    }
    try {
      const iterator = Iterator_flattenable(value);
      const next = iterator.next;
      $push(iterators, iterator);
      $push(nexts, next);
    } catch (error) {
      Zip_closeSilently(iterators);
      Iterator_closeSilently(input);
      throw error;
    }
  }
  const count = $lengthOf(iterators);
  const padding = [];
  if (mode === "longest") {
    if (paddingOption === void 0) {
      for (let i = 0; i < count; i++) {
        $push(padding, void 0);
      }
    } else {
      try {
        const method = $getMethod(paddingOption, $builtin("%Symbol%").iterator);
        if (method === void 0) {
          $throwTypeError("{} is not iterable", paddingOption);
        }
        const iterator = $call(method, paddingOption);
        Iterator_require(iterator);
        const next = iterator.next;
        let isOpen = true;
        for (let i = 0; i < count; i++) {
          const step = isOpen ? Iterator_step(iterator, next) : void 0;
          isOpen = step !== void 0;
          $push(padding, isOpen ? step.value : void 0);
        }
        if (isOpen) {
          Iterator_close(iterator);
        }
      } catch (error) {
        Zip_closeSilently(iterators);
        throw error;
      }
    }
  }
  return Iterator_newHelper(6, void 0, void 0, [iterators, nexts, padding, mode, void 0]);
}

// Iterator.zipKeyed ( iterables [ , options ] )
function Iterator_zipKeyed(iterables, options) {
  Iterator_require(iterables);
  const mode = Zip_mode(options);
  let paddingOption;
  if (mode === "longest") {
    paddingOption = options.padding;
    if (paddingOption !== void 0) {
      Iterator_require(paddingOption);
    }
  }
  const iterators = [];
  const nexts = [];
  const keys = [];
  const allKeys = $ownKeys(iterables);
  const total = $lengthOf(allKeys);
  for (let i = 0; i < total; i++) {
    const key = allKeys[i];
    try {
      if ($isOwnEnumerable(iterables, key)) {
        const value = $get(iterables, key);
        if (value !== void 0) {
          const iterator = Iterator_flattenable(value);
          const next = iterator.next;
          $push(keys, key);
          $push(iterators, iterator);
          $push(nexts, next);
        }
      }
    } catch (error) {
      Zip_closeSilently(iterators);
      throw error;
    }
  }
  const count = $lengthOf(iterators);
  const padding = [];
  if (mode === "longest") {
    for (let i = 0; i < count; i++) {
      let value;
      if (paddingOption !== void 0) {
        try {
          value = $get(paddingOption, keys[i]);
        } catch (error) {
          Zip_closeSilently(iterators);
          throw error;
        }
      }
      $push(padding, value);
    }
  }
  return Iterator_newHelper(6, void 0, void 0, [iterators, nexts, padding, mode, keys]);
}

function Zip_mode(options) {
  if (options === void 0) {
    return "shortest";
  }
  Iterator_require(options);
  const mode = options.mode;
  if (mode === void 0) {
    return "shortest";
  }
  if (mode !== "shortest" && mode !== "longest" && mode !== "strict") {
    $throwTypeError("{} is not a valid mode", mode);
  }
  return mode;
}

// IteratorCloseAll with a throw completion, from the last to the first
function Zip_closeSilently(iterators) {
  for (let i = $lengthOf(iterators) - 1; i >= 0; i--) {
    if (iterators[i] !== void 0) {
      Iterator_closeSilently(iterators[i]);
    }
  }
}

// IteratorCloseAll with a normal completion: the first error stays
function Zip_closeAll(state) {
  const iterators = state[0];
  for (let i = $lengthOf(iterators) - 1; i >= 0; i--) {
    const iterator = iterators[i];
    if (iterator !== void 0) {
      iterators[i] = void 0;
      try {
        Iterator_close(iterator);
      } catch (error) {
        Zip_closeSilently(iterators);
        throw error;
      }
    }
  }
}

function IteratorHelper_zip(helper) {
  const state = $slot(helper, 4);
  const iterators = state[0];
  const nexts = state[1];
  const mode = state[3];
  const count = $lengthOf(iterators);
  if (count === 0) {
    return { value: void 0, done: true };
  }
  const results = [];
  let open = 0;
  for (let i = 0; i < count; i++) {
    const iterator = iterators[i];
    if (iterator === void 0) {
      $push(results, state[2][i]);
      continue;
    }
    let step;
    let value;
    try {
      step = Iterator_step(iterator, nexts[i]);
      if (step !== void 0) {
        value = step.value;
      }
    } catch (error) {
      iterators[i] = void 0;
      Zip_closeSilently(iterators);
      throw error;
    }
    if (step !== void 0) {
      open++;
      $push(results, value);
      continue;
    }
    iterators[i] = void 0;
    if (mode === "shortest") {
      Zip_closeAll(state);
      return { value: void 0, done: true };
    }
    if (mode === "strict") {
      if (i !== 0) {
        Zip_closeSilently(iterators);
        $throwTypeError("Iterators passed to Iterator.zip with mode \"strict\" have different lengths");
      }
      Zip_requireAllDone(iterators, nexts, count);
      return { value: void 0, done: true };
    }
    $push(results, state[2][i]);
  }
  if (open === 0 && mode === "longest") {
    return { value: void 0, done: true };
  }
  const keys = state[4];
  if (keys === void 0) {
    return { value: results, done: false };
  }
  const object = $newObject(null);
  for (let i = 0; i < count; i++) {
    $createDataProperty(object, keys[i], results[i]);
  }
  return { value: object, done: false };
}

// The first iterator of a strict zip is done: so must be the others.
function Zip_requireAllDone(iterators, nexts, count) {
  for (let i = 1; i < count; i++) {
    let isDone;
    try {
      isDone = Iterator_step(iterators[i], nexts[i]) === void 0;
    } catch (error) {
      iterators[i] = void 0;
      Zip_closeSilently(iterators);
      throw error;
    }
    if (!isDone) {
      Zip_closeSilently(iterators);
      $throwTypeError("Iterators passed to Iterator.zip with mode \"strict\" have different lengths");
    }
    iterators[i] = void 0;
  }
}
