// Runs report.ts with the native command and with Node's, shows what each printed, and compares the results.
//
//   node tests/programs/run-both.mjs

import { spawnSync } from 'node:child_process';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const directory = dirname(fileURLToPath(import.meta.url));
const root = resolve(directory, '..', '..');
const program = join(directory, 'report.ts');
const tools = join(directory, 'report.tools.json');
const commands = [
  { host: 'wasmtime', command: [join(root, 'target', 'release', 'codemode')] },
  { host: 'Node', command: [process.execPath, join(root, 'host-js', 'bin', 'codemode.js')] },
];

const results = commands.map(({ host, command: [executable, ...first] }) => {
  const run = (...flags) => spawnSync(executable, [...first, 'run', program, '--tools', tools, ...flags], { encoding: 'utf8' });
  console.log(`\n--- ${host}: codemode run ${relative(root, program)} --tools ${relative(root, tools)}\n`);
  const start = performance.now();
  const shown = run();
  const elapsed = performance.now() - start;
  process.stdout.write(shown.stdout ?? '');
  process.stderr.write(shown.stderr ?? '');
  if (shown.error !== undefined) console.log(`cannot run: ${shown.error.message}`);
  console.log(`\n(exit status ${shown.status}, ${elapsed.toFixed(0)} ms)`);
  return parseResult(run('--json'));
});

const [first, second] = results.map(withoutDurations);
const isEqual = first !== undefined && first.ok && isDeepStrictEqual(first, second);
console.log(isEqual ? '\nBoth hosts gave the same result.' : '\nThe results differ, or the program failed:');
if (!isEqual) for (const [index, { host }] of commands.entries()) console.log(`${host}: ${JSON.stringify(results[index])}`);
process.exitCode = isEqual ? 0 : 1;

function parseResult({ stdout }) {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}

/** The result but for the times: everything else must be the same. */
function withoutDurations(result) {
  if (result === undefined) return undefined;
  return JSON.parse(JSON.stringify(result, (key, value) => (/(durationMs|timeMs|elapsedMs)$/i.test(key) ? undefined : value)));
}
