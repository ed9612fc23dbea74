// Runs the language tests of this folder, which are Markdown, through a host.
//
//   node tests/language/run.mjs --host-js                 in this process, through host-js
//   node tests/language/run.mjs --command COMMAND         through a `codemode` command, a process a test
//     [--only TEXT] [--bless]
//
// A test is a heading `## name`, a block of js or ts, and what it must give: a block marked `json` (the value), `output` (the console
// lines) or `error` (`Name: message`). A block marked `json tools` holds stand-in tools. tests/native runs the same files natively.

import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';

const directory = dirname(fileURLToPath(import.meta.url));
const root = join(directory, '..', '..');
const expectedFile = join(directory, 'expected-failures.txt');
/** What blocks are for, by their info string. */
const KINDS = { js: 'program', ts: 'program', javascript: 'program', typescript: 'program', json: 'value', 'json tools': 'tools' };
const PARALLEL = 2;
const TIMEOUT_MS = 20_000;

const { values: flags } = parseArgs({
  options: {
    'host-js': { type: 'boolean', default: false },
    command: { type: 'string' },
    only: { type: 'string' },
    bless: { type: 'boolean', default: false },
  },
});
if (flags['host-js'] === (flags.command !== undefined)) throw new Error('Give either --host-js or --command COMMAND.');
if (flags.bless && flags.only !== undefined) throw new Error('--bless needs every test, so it cannot go with --only.');

process.exitCode = await main();

