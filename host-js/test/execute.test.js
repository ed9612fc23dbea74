// Programs through the host: calls, outcomes, cancellation, limits, and what is left after them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CodeMode, ConfigurationError, Extension, Tool } from '../dist/index.js';

async function valueOf(code, config = {}) {
  const result = await CodeMode.execute({ code, ...config });
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

async function errorOf(code, config = {}) {
  const result = await CodeMode.execute({ code, ...config });
  assert.ok(!result.ok, JSON.stringify(result));
  return result.error;
}

/** A tool that waits until it is cancelled, and remembers that. */
function endlessTool() {
  const state = { started: 0, cancelled: 0 };
  const execute = (_input, { signal }) =>
    new Promise((resolve) => {
      state.started++;
      signal.addEventListener('abort', () => {
        state.cancelled++;
        resolve();
      });
    });
  return { state, execute };
}

test('a program without tools', async () => {
  const result = await CodeMode.execute({ code: 'return 1 + 1' });
  assert.equal(result.ok, true);
  assert.equal(result.value, 2);
  assert.deepEqual(result.output, []);
  assert.deepEqual(result.toolCalls, []);
  assert.ok(result.usage.steps >= 0);
});

test('tools of nested records, dotted names and plain functions', async () => {
  const tools = {
    orders: { lookup: Tool.make({ description: 'One order', execute: ({ id }) => ({ id, open: true }) }) },
    'math.square': async ({ n }) => n * n,
    hello: () => 'hi',
  };
  assert.deepEqual(
    await valueOf('return [await tools.orders.lookup({ id: "o1" }), await tools.math.square({ n: 3 }), await tools.hello()]', { tools }),
    [{ id: 'o1', open: true }, 9, 'hi'],
  );
});

test('a tool is entered when the program calls it, before the program goes on', async () => {
  const log = [];
  const tools = { note: ({ text }) => void log.push(text) };
  await CodeMode.execute({
    code: 'const a = tools.note({ text: "a" }); console.log("between"); await tools.note({ text: "b" }); await a;',
    tools,
    onOutput: ({ text }) => log.push(text),
  });
  assert.deepEqual(log, ['a', 'between', 'b']);
});

test('calls run concurrently', async () => {
  let running = 0;
  let most = 0;
  const tools = {
    slow: async ({ n }) => {
      most = Math.max(most, ++running);
      await sleep(20);
      running--;
      return n;
    },
  };
  const value = await valueOf('return await Promise.all([1, 2, 3, 4, 5].map((n) => tools.slow({ n })))', { tools });
  assert.deepEqual(value, [1, 2, 3, 4, 5]);
  assert.equal(most, 5);
});

test('results cross as JSON', async () => {
  const tools = {
    get: ({ what }) =>
      ({ undefined: undefined, null: null, date: new Date(0), nested: { a: [1, { b: undefined }], c: undefined }, text: '\u{1F600}\uFEFF\0' })[what],
  };
  const get = (what) => valueOf(`const v = await tools.get({ what: '${what}' }); return v === undefined ? 'absent' : v`, { tools });
  assert.equal(await get('undefined'), 'absent');
  assert.equal(await get('null'), null);
  assert.equal(await get('date'), '1970-01-01T00:00:00.000Z');
  assert.deepEqual(await get('nested'), { a: [1, {}] });
  assert.equal(await get('text'), '\u{1F600}\uFEFF\0');
});

test('a result that JSON cannot say is an invalid output', async () => {
  const cyclic = {};
  cyclic.self = cyclic;
  for (const value of [1n, cyclic]) {
    const error = await errorOf('return await tools.get({})', { tools: { get: () => value } });
    assert.equal(error.kind, 'InvalidToolOutput');
    assert.match(error.message, /Invalid output from tool 'get'/);
  }
});

test('what a tool throws is an error that the program can catch', async () => {
  const tools = {
    fail: () => {
      throw Object.assign(new RangeError('too far'), { code: 7, detail: { a: 1 }, [Symbol('s')]: 1, fn: noop, big: 1n });
    },
    reject: () => Promise.reject('just text'),
  };
  const noop = () => {};
  const value = await valueOf(
    `const seen = [];
     for (const tool of [tools.fail, tools.reject]) {
       try { await tool({}); } catch (e) { seen.push([e instanceof Error, e.name, e.message, e.code, e.detail]); }
     }
     return seen`,
    { tools },
  );
  assert.deepEqual(value, [
    [true, 'RangeError', 'too far', 7, { a: 1 }],
    [true, 'Error', 'just text', null, null],
  ]);
});

test('an uncaught tool failure keeps its kind', async () => {
  const error = await errorOf('await tools.fail({})', {
    tools: {
      fail() {
        throw new Error('no such file');
      },
    },
  });
  assert.equal(error.kind, 'ToolFailure');
  assert.match(error.message, /no such file/);
});

test('anything may be thrown', async () => {
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error('trap');
      },
      ownKeys() {
        throw new Error('trap');
      },
    },
  );
  for (const thrown of [undefined, null, 0, Symbol('s'), { message: 5 }, [], () => 1, hostile, Object.create(null)]) {
    const error = await errorOf('await tools.fail({})', {
      tools: {
        fail() {
          throw thrown;
        },
      },
    });
    assert.equal(error.kind, 'ToolFailure');
  }
});

