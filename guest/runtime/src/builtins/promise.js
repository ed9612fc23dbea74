// Functions of Promise whose loops call program code, see promise.rs.
//
// $promiseCapability gives [promise, resolve, reject].

// GetPromiseResolve ( promiseConstructor ) <https://tc39.es/ecma262/#sec-getpromiseresolve>
function Promise_resolveOf(constructor) {
  const resolve = constructor.resolve;
  if (!$isCallable(resolve)) {
    $throwTypeError("Promise resolve or reject function is not callable");
  }
  return resolve;
}

// Promise.all ( iterable ) <https://tc39.es/ecma262/#sec-promise.all>
function Promise_all(iterable) {
  if (!$isObject(this)) {
    $throwTypeError("Promise.all called on non-object");
  }
  const capability = $promiseCapability(this);
  const resolve = capability[1];
  const reject = capability[2];
  try {
    const promiseResolve = Promise_resolveOf(this);
    const values = [];
    let remaining = 1;
    let count = 0;
    for (const item of iterable) {
      const index = count++;
      $push(values, void 0);
      const promise = $call(promiseResolve, this, item);
      let isCalled = false;
      remaining++;
      $call(promise.then, promise, (value) => {
        if (!isCalled) {
          isCalled = true;
          values[index] = value;
          if (--remaining === 0) {
            return $call(resolve, void 0, values);
          }
        }
      }, reject);
    }
    if (--remaining === 0) {
      $call(resolve, void 0, values);
    }
  } catch (error) {
    $call(reject, void 0, error);
  }
  return capability[0];
}

// Promise.allSettled ( iterable ) <https://tc39.es/ecma262/#sec-promise.allsettled>
function Promise_allSettled(iterable) {
  if (!$isObject(this)) {
    $throwTypeError("Promise.allSettled called on non-object");
  }
  const capability = $promiseCapability(this);
  const resolve = capability[1];
  const reject = capability[2];
  try {
    const promiseResolve = Promise_resolveOf(this);
    const values = [];
    let remaining = 1;
    let count = 0;
    for (const item of iterable) {
      const index = count++;
      $push(values, void 0);
      const promise = $call(promiseResolve, this, item);
      let isCalled = false;
      remaining++;
      $call(promise.then, promise, (value) => {
        if (!isCalled) {
          isCalled = true;
          values[index] = { status: "fulfilled", value: value };
          if (--remaining === 0) {
            return $call(resolve, void 0, values);
          }
        }
      }, (reason) => {
        if (!isCalled) {
          isCalled = true;
          values[index] = { status: "rejected", reason: reason };
          if (--remaining === 0) {
            return $call(resolve, void 0, values);
          }
        }
      });
    }
    if (--remaining === 0) {
      $call(resolve, void 0, values);
    }
  } catch (error) {
    $call(reject, void 0, error);
  }
  return capability[0];
}

// Promise.any ( iterable ) <https://tc39.es/ecma262/#sec-promise.any>
function Promise_any(iterable) {
  if (!$isObject(this)) {
    $throwTypeError("Promise.any called on non-object");
  }
  const capability = $promiseCapability(this);
  const resolve = capability[1];
  const reject = capability[2];
  try {
    const promiseResolve = Promise_resolveOf(this);
    const errors = [];
    let remaining = 1;
    let count = 0;
    for (const item of iterable) {
      const index = count++;
      $push(errors, void 0);
      const promise = $call(promiseResolve, this, item);
      let isCalled = false;
      remaining++;
      $call(promise.then, promise, resolve, (reason) => {
        if (!isCalled) {
          isCalled = true;
          errors[index] = reason;
          if (--remaining === 0) {
            return $call(reject, void 0, Promise_aggregateError(errors));
          }
        }
      });
    }
    if (--remaining === 0) {
      throw Promise_aggregateError(errors);
    }
  } catch (error) {
    $call(reject, void 0, error);
  }
  return capability[0];
}

function Promise_aggregateError(errors) {
  const error = $newError("AggregateError", "All promises were rejected");
  $defineProperty(error, "errors", 5, errors);
  return error;
}

// Promise.race ( iterable ) <https://tc39.es/ecma262/#sec-promise.race>
function Promise_race(iterable) {
  if (!$isObject(this)) {
    $throwTypeError("Promise.race called on non-object");
  }
  const capability = $promiseCapability(this);
  const resolve = capability[1];
  const reject = capability[2];
  try {
    const promiseResolve = Promise_resolveOf(this);
    for (const item of iterable) {
      const promise = $call(promiseResolve, this, item);
      $call(promise.then, promise, resolve, reject);
    }
  } catch (error) {
    $call(reject, void 0, error);
  }
  return capability[0];
}

// Promise.prototype.finally ( onFinally ) <https://tc39.es/ecma262/#sec-promise.prototype.finally>
function Promise_prototype_finally(onFinally) {
  if (!$isObject(this)) {
    $throwTypeError("Promise.prototype.finally called on non-object");
  }
  const constructor = $speciesConstructor(this, $builtin("%Promise%"));
  if (!$isCallable(onFinally)) {
    return $call(this.then, this, onFinally, onFinally);
  }
  return $call(this.then, this, (value) => {
    const promise = $promiseResolve(constructor, $call(onFinally, void 0));
    return $call(promise.then, promise, () => value);
  }, (reason) => {
    const promise = $promiseResolve(constructor, $call(onFinally, void 0));
    return $call(promise.then, promise, () => {
      throw reason;
    });
  });
}