/** Runs everything; gives the exit status. */
async function main() {
  const tests = await readTests();
  const expected = await readExpectedFailures();
  const execute = flags['host-js'] ? await prepareHostJs() : await prepareCommand(flags.command);
  const failures = new Map();
  let passed = 0;
  let failed = 0;
  try {
    await inParallel(tests, PARALLEL, async (test, index) => {
      const problem = await runTest(execute, test, index);
      if (problem !== undefined) failures.set(test.name, problem);
      const isAsExpected = (problem === undefined) !== expected.has(test.name);
      if (isAsExpected && problem === undefined) passed++;
      if (isAsExpected) return;
      failed++;
      console.log(problem === undefined ? `UNEXPECTED PASS ${test.name}` : `FAIL ${test.name}: ${problem}`);
    });
  } finally {
    await execute.dispose?.();
  }
  for (const name of expected.keys()) {
    if (flags.only !== undefined || tests.some((test) => test.name === name)) continue;
    failed++;
    console.log(`UNKNOWN expected failure ${name}: there is no such test`);
  }
  if (flags.bless) {
    await bless(tests, expected, failures);
    failed = 0;
  }
  const asExpected = [...failures.keys()].filter((name) => expected.has(name)).length;
  if (asExpected > 0) console.log(`${asExpected} failed as expected`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Every test of every Markdown file, named `file.md > heading`. */
async function readTests() {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.md')).sort();
  const tests = [];
  for (const file of files) tests.push(...parseTests(file, await readFile(join(directory, file), 'utf8')));
  const names = new Set();
  for (const { name } of tests) {
    if (names.has(name)) throw new Error(`Two tests are named ${name}.`);
    names.add(name);
  }
  return tests.filter(({ name }) => flags.only === undefined || name.includes(flags.only));
}

function parseTests(file, text) {
  const tests = [];
  let test;
  let block;
  for (const line of text.split('\n')) {
    const fence = /^(`{3,})\s*(.*?)\s*$/.exec(line);
    if (block !== undefined) {
      if (fence !== null && fence[1].length >= block.fence.length && fence[2] === '') {
        if (test !== undefined) test.blocks[block.kind] ??= block.lines.join('\n');
        block = undefined;
      } else {
        block.lines.push(line);
      }
    } else if (fence !== null) {
      block = { fence: fence[1], kind: KINDS[fence[2]] ?? fence[2], lines: [] };
    } else if (line.startsWith('## ')) {
      test = { name: `${file} > ${line.slice(3).trim()}`, blocks: {} };
      tests.push(test);
    }
  }
  return tests.filter(({ blocks }) => blocks.program !== undefined);
}

/** What is wrong with the outcome of a test; undefined when nothing is. */
async function runTest(execute, { blocks }, index) {
  const result = await execute(blocks.program, blocks.tools, index);
  if (typeof result === 'string') return result;
  return checkResult(blocks, result);
}

/** What is wrong with a result, in words; undefined when nothing is. */
function checkResult({ value, output, error }, result) {
  const actualError = result.ok ? undefined : `${result.error.kind}: ${result.error.message}`;
  if (error !== undefined) {
    if (result.ok) return `it gave ${JSON.stringify(result.value)} instead of the error ${error.trim()}`;
    const accepted = [actualError, result.error.message].map(withoutLocation);
    if (!accepted.includes(withoutLocation(error.trim()))) return oneLine(`the error is ${actualError} instead of ${error.trim()}`);
  } else if (!result.ok) {
    return oneLine(actualError);
  }
  if (value !== undefined && !isDeepStrictEqual(result.value, JSON.parse(value))) {
    return oneLine(`it gave ${JSON.stringify(result.value)} instead of ${JSON.stringify(JSON.parse(value))}`);
  }
  if (output !== undefined && result.logs.join('\n') !== output) {
    return oneLine(`it printed ${JSON.stringify(result.logs.join('\n'))} instead of ${JSON.stringify(output)}`);
  }
  if (value === undefined && output === undefined && error === undefined) return 'it expects nothing';
  return undefined;
}

function withoutLocation(text) {
  return text.replace(/ \(line \d+, col(umn)? \d+\)$/, '');
}

async function prepareHostJs() {
  const { CodeMode } = await import(pathToFileURL(join(root, 'host-js', 'dist', 'index.js')).href);
  const { toolsOf } = await import(pathToFileURL(join(root, 'host-js', 'dist', 'cli', 'tools-file.js')).href);
  const limits = { timeoutMs: TIMEOUT_MS };
  return async (source, tools) => {
    const tree = tools === undefined ? {} : toolsOf('the tools block', JSON.parse(tools));
    return CodeMode.make({ tools: tree, limits }).execute(source);
  };
}

async function prepareCommand(command) {
  const scratch = await mkdtemp(join(tmpdir(), 'codemode-language-'));
  const [program, ...first] = command.split(/\s+/);
  const execute = async (source, tools, index) => {
    const args = [...first, 'run', '-', '--json', '--timeout-ms', String(TIMEOUT_MS)];
    if (tools !== undefined) {
      const file = join(scratch, `${index}.json`);
      await writeFile(file, tools);
      args.push('--tools', file);
    }
    const { status, stdout, stderr } = await spawnWithInput(program, args, source);
    try {
      return JSON.parse(stdout);
    } catch {
      return oneLine(`exit status ${status} without a result: ${stderr || stdout}`);
    }
  };
  execute.dispose = () => rm(scratch, { recursive: true, force: true });
  return execute;
}

function spawnWithInput(program, args, input) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], timeout: 2 * TIMEOUT_MS, killSignal: 'SIGKILL' });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.on('error', (error) => (stderr += error.message));
    child.on('close', (status, signal) => resolve({ status: status ?? signal, stdout, stderr }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** Lines `file.md > name: reason`; `#` begins a comment. */
async function readExpectedFailures() {
  const text = await readFile(expectedFile, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(': ');
      return end === -1 ? [line.trim(), ''] : [line.slice(0, end), line.slice(end + 2).trim()];
    }),
  );
}

/** Rewrites the expected failures to what happened; reasons are kept. */
async function bless(tests, expected, failures) {
  const header = '# Language tests that fail, and why: `file.md > name: reason`. Written by `make bless`; the reasons are kept.';
  const lines = tests
    .filter(({ name }) => failures.has(name))
    .map(({ name }) => `${name}: ${expected.get(name) ?? failures.get(name).replaceAll(': ', ' ')}`);
  await writeFile(expectedFile, [header, ...lines].join('\n') + '\n');
  console.log(`blessed ${lines.length} expected failures`);
}

function oneLine(text) {
  const line = text.trim().replace(/\s*\n\s*/g, ' | ');
  return line.length > 300 ? `${line.slice(0, 300)}...` : line;
}

async function inParallel(items, width, work) {
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      await work(items[index], index);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}
