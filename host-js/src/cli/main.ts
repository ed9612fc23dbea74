// The command of this package: `codemode run`, with the flags, texts and exit statuses of the native one.

import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { CodeMode } from '../codemode.js';
import { ConfigurationError } from '../execution.js';
import type { OutputItem, Result } from '../result.js';
import { parseInvocation, USAGE, type RunInvocation } from './arguments.js';
import { readSource, readStore, sourceName, writeStore } from './files.js';
import { LiveLine } from './live-line.js';
import { diagnosticText, outputText, valueText } from './print.js';
import { readTools } from './tools-file.js';
import { UsageError } from './usage-error.js';

/**
 * V8 optimises a WebAssembly function when it has used up a budget of executed bytes, and each turn of the interpreter's loop counts
 * as its whole, large body. With the usual budget even `return 1` would start the optimisation, and the process, which cannot end
 * before it, would wait for it. This is the largest budget there is: some ten thousand turns.
 */
const TIERING_FLAG = '--wasm-tiering-budget=2147483647';

/** Runs the command; gives the exit status: 0 ok, 1 the program failed, 2 usage. */
export async function main(argv: string[]): Promise<number> {
  // A reader that has seen enough (`codemode run ... | head`) is no fault.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));
  try {
    const invocation = parseInvocation(argv);
    switch (invocation.command) {
      case 'help':
        process.stdout.write(USAGE);
        return 0;
      case 'version':
        process.stdout.write(`codemode ${await packageVersion()}\n`);
        return 0;
      case 'run':
        return await run(invocation);
    }
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`codemode: ${error.message}\n`);
    return 2;
  }
}

async function run(invocation: RunInvocation): Promise<number> {
  const { file, toolsFile, storeFile, json, limits, options } = invocation;
  setFlagsFromString(TIERING_FLAG);
  const source = await readSource(file);
  const tools = toolsFile === undefined ? {} : await readTools(toolsFile);
  const store = storeFile === undefined ? undefined : await readStore(storeFile);
  const line = !json && process.stderr.isTTY ? new LiveLine(process.stderr) : undefined;
  const codeMode = CodeMode.make({
    tools,
    limits,
    options: store === undefined ? options : { ...options, store },
    hooks: line?.hooks ?? {},
  });

  const print = (item: OutputItem): void => void process.stdout.write(outputText(item));
  const onOutput = line === undefined ? print : (item: OutputItem): void => line.around(() => print(item));
  const text = await interruptible((signal) => codeMode.executeToJson(source, json ? { signal } : { signal, onOutput }));
  line?.end();
  const result = JSON.parse(text) as Result;
  if (storeFile !== undefined && store !== undefined && result.ok && result.storeWrites !== undefined) {
    await writeStore(storeFile, store, result.storeWrites);
  }
  if (json) {
    process.stdout.write(`${text}\n`);
  } else {
    process.stdout.write(valueText(result));
    process.stderr.write(diagnosticText(result, sourceName(file)));
  }
  return result.ok ? 0 : 1;
}

/** Runs a program that an interrupt from the keyboard stops. */
async function interruptible<T>(execute: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(new Error('The execution was interrupted.'));
  process.once('SIGINT', interrupt);
  try {
    return await execute(controller.signal);
  } finally {
    process.removeListener('SIGINT', interrupt);
  }
}

async function packageVersion(): Promise<string> {
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
  return manifest.version;
}
