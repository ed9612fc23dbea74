// The tool tree and the rest of the configuration: what CodeMode.make takes and what it refuses.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodeMode, Extension, Tool } from '../dist/index.js';

const noop = () => null;

test('a bad tool is refused with its path', () => {
  const refused = (tools, message) => assert.throws(() => CodeMode.make({ tools }), { name: 'TypeError', message });
  refused({ 'a..b': noop }, /"a\.\.b" has an empty segment/);
  refused({ '': noop }, /has an empty segment/);
  refused({ a: { '.b': noop } }, /"a\.\.b" has an empty segment/);
  refused({ a: { b: 3 } }, /"a\.b" is no tool/);
  refused({ a: [noop] }, /"a" is no tool/);
  refused([], /must be a record/);
  const cyclic = {};
  cyclic.self = cyclic;
  refused(cyclic, /"self" contain themselves/);
});

test('Tool.make checks its parts', () => {
  const refused = (definition, message) => assert.throws(() => Tool.make(definition), { name: 'TypeError', message });
  refused(undefined, /expects an object/);
  refused({ execute: noop }, /description/);
  refused({ description: 'd' }, /execute/);
  refused({ description: 'd', execute: noop, input: 'string' }, /input of a tool must be a JSON Schema/);
  refused({ description: 'd', execute: noop, output: [] }, /output of a tool must be a JSON Schema/);
  assert.equal(Tool.make({ description: 'd', execute: noop, input: true }).input, true);
});

test('Extension.make checks its parts', () => {
  const refused = (definition, message) => assert.throws(() => Extension.make(definition), { name: 'TypeError', message });
  refused({ globals: {} }, /name of an extension/);
  refused({ name: 'x' }, /globals of extension "x"/);
  refused({ name: 'x', globals: { f: 1 } }, /"f" of extension "x" is no function/);
  refused({ name: 'x', globals: { n: { f: 1 } } }, /"n\.f" of extension "x" is no function/);
});

test('two extensions cannot define the same global', () => {
  const extensions = [Extension.make({ name: 'a', globals: { f: noop } }), Extension.make({ name: 'b', globals: { f: noop } })];
  assert.throws(() => CodeMode.make({ extensions }), { name: 'TypeError', message: '"f" of extension "b" is already defined by "a".' });
});

test('limits are safe integers', () => {
  const refused = (limits) => assert.throws(() => CodeMode.make({ limits }), { name: 'RangeError' });
  refused({ timeoutMs: 0 });
  refused({ timeoutMs: 1.5 });
  refused({ maxToolCalls: -1 });
  refused({ maxSteps: Infinity });
  refused({ maxOutputBytes: '5' });
  assert.throws(() => CodeMode.make({ limits: { timeout: 5 } }), { name: 'TypeError', message: 'There is no limit "timeout".' });
  CodeMode.make({ limits: { timeoutMs: 1, maxToolCalls: 0 } });
});

test('options are checked', () => {
  const refused = (options, name) => assert.throws(() => CodeMode.make({ options }), { name });
  refused({ nowMs: NaN }, 'RangeError');
  refused({ seed: -1 }, 'RangeError');
  refused({ seed: 1n << 64n }, 'RangeError');
  refused({ timeZone: 1 }, 'TypeError');
  refused({ store: [] }, 'TypeError');
});
