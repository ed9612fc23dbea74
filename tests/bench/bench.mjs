// Measures CodeMode beside other engines, all in one interleaved run.
//
//   node tests/bench/bench.mjs [--programs DIR] [--runs 7] [--only a,b]
//
// Programs are bodies of async functions that return a checksum. In each round each engine runs each program once, in a fresh
// instance, so that a noisy moment of the machine meets all of them. The time is from the source text to the result; compiling the
// WebAssembly is not in it. Writes target/bench.json.

import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util';

const directory = dirname(fileURLToPath(import.meta.url));
const root = resolve(directory, '..', '..');
const PEERS = ['quickjs-wasi', 'quickjs-emscripten'];
const SUBJECTS = ['codemode-node', 'codemode-wasmtime'];

const { values: flags } = parseArgs({
  options: {
    programs: { type: 'string', default: join(directory, 'programs') },
    runs: { type: 'string', default: '7' },
    only: { type: 'string' },
  },
});

/** Engine name to a function that readies it. That gives a function from a program to `{ ms, value }`. */
const ENGINES = {
  'codemode-node': prepareCodeModeNode,
  'quickjs-wasi': prepareQuickJsWasi,
  'quickjs-emscripten': prepareQuickJsEmscripten,
  'codemode-wasmtime': prepareCodeModeWasmtime,
};

/** Runs everything; gives the exit status: 1 when checksums differ or no program could be compared. */
async function main() {
  const runs = Number(flags.runs);
  const programs = await readPrograms();
  const engines = await prepareEngines();
  const samples = new Map(programs.map(({ name }) => [name, new Map()]));
  const failures = new Map();
  let differ = false;

  for (let round = 0; round < runs; round++) {
    for (const program of programs) {
      for (const [engine, run] of engines) {
        if (failures.has(`${engine} ${program.name}`)) continue;
        try {
          const { ms, value } = await run(program);
          const known = samples.get(program.name).get(engine) ?? { times: [], value };
          known.times.push(ms);
          samples.get(program.name).set(engine, known);
        } catch (error) {
          failures.set(`${engine} ${program.name}`, firstLine(error));
        }
      }
    }
    if (process.stderr.isTTY) process.stderr.write(`\rround ${round + 1} of ${runs}`);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');

  const results = {};
  for (const [name, byEngine] of samples) {
    results[name] = Object.fromEntries([...byEngine].map(([engine, { times, value }]) => [engine, { ms: round(median(times)), value }]));
    const values = [...byEngine.values()].map(({ value }) => value);
    if (!values.every((value) => isDeepStrictEqual(value, values[0]))) {
      differ = true;
      console.log(`CHECKSUMS DIFFER ${name}: ${[...byEngine].map(([engine, { value }]) => `${engine} ${JSON.stringify(value)}`).join(', ')}`);
    }
  }
  const geomean = geometricMeans(results);
  printTable(results, [...engines.keys()], geomean);
  for (const [what, reason] of failures) console.log(`FAILED ${what}: ${reason}`);

  await mkdir(join(root, 'target'), { recursive: true });
  const report = { programs: results, geomean, runs, failures: Object.fromEntries(failures) };
  await writeFile(join(root, 'target', 'bench.json'), `${JSON.stringify(report, null, 2)}\n`);
  return differ || geomean['codemode-node'] === undefined ? 1 : 0;
}

async function readPrograms() {
  const folder = resolve(flags.programs);
  const only = flags.only?.split(',');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.js')).sort();
  const chosen = files.filter((file) => only === undefined || only.includes(basename(file, '.js')));
  if (chosen.length === 0) throw new Error(`There is no program to run in ${folder}.`);
  return Promise.all(
    chosen.map(async (file) => {
      const path = join(folder, file);
      return { name: basename(file, '.js'), path, source: await readFile(path, 'utf8') };
    }),
  );
}

/** The engines that are there; one that is missing is reported. */
async function prepareEngines() {
  const engines = new Map();
  for (const [name, prepare] of Object.entries(ENGINES)) {
    try {
      engines.set(name, await prepare());
    } catch (error) {
      console.log(`MISSING ${name}: ${firstLine(error)}`);
    }
  }
  return engines;
}

async function prepareCodeModeNode() {
  const { CodeMode } = await import(pathToFileURL(join(root, 'host-js', 'dist', 'index.js')).href);
  const codeMode = CodeMode.make();
  const run = async ({ source }) => {
    const start = performance.now();
    const result = await codeMode.execute(source);
    const ms = performance.now() - start;
    if (!result.ok) throw new Error(`${result.error.kind}: ${result.error.message}`);
    return { ms, value: result.value };
  };
  await run({ source: 'return 1' });
  return run;
}

async function prepareQuickJsWasi() {
  const { QuickJS } = await import('quickjs-wasi');
  const path = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
  const wasm = await WebAssembly.compile(await readFile(path));
  return async ({ source }) => {
    const start = performance.now();
    const vm = await QuickJS.create({ wasm });
    try {
      const promise = vm.evalCode(asExpression(source));
      const settled = vm.resolvePromise(promise);
      vm.executePendingJobs();
      const outcome = await settled;
      if ('error' in outcome) throw new Error(String(vm.dump(outcome.error)?.message ?? vm.dump(outcome.error)));
      const value = vm.dump(outcome.value);
      return { ms: performance.now() - start, value };
    } finally {
      vm.dispose();
    }
  };
}

async function prepareQuickJsEmscripten() {
  const { getQuickJS } = await import('quickjs-emscripten');
  const quickJs = await getQuickJS();
  return async ({ source }) => {
    const start = performance.now();
    const vm = quickJs.newContext();
    try {
      const promise = vm.unwrapResult(vm.evalCode(asExpression(source)));
      for (;;) {
        const jobs = vm.runtime.executePendingJobs();
        if (jobs.error) throw new Error(String(jobs.error.consume((error) => vm.dump(error)).message));
        const state = vm.getPromiseState(promise);
        if (state.type === 'rejected') throw new Error(String(state.error.consume((error) => vm.dump(error)).message));
        if (state.type === 'fulfilled') {
          const value = state.value.consume((handle) => vm.dump(handle));
          promise.dispose();
          return { ms: performance.now() - start, value };
        }
        if (jobs.value === 0) throw new Error('the program waits for nothing');
      }
    } finally {
      vm.dispose();
    }
  };
}

/** The native host measures itself, so that starting the process is not in the time. */
async function prepareCodeModeWasmtime() {
  const command = join(root, 'target', 'release', 'codemode');
  const run = async ({ path }) => {
    const { stdout } = await promisify(execFile)(command, ['bench', '--json', '--repeat', '1', path], { maxBuffer: 64 * 1024 * 1024 });
    const { ms, value } = JSON.parse(stdout);
    return { ms: median(ms), value };
  };
  await promisify(execFile)(command, ['--version']);
  return run;
}

function asExpression(source) {
  return `(async () => {\n${source}\n})()`;
}

/** Of each engine, the mean of its times relative to the faster peer's, over the programs that both ran. */
function geometricMeans(results) {
  const means = {};
  for (const engine of [...SUBJECTS, ...PEERS]) {
    const ratios = Object.values(results).map((byEngine) => ratioToFasterPeer(byEngine, engine)).filter((ratio) => ratio !== undefined);
    if (ratios.length > 0) means[engine] = round(Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length));
  }
  return means;
}