test('inputs are checked against the schema before the tool runs', async () => {
  let called = false;
  const tools = {
    lookup: Tool.make({
      description: 'd',
      input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      execute: () => {
        called = true;
      },
    }),
  };
  const error = await errorOf('await tools.lookup({ id: 42 })', { tools });
  assert.equal(error.kind, 'InvalidToolInput');
  assert.equal(called, false);
});

test('an unknown tool is a failure with a suggestion', async () => {
  const error = await errorOf('await tools.orders.lookUp({})', { tools: { orders: { lookup: () => 1 } } });
  assert.equal(error.kind, 'UnknownTool');
  assert.match(error.message, /orders\.lookup/);
});

test('calls that nobody awaits are cancelled at the end', async () => {
  const { state, execute } = endlessTool();
  const result = await CodeMode.execute({ code: 'tools.wait({}); return "done"', tools: { wait: execute } });
  assert.equal(result.value, 'done');
  assert.deepEqual(state, { started: 1, cancelled: 1 });
  assert.equal(result.toolCalls[0].status, 'cancelled');
});

test('the signal stops a program that waits', async () => {
  const { state, execute } = endlessTool();
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('user left')), 20);
  const result = await CodeMode.make({ tools: { wait: execute } }).execute('await tools.wait({})', { signal: controller.signal });
  assert.equal(result.ok, false);
  assert.equal(result.error.kind, 'Aborted');
  assert.match(result.error.message, /user left/);
  assert.deepEqual(state, { started: 1, cancelled: 1 });
});

test('the signal stops a program that computes', async () => {
  const error = await errorOf('for (;;);', { signal: AbortSignal.timeout(30) });
  assert.equal(error.kind, 'Aborted');
});

test('a signal that has aborted before the start', async () => {
  let called = false;
  const error = await errorOf('await tools.f({})', { signal: AbortSignal.abort(), tools: { f: () => (called = true) } });
  assert.equal(error.kind, 'Aborted');
  assert.equal(called, false);
});

test('the timeout ends waiting and computing', async () => {
  const { state, execute } = endlessTool();
  for (const code of ['await tools.wait({})', 'for (;;);', 'await new Promise((r) => setTimeout(r, 60000))']) {
    const start = performance.now();
    const error = await errorOf(code, { tools: { wait: execute }, limits: { timeoutMs: 60 } });
    assert.equal(error.kind, 'TimeoutExceeded');
    assert.match(error.message, /timed out after 60ms/);
    assert.ok(performance.now() - start < 2_000);
  }
  assert.deepEqual(state, { started: 1, cancelled: 1 });
});

