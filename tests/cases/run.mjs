// Runs the cases of this folder through any `codemode` command.
//
//   node tests/cases/run.mjs --command "target/release/codemode" [--command "node host-js/bin/codemode.js"]
//                            [--only NAME,NAME] [--expected-failures FILE] [--bless]
//
// A case that is listed in the file of expected failures must fail, every other one must pass, on every command. --bless rewrites
// the list to what happened.

import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';

const directory = dirname(fileURLToPath(import.meta.url));
const EXPECTED_HEADER = ['# Cases that fail, and why: `name: reason`. Written by `make bless`; the reasons are kept.'];
const PARALLEL = 2;
const CASE_TIMEOUT_MS = 20_000;

const { values: flags } = parseArgs({
  options: {
    command: { type: 'string', multiple: true },
    only: { type: 'string' },
    'expected-failures': { type: 'string', default: join(directory, 'expected-failures.txt') },
    bless: { type: 'boolean', default: false },
  },
});
const commands = flags.command ?? ['target/release/codemode'];
const only = flags.only?.split(',');
if (flags.bless && only !== undefined) throw new Error('--bless needs every case, so it cannot go with --only.');

/** The host behind a command: an expected failure `NAME@node` holds there only. */
const hostOf = (command) => (command.includes('codemode.js') ? 'node' : 'wasmtime');

/** Runs everything; gives the exit status. */
async function main() {
  const cases = await readCases();
  const expected = await readExpectedFailures(flags['expected-failures']);
  const workDirectory = await mkdtemp(join(tmpdir(), 'codemode-cases-'));

  /** Case name to the reasons why it failed, one a command. */
  const failures = new Map();
  let passed = 0;
  let failed = 0;
  let failedAsExpected = 0;

  try {
    for (const command of commands) {
      await inParallel(cases, PARALLEL, async (testCase, index) => {
        const problem = await runCase(command, testCase, join(workDirectory, String(index)));
        if (problem !== undefined && !expected.has(`${testCase.name}@${hostOf(command)}`)) failures.set(testCase.name, [...(failures.get(testCase.name) ?? []), problem]);
        const isExpected = expected.has(testCase.name) || expected.has(`${testCase.name}@${hostOf(command)}`);
        if (problem === undefined && !isExpected) passed++;
        else if (problem !== undefined && isExpected) failedAsExpected++;
        else {
          failed++;
          console.log(problem === undefined ? `UNEXPECTED PASS ${testCase.name} [${command}]` : `FAIL ${testCase.name} [${command}]: ${problem}`);
        }
      });
    }
  } finally {
    await rm(workDirectory, { recursive: true, force: true });
  }

  const unknown = [...expected.keys()].filter((name) => !cases.some((testCase) => testCase.name === name.replace(/@\w+$/, '')));
  if (only === undefined) {
    for (const name of unknown) console.log(`UNKNOWN expected failure ${name}: there is no such case`);
    failed += unknown.length;
  }

  if (flags.bless) {
    const kept = [...expected].filter(([name]) => name.includes('@')).map(([name, reason]) => `${name}: ${reason}`);
    const lines = cases
      .filter(({ name }) => failures.has(name))
      .map(({ name }) => `${name}: ${expected.get(name) ?? oneLine(failures.get(name)[0])}`);
    await writeFile(flags['expected-failures'], [...EXPECTED_HEADER, ...lines, ...kept].join('\n') + '\n');
    console.log(`blessed ${lines.length} expected failures`);
    failed = 0;
  }
  if (failedAsExpected > 0) console.log(`${failedAsExpected} failed as expected`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Every case of every JSON file of the folder. */
async function readCases() {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.json')).sort();
  const all = [];
  for (const file of files) all.push(...JSON.parse(await readFile(join(directory, file), 'utf8')).cases);
  const names = all.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Two cases are named ${twice}.`);
  return only === undefined ? all : all.filter(({ name }) => only.includes(name));
}

/** Lines `name: reason`; `#` begins a comment. */
async function readExpectedFailures(file) {
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]));
}