/** Below 1 the engine is faster than the faster peer. */
function ratioToFasterPeer(byEngine, engine) {
  const peers = PEERS.filter((peer) => byEngine[peer] !== undefined).map((peer) => byEngine[peer].ms);
  return byEngine[engine] === undefined || peers.length === 0 ? undefined : byEngine[engine].ms / Math.min(...peers);
}

function printTable(results, engines, geomean) {
  const rows = [['program', ...engines.map((engine) => `${engine} ms`), 'node/peer', 'wasmtime/peer']];
  const ratio = (byEngine, engine) => ratioToFasterPeer(byEngine, engine)?.toFixed(2) ?? '-';
  for (const [name, byEngine] of Object.entries(results)) {
    const times = engines.map((engine) => byEngine[engine]?.ms.toFixed(2) ?? '-');
    rows.push([name, ...times, ...SUBJECTS.map((engine) => ratio(byEngine, engine))]);
  }
  rows.push(['geometric mean', ...engines.map(() => ''), ...SUBJECTS.map((engine) => geomean[engine]?.toFixed(3) ?? '-')]);
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) {
    console.log(row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  '));
  }
  console.log('Ratios are times relative to the faster of the two QuickJS packages: below 1 is faster.');
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function round(number) {
  return Number(number.toPrecision(5));
}

function firstLine(error) {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0];
}

process.exitCode = await main();