test('other limits', async () => {
  assert.equal((await errorOf('for (;;) await tools.f({})', { tools: { f: () => 1 }, limits: { maxToolCalls: 3 } })).kind, 'ToolCallLimitExceeded');
  assert.equal((await errorOf('for (;;);', { limits: { maxSteps: 1_000 } })).kind, 'StepLimitExceeded');
  assert.equal(
    (await errorOf('const keep = []; for (;;) keep.push({ a: [1, 2, 3] });', { limits: { maxMemoryBytes: 8_000_000 } })).kind,
    'MemoryLimitExceeded',
  );
});

test('a program that can never go on ends', { timeout: 10_000 }, async () => {
  const error = await errorOf('await new Promise(() => {})');
  assert.ok(['Stalled', 'Aborted'].includes(error.kind), error.kind);
});

test('the host is intact after failures', async () => {
  const codeMode = CodeMode.make({ limits: { timeoutMs: 2_000, maxMemoryBytes: 16_000_000 } });
  for (const code of ['const f = () => f(); f()', '((', 'throw 1', 'let s = "x"; for (;;) s += s;', 'const a = []; for (;;) a.push([])']) {
    assert.equal((await codeMode.execute(code)).ok, false, code);
    assert.equal((await codeMode.execute('return 7')).value, 7);
  }
});

test('executions share nothing and may overlap', async () => {
  const codeMode = CodeMode.make({ tools: { wait: () => sleep(5) } });
  const code = (n) => `Array.prototype.mark ??= 0; Array.prototype.mark += ${n}; await tools.wait({}); return [].mark`;
  const results = await Promise.all([1, 2, 3, 4].map((n) => codeMode.execute(code(n))));
  assert.deepEqual(
    results.map(({ value }) => value),
    [1, 2, 3, 4],
  );
});

test('output comes as it is produced, and in the result', async () => {
  const items = [];
  const tools = { mark: () => void items.push('mark') };
  const result = await CodeMode.execute({
    code: 'text("a"); await tools.mark({}); console.log("b", 1); text({ c: 1 });',
    tools,
    onOutput: (item) => items.push(item),
  });
  const output = [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b 1', console: true },
    { type: 'text', text: '{"c":1}' },
  ];
  assert.deepEqual(result.output, output);
  assert.deepEqual(items, [output[0], 'mark', ...output.slice(1)]);
});

test('a fault of a callback of the host rejects', async () => {
  const { state, execute } = endlessTool();
  const onOutput = () => {
    throw new Error('mine');
  };
  await assert.rejects(CodeMode.execute({ code: 'tools.wait({}); text("a"); await tools.wait({})', tools: { wait: execute }, onOutput }), /mine/);
  assert.equal(state.cancelled, state.started);
});

test('extensions are globals', async () => {
  const extensions = [
    Extension.make({ name: 'sums', globals: { add: (a, b) => a + b, stats: { max: (...numbers) => Math.max(...numbers) } } }),
  ];
  assert.deepEqual(await valueOf('return [await add(1, 2), await stats.max(3, 9, 4)]', { extensions }), [3, 9]);
});

test('hooks see calls and may deny them', async () => {
  const log = [];
  const hooks = {
    tool: {
      before(call) {
        log.push(['before', call.name, call.input]);
        if (call.input.secret) throw new Error('denied');
      },
      after: (call, { status }) => log.push(['after', call.name, status]),
    },
    extension: { before: ({ extension, name, args }) => log.push([extension, name, args]) },
  };
  let ran = 0;
  const result = await CodeMode.execute({
    code: 'await ext(1, "a"); await tools.f({ n: 1 }); try { await tools.f({ secret: true }); } catch (e) { return e.message }',
    tools: { f: () => void ran++ },
    extensions: [Extension.make({ name: 'more', globals: { ext: () => null } })],
    hooks,
  });
  assert.equal(result.value, 'denied');
  assert.equal(ran, 1);
  assert.deepEqual(log, [
    ['more', 'ext', [1, 'a']],
    ['before', 'f', { n: 1 }],
    ['after', 'f', 'success'],
    ['before', 'f', { secret: true }],
  ]);
  assert.deepEqual(
    result.toolCalls.map(({ name }) => name),
    ['f', 'f'],
  );
});