/** What is wrong with the outcome of a case; undefined when nothing is. */
async function runCase(command, testCase, path) {
  const args = ['run', '-', '--json'];
  for (const [key, value] of Object.entries(testCase.options ?? {})) {
    const flag = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (key === 'store') {
      await writeFile(`${path}-store.json`, JSON.stringify(value));
      args.push(flag, `${path}-store.json`);
    } else {
      args.push(flag, String(value));
    }
  }
  if (testCase.tools !== undefined) {
    await writeFile(`${path}-tools.json`, JSON.stringify(testCase.tools));
    args.push('--tools', `${path}-tools.json`);
  }
  const { status, stdout, stderr } = await runCommand(command, args, testCase.source);
  if (status === 'timeout') return `no result within ${CASE_TIMEOUT_MS} ms`;
  let result;
  try {
    result = JSON.parse(stdout);
  } catch {
    return `exit status ${status} without a result: ${oneLine(stderr || stdout)}`;
  }
  const wanted = result.ok ? 0 : 1;
  if (status !== wanted) return `exit status ${status} instead of ${wanted}`;
  return checkExpectation(testCase.expect, result);
}

function runCommand(command, args, input) {
  const [program, ...first] = command.split(/\s+/);
  return new Promise((resolve) => {
    const child = spawn(program, [...first, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      resolve({ status: 'timeout', stdout, stderr });
    }, CASE_TIMEOUT_MS);
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.on('error', (error) => (stderr += error.message));
    child.on('close', (status) => {
      clearTimeout(timer);
      resolve({ status, stdout, stderr });
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** The first key of `expect` that does not hold of the result, in words. */
function checkExpectation(expect, result) {
  for (const [key, wanted] of Object.entries(expect)) {
    const check = CHECKS[key];
    if (check === undefined) return `the case expects "${key}", which the runner does not know`;
    const problem = check(wanted, result);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const CHECKS = {
  ok: (wanted, result) => equal('ok', result.ok, wanted, result.error && `${result.error.kind}: ${result.error.message}`),
  value: (wanted, result) => equal('value', result.value, wanted),
  kind: (wanted, result) => equal('kind', result.error?.kind, wanted, result.error?.message),
  line: (wanted, result) => equal('line', result.error?.location?.line, wanted),
  messageIncludes: (wanted, result) => includes('message', result.error?.message, wanted),
  warningsInclude: (wanted, result) => includes('warnings', (result.warnings ?? []).map(({ message }) => message).join('\n'), wanted),
  outputIncludes: (wanted, result) => includes('output', outputText(result), wanted),
  outputExcludes: (wanted, result) =>
    outputText(result).includes(wanted) ? `output has ${JSON.stringify(wanted)}: ${oneLine(outputText(result))}` : undefined,
  callStatuses: (wanted, result) => equal('call statuses', (result.toolCalls ?? []).map(({ status }) => status), wanted),
  storeSet: (wanted, result) => equal('store writes', result.storeWrites?.set, wanted),
  anyOf: (alternatives, result) => {
    const problems = alternatives.map((expect) => checkExpectation(expect, result));
    return problems.includes(undefined) ? undefined : `no alternative holds: ${problems.join('; ')}`;
  },
};

function equal(what, actual, wanted, detail) {
  if (isDeepStrictEqual(actual, wanted)) return undefined;
  return oneLine(`${what} is ${JSON.stringify(actual)} instead of ${JSON.stringify(wanted)}${detail ? ` (${detail})` : ''}`);
}

function includes(what, text, wanted) {
  return text?.includes(wanted) ? undefined : oneLine(`${what} lacks ${JSON.stringify(wanted)}: ${text}`);
}

function outputText(result) {
  return (result.output ?? []).map((item) => item.text ?? '').join('\n');
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

process.exitCode = await main();
