// The component imports clocks and chance of WASI, and nothing else of it.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

const ALLOWED = [
  'codemode:interpreter/output',
  'codemode:interpreter/tool-call',
  'wasi:clocks/monotonic-clock',
  'wasi:clocks/wall-clock',
  'wasi:random/insecure',
  'wasi:random/insecure-seed',
  'wasi:random/random',
];

test('the component imports nothing but its interfaces, clocks and chance', async () => {
  const glue = await readFile(new URL('../generated/codemode.js', import.meta.url), 'utf8');
  const imports = [...glue.matchAll(/imports\['([^']+)'\]/g)].map(([, name]) => name);
  assert.ok(imports.includes('codemode:interpreter/tool-call'));
  assert.deepEqual(
    imports.filter((name) => !ALLOWED.includes(name)),
    [],
  );
});
