// The command: flags, texts and exit statuses.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../bin/codemode.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'codemode-cli-'));
after(() => rmSync(directory, { recursive: true }));

/** Runs `codemode ARGS` in the scratch directory. */
function codemode(args, input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { cwd: directory, input, encoding: 'utf8' });
  return { status, stdout, stderr };
}

function write(name, content) {
  writeFileSync(join(directory, name), content);
  return name;
}

function refused(args, message, input) {
  const { status, stdout, stderr } = codemode(args, input);
  assert.equal(status, 2, stderr);
  assert.equal(stdout, '');
  assert.match(stderr, message);
  assert.match(stderr, /^codemode: [^\n]*\n$/);
}

test('prints output, then the value', () => {
  const file = write('a.ts', 'const n: number = 2; console.log("n is", n); text("t"); return { n };');
  assert.deepEqual(codemode(['run', file]), { status: 0, stdout: 'n is 2\nt\n{\n  "n": 2\n}\n', stderr: '' });
});

test('a string is printed raw, null not at all', () => {
  assert.equal(codemode(['run', '-'], 'return "a\\nb"').stdout, 'a\nb\n');
  assert.equal(codemode(['run', '-'], 'return null').stdout, '');
});

test('--json prints the result on one line', () => {
  const { status, stdout, stderr } = codemode(['run', '-', '--json'], 'console.log("x"); return [1]');
  assert.equal(status, 0);
  assert.equal(stderr, '');
  assert.match(stdout, /^[^\n]*\n$/);
  const result = JSON.parse(stdout);
  assert.equal(result.ok, true);
  assert.deepEqual(result.value, [1]);
  assert.deepEqual(result.logs, ['x']);
});

test('a failing program exits with 1 and says where', () => {
  const file = write('bad.js', 'const o = null;\no.foo;\n');
  const { status, stdout, stderr } = codemode(['run', file]);
  assert.equal(status, 1);
  assert.equal(stdout, '');
  assert.match(stderr, /^ExecutionFailure: .*TypeError/);
  assert.match(stderr, /--> bad\.js:2:\d+/);
  const json = codemode(['run', file, '--json']);
  assert.equal(json.status, 1);
  assert.equal(JSON.parse(json.stdout).error.location.line, 2);
});

test('the command line is checked', () => {
  refused([], /no command/);
  refused(['walk'], /unknown command "walk"/);
  refused(['run'], /expects a FILE/);
  refused(['run', 'a', 'b'], /one FILE/);
  refused(['run', '-', '--wrong'], /--wrong/);
  refused(['run', '-', '--timeout-ms'], /timeout-ms/);
  for (const text of ['x', '0', '1.5', '-1', '1e3', '']) refused(['run', '-', `--timeout-ms=${text}`], /--timeout-ms: expected a whole number/);
  refused(['run', '-', '--seed', '18446744073709551616'], /--seed/);
  refused(['run', '-', '--now-ms', 'soon'], /--now-ms/);
  refused(['run', '-', '--time-zone', 'Nowhere/Else'], /Nowhere\/Else/);
});

test('--help and --version', () => {
  assert.match(codemode(['--help']).stdout, /^Usage: codemode run/);
  assert.match(codemode(['--version']).stdout, /^codemode \d+\.\d+\.\d+\n$/);
});

test('sources that cannot be read', () => {
  refused(['run', 'missing.js'], /cannot read missing\.js: no such file/);
  refused(['run', '.'], /cannot read \.: is a directory/);
  refused(['run', '-'], /<stdin> is not valid UTF-8/, Buffer.from([0x31, 0xff]));
  refused(['run', write('latin1.js', Buffer.from([0xe9]))], /latin1\.js is not valid UTF-8/);
  refused(['run', '-'], /<stdin> is larger than 16 MiB/, Buffer.alloc(16 * 1024 * 1024 + 1, 0x20));
});

test('an empty source is a failure of the program', () => {
  const { status, stderr } = codemode(['run', '-'], ' \n');
  assert.equal(status, 1);
  assert.match(stderr, /^ParseError: /);
});

