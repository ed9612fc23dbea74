// Runs the stages of `make test` one after the other and adds up what they counted.
//
//   node tests/ci/run-stages.mjs "NAME=COMMAND" ...
//
// A stage counts in its output: `N passed, N failed` of our own runners, `test result: ok. N passed; N failed` of cargo, `pass N` and
// `fail N` of node:test. A stage that ends with an error without counting a failure, or that counts nothing, is itself a failure.
// The last line of all is `N passed, N failed`; it is kept in target/test-summary.txt too.

import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';

const COUNTS = [
  { pattern: /^(?:test result: \w+\. )?(\d+) passed[,;] (\d+) failed/, passed: 1, failed: 2 },
  { pattern: /^(?:#|ℹ) pass (\d+)$/, passed: 1 },
  { pattern: /^(?:#|ℹ) fail (\d+)$/, failed: 1 },
  { pattern: /^(?:#|ℹ) cancelled (\d+)$/, failed: 1 },
];

const stages = process.argv.slice(2).map((argument) => {
  const end = argument.indexOf('=');
  return { name: argument.slice(0, end), command: argument.slice(end + 1) };
});

const rows = [];
for (const { name, command } of stages) {
  console.log(`\n=== ${name}: ${command}`);
  const start = performance.now();
  const { status, lines } = await run(command);
  const { passed, failed } = count(lines);
  const problem = problemOf(status, passed, failed);
  rows.push({ name, passed, failed: failed + (problem === undefined ? 0 : 1), seconds: (performance.now() - start) / 1000, problem });
}

const passed = rows.reduce((sum, row) => sum + row.passed, 0);
const failed = rows.reduce((sum, row) => sum + row.failed, 0);
console.log('');
for (const row of rows) {
  const state = row.failed === 0 ? 'ok' : 'FAILED';
  console.log(`${state.padEnd(7)}${row.name.padEnd(24)}${row.passed} passed, ${row.failed} failed in ${row.seconds.toFixed(1)} s${row.problem ? ` (${row.problem})` : ''}`);
}
const summary = `${passed} passed, ${failed} failed`;
mkdirSync('target', { recursive: true });
writeFileSync('target/test-summary.txt', `${summary}\n`);
console.log(summary);
process.exitCode = failed === 0 && rows.length > 0 ? 0 : 1;

/** Runs a command, showing its output; gives its exit status and the lines. */
function run(command) {
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      process.stdout.write(text);
    });
    child.on('close', (status) => resolve({ status, lines: output.split('\n') }));
  });
}

function count(lines) {
  const sums = { passed: 0, failed: 0 };
  for (const line of lines) {
    for (const { pattern, ...groups } of COUNTS) {
      const match = pattern.exec(line.trim());
      if (match === null) continue;
      for (const [sum, group] of Object.entries(groups)) sums[sum] += Number(match[group]);
      break;
    }
  }
  return sums;
}

function problemOf(status, passed, failed) {
  if (status !== 0 && failed === 0) return `exit status ${status}`;
  if (status === 0 && failed > 0) return 'counted failures, but exit status 0';
  if (passed === 0 && failed === 0) return 'ran no test';
  return undefined;
}