test('after says interrupted when the program ended first', async () => {
  const { execute } = endlessTool();
  const seen = [];
  const hooks = { tool: { after: (_call, { status }) => seen.push(status) } };
  await CodeMode.execute({ code: 'tools.wait({}); return 1', tools: { wait: execute }, hooks });
  assert.deepEqual(seen, ['interrupted']);
});

test('pinned time and chance repeat', async () => {
  const run = () => valueOf('return [Date.now(), Math.random(), Math.random()]', { options: { nowMs: 1_000, seed: 42 } });
  const first = await run();
  assert.equal(first[0], 1_000);
  assert.deepEqual(await run(), first);
  assert.notDeepEqual(await valueOf('return Math.random()'), await valueOf('return Math.random()'));
});

test('the store is seen by load, and writes come back', async () => {
  const result = await CodeMode.execute({
    code: 'store("b", load("a") + 1); store("a", undefined); return load("b")',
    options: { store: { a: 1 } },
  });
  assert.equal(result.value, 2);
  assert.deepEqual(result.storeWrites, { set: { b: 2 }, delete: ['a'] });
});

test('what only the interpreter can refuse rejects with a ConfigurationError', async () => {
  await assert.rejects(CodeMode.execute({ code: '1', options: { timeZone: 'Nowhere/Else' } }), ConfigurationError);
});

test('a trap of the interpreter is a result', async () => {
  const { Instance } = WebAssembly;
  const { state, execute } = endlessTool();
  const codeMode = CodeMode.make({ tools: { wait: execute } });
  // Every run after the first traps.
  WebAssembly.Instance = function (...args) {
    const exports = { ...new Instance(...args).exports };
    const key = Object.keys(exports).find((name) => name.endsWith('execution.run'));
    const { [key]: run } = exports;
    let runs = 0;
    if (key !== undefined) {
      exports[key] = (...values) => {
        if (runs++ > 0) throw new WebAssembly.RuntimeError('unreachable');
        return run(...values);
      };
    }
    return { exports };
  };
  try {
    const result = await codeMode.execute('console.log("seen"); tools.wait({}); await new Promise((r) => setTimeout(r, 5))');
    assert.equal(result.ok, false);
    assert.equal(result.error.kind, 'ExecutionFailure');
    assert.match(result.error.message, /The interpreter failed: unreachable/);
    assert.deepEqual(result.logs, ['seen']);
    assert.deepEqual(
      result.toolCalls.map(({ name, status }) => [name, status]),
      [['wait', 'cancelled']],
    );
    assert.deepEqual(state, { started: 1, cancelled: 1 });
  } finally {
    WebAssembly.Instance = Instance;
  }
  assert.equal((await codeMode.execute('return 1')).value, 1);
});

test('the result has the same bytes each time, but for durations', async () => {
  const codeMode = CodeMode.make({ options: { nowMs: 0, seed: 1 } });
  const run = async () => (await codeMode.executeToJson('console.log(1e21); return { b: 0.1, a: [1e-7, -0] }')).replace(/"[a-zA-Z]*(Ms|Bytes)":[0-9.e+-]+/g, '');
  assert.equal(await run(), await run());
});

test('many executions', async () => {
  const codeMode = CodeMode.make();
  for (let n = 0; n < 500; n++) assert.equal((await codeMode.execute(`return ${n}`)).value, n);
});