test('tools files that are wrong name the key', () => {
  const wrong = (content, message) => refused(['run', '-', '--tools', write('wrong.json', content)], message);
  wrong('{', /wrong\.json is not JSON: /);
  wrong('[]', /expected an object of tools/);
  wrong('{"a.b": 1}', /tool "a\.b": expected an object/);
  wrong('{"a..b": {}}', /tool "a\.\.b": the name has an empty segment/);
  wrong('{"a": {"return": 1}}', /tool "a": unknown key "return"/);
  wrong('{"a": {"returns": 1, "throws": "x"}}', /"returns" and "throws" exclude each other/);
  wrong('{"a": {"throws": 1}}', /"throws" must be a string/);
  wrong('{"a": {"echo": false}}', /"echo" must be true/);
  wrong('{"a": {"command": "ls"}}', /"command" must be a non-empty array of strings/);
  wrong('{"a": {"sequence": []}}', /"sequence" must be a non-empty array/);
  wrong('{"a": {"delayMs": -1}}', /"delayMs" must be a number/);
  wrong('{"a": {"description": 1}}', /"description" must be a string/);
  wrong('{"a": {"input": 1}}', /"input" must be an object/);
  refused(['run', '-', '--tools', 'missing.json'], /cannot read missing\.json/);
});

test('every kind of stand-in tool', () => {
  const tools = write(
    'tools.json',
    JSON.stringify({
      returns: { returns: { a: [1] }, delayMs: 5 },
      throws: { throws: 'no luck' },
      'nested.echo': { echo: true },
      sequence: { sequence: [1, null, 3] },
      command: { command: ['sh', '-c', 'cat; echo done >&2'] },
      fails: { command: ['sh', '-c', 'echo oops >&2; exit 3'] },
      silent: { command: ['sh', '-c', 'exit 4'] },
      text: { command: ['echo', 'hi'] },
      nothing: {},
    }),
  );
  const source = `
    const caught = async (call) => { try { return await call; } catch (e) { return e.message; } };
    return [
      await tools.returns({}), await caught(tools.throws({})), await tools.nested.echo({ x: 1 }),
      [await tools.sequence({}), await tools.sequence({}), await tools.sequence({}), await tools.sequence({})],
      await tools.command({ y: 2 }), await caught(tools.fails({})), await caught(tools.silent({})), await caught(tools.text({})),
      (await tools.nothing({})) === undefined,
    ]`;
  const { status, stdout, stderr } = codemode(['run', '-', '--tools', tools, '--json'], source);
  assert.equal(status, 0, stderr + stdout);
  assert.deepEqual(JSON.parse(stdout).value, [
    { a: [1] },
    'no luck',
    { x: 1 },
    [1, null, 3, 3],
    { y: 2 },
    'oops',
    'sh exited with status 4',
    "Invalid output from tool 'text': it is not JSON",
    true,
  ]);
});

test('a delayed tool that nobody awaits does not keep the command', () => {
  const tools = write('slow.json', JSON.stringify({ slow: { returns: 1, delayMs: 60_000 }, sleep: { command: ['sleep', '60'] } }));
  const start = performance.now();
  assert.equal(codemode(['run', '-', '--tools', tools], 'tools.slow({}); tools.sleep({}); return "x"').stdout, 'x\n');
  assert.ok(performance.now() - start < 10_000);
});

test('limits and pins have flags', () => {
  const kind = (flags, source) => JSON.parse(codemode(['run', '-', '--json', ...flags], source).stdout).error?.kind;
  assert.equal(kind(['--timeout-ms', '50'], 'for (;;);'), 'TimeoutExceeded');
  assert.equal(kind(['--max-steps', '1000'], 'for (;;);'), 'StepLimitExceeded');
  assert.equal(kind(['--max-memory-bytes', '8000000'], 'const a = []; for (;;) a.push([]);'), 'MemoryLimitExceeded');
  const pinned = () => codemode(['run', '-', '--now-ms', '86400000', '--seed', '7'], 'return [Date.now(), Math.random()]').stdout;
  assert.equal(pinned(), pinned());
  assert.match(pinned(), /86400000/);
});

test('--store loads and saves', () => {
  const run = () => codemode(['run', '-', '--store', 'store.json'], 'store("n", (load("n") ?? 0) + 1); return load("n")');
  assert.equal(run().stdout, '1\n');
  assert.equal(run().stdout, '2\n');
  assert.deepEqual(JSON.parse(readFileSync(join(directory, 'store.json'), 'utf8')), { n: 2 });
  refused(['run', '-', '--store', write('bad-store.json', '[]')], /expected an object of stored values/, '1');
});
