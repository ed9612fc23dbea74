import { parseArgs } from 'node:util';
import type { Limits, Options } from '../codemode.js';
import { UsageError } from './usage-error.js';

export const USAGE = `Usage: codemode run FILE|- [options]

Runs a JavaScript or TypeScript program; - reads it from standard input.

Options:
  --tools FILE            stand-in tools, as JSON
  --json                  print the whole result as JSON on one line
  --timeout-ms N          stop after N milliseconds
  --max-tool-calls N      allow at most N tool calls
  --max-output-bytes N    cut the value, and again logs and warnings, at N bytes
  --max-memory-bytes N    allow at most N bytes of program data
  --max-steps N           allow at most N loop iterations and calls
  --now-ms N              pin the clock to N milliseconds since the epoch
  --seed N                pin random numbers
  --time-zone ZONE        local time zone, an IANA name (UTC)
  --store FILE            JSON object that load and store work on
  -h, --help              print this
  -V, --version           print the version

Exit status: 0 the program finished, 1 it failed, 2 the command was used wrongly.
`;

/** What the command line asks for. */
export type Invocation = { command: 'help' } | { command: 'version' } | RunInvocation;

export interface RunInvocation {
  command: 'run';
  /** A path, or `-` for standard input. */
  file: string;
  toolsFile: string | undefined;
  storeFile: string | undefined;
  json: boolean;
  limits: Limits;
  options: Options;
}

const OPTIONS = {
  tools: { type: 'string' },
  json: { type: 'boolean' },
  'timeout-ms': { type: 'string' },
  'max-tool-calls': { type: 'string' },
  'max-output-bytes': { type: 'string' },
  'max-memory-bytes': { type: 'string' },
  'max-steps': { type: 'string' },
  'now-ms': { type: 'string' },
  seed: { type: 'string' },
  'time-zone': { type: 'string' },
  store: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const;

/**
 * Reads the command line.
 *
 * @throws UsageError that says what is wrong with it.
 */
export function parseInvocation(argv: string[]): Invocation {
  const { values, positionals } = parse(argv);
  if (values.help === true) return { command: 'help' };
  if (values.version === true) return { command: 'version' };
  const [command, file, ...rest] = positionals;
  if (command === undefined) throw new UsageError('no command given; try codemode --help');
  if (command !== 'run') throw new UsageError(`unknown command "${command}"; try codemode --help`);
  if (file === undefined) throw new UsageError('run expects a FILE, or - for standard input');
  if (rest.length > 0) throw new UsageError(`run expects one FILE, got "${rest.join('" "')}" too`);

  const whole = (name: keyof typeof values, smallest: number): number | undefined => wholeNumber(name, values[name], smallest);
  const limits = defined({
    timeoutMs: whole('timeout-ms', 1),
    maxToolCalls: whole('max-tool-calls', 0),
    maxOutputBytes: whole('max-output-bytes', 0),
    maxMemoryBytes: whole('max-memory-bytes', 0),
    maxSteps: whole('max-steps', 0),
  });
  const options = defined({
    nowMs: finiteNumber('now-ms', values['now-ms']),
    seed: unsigned64('seed', values.seed),
    timeZone: values['time-zone'],
  });
  return { command: 'run', file, toolsFile: values.tools, storeFile: values.store, json: values.json === true, limits, options };
}

function parse(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    // The first sentence says it; the rest is advice about positional arguments.
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError((message.split('\n')[0] ?? message).replace(/\. To specify .*$/, ''));
  }
}

function wholeNumber(name: string, text: string | boolean | undefined, smallest: number): number | undefined {
  if (typeof text !== 'string') return undefined;
  const value = /^[0-9]+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(value) || value < smallest) {
    throw new UsageError(`--${name}: expected a whole number of at least ${smallest}, got "${text}"`);
  }
  return value;
}

function finiteNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?$/i.test(text) ? Number(text) : NaN;
  if (!Number.isFinite(value)) throw new UsageError(`--${name}: expected a number of milliseconds, got "${text}"`);
  return value;
}

function unsigned64(name: string, text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  const value = /^[0-9]{1,20}$/.test(text) ? BigInt(text) : -1n;
  if (BigInt.asUintN(64, value) !== value) {
    throw new UsageError(`--${name}: expected an unsigned whole number of 64 bits, got "${text}"`);
  }
  return value;
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the members that are undefined. */
function defined<T extends object>(record: T): Defined<T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Defined<T>;
}
