// Stand-in tools from a JSON file, for trying programs and for tests. Every host reads the same format.

import { spawn } from 'node:child_process';
import { isRecord, type Json, type JsonSchema } from '../json.js';
import { InvalidOutputError } from '../outcome.js';
import { Tool, type CallContext, type ToolTree } from '../tool.js';
import { readJson } from './files.js';
import { UsageError } from './usage-error.js';

/** Keys that say what a call gives; at most one of them. */
const RESULT_KEYS = ['returns', 'throws', 'echo', 'command', 'sequence'] as const;
const KEYS = ['description', 'input', 'output', ...RESULT_KEYS, 'delayMs'];

/**
 * The tools of a tools file.
 *
 * @throws UsageError that names file, tool and key at fault.
 */
export async function readTools(file: string): Promise<ToolTree> {
  return toolsOf(file, await readJson(file));
}

/**
 * The tools that `content` of `file` describes.
 *
 * @throws UsageError that names file, tool and key at fault.
 */
export function toolsOf(file: string, content: unknown): ToolTree {
  if (!isRecord(content)) throw new UsageError(`${file}: expected an object of tools`);
  return Object.fromEntries(Object.entries(content).map(([path, entry]) => [path, standInTool(file, path, entry)]));
}

function standInTool(file: string, path: string, entry: unknown): Tool {
  const fail = (message: string): never => {
    throw new UsageError(`${file}: tool "${path}": ${message}`);
  };
  if (path.split('.').includes('')) fail('the name has an empty segment');
  if (!isRecord(entry)) return fail('expected an object');
  const must = (key: string, holds: (value: unknown) => boolean, what: string): void => {
    if (Object.hasOwn(entry, key) && !holds(entry[key])) fail(`"${key}" must be ${what}`);
  };
  const unknownKey = Object.keys(entry).find((key) => !KEYS.includes(key));
  if (unknownKey !== undefined) fail(`unknown key "${unknownKey}" (known: ${KEYS.join(', ')})`);
  const [first, second] = RESULT_KEYS.filter((key) => Object.hasOwn(entry, key));
  if (second !== undefined) fail(`"${first}" and "${second}" exclude each other`);
  must('description', (value) => typeof value === 'string', 'a string');
  must('input', isSchema, 'an object');
  must('output', isSchema, 'an object');
  must('throws', (value) => typeof value === 'string', 'a string');
  must('echo', (value) => value === true, 'true');
  must('command', isCommand, 'a non-empty array of strings');
  must('sequence', (value) => Array.isArray(value) && value.length > 0, 'a non-empty array');
  must('delayMs', (value) => typeof value === 'number' && value >= 0, 'a number of milliseconds, 0 or more');

  const { description, input, output, delayMs } = entry as { description?: string; input?: JsonSchema; output?: JsonSchema; delayMs?: number };
  const answer = answerOf(path, entry);
  return Tool.make({
    description: description ?? '',
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    execute: (value: Json, context) => {
      // A sequence counts calls as they start, whatever order they finish in.
      const result = answer(value, context);
      return delayMs === undefined ? result() : delay(delayMs, context.signal).then(result);
    },
  });
}

/** What a call gives: called when it starts, and what that gave when its delay is over. */
type Answer = (input: Json, context: CallContext) => () => unknown;

function answerOf(path: string, entry: Record<string, unknown>): Answer {
  if (Object.hasOwn(entry, 'returns')) return () => () => entry['returns'];
  if (Object.hasOwn(entry, 'echo')) return (input) => () => input;
  if (Object.hasOwn(entry, 'throws')) {
    return () => () => {
      throw new Error(entry['throws'] as string);
    };
  }
  if (Object.hasOwn(entry, 'sequence')) {
    const sequence = entry['sequence'] as unknown[];
    let next = 0;
    return () => {
      const value = sequence[next];
      next = Math.min(next + 1, sequence.length - 1);
      return () => value;
    };
  }
  if (Object.hasOwn(entry, 'command')) {
    return (input, { signal }) => () => runCommand(path, entry['command'] as string[], input, signal);
  }
  return () => () => undefined;
}

function isSchema(value: unknown): boolean {
  return typeof value === 'boolean' || isRecord(value);
}

function isCommand(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string');
}

/** Ends early, with nobody waiting any more, when the signal aborts. */
function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Runs a program that gets the input as JSON on its standard input and answers JSON on its standard output. */
function runCommand(path: string, [program = '', ...args]: string[], input: Json | undefined, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve(undefined);
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    signal.addEventListener('abort', () => child.kill());
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', (error) => reject(new Error(`cannot run ${program}: ${error.message}`)));
    child.on('close', (status, signalName) => {
      if (status !== 0) {
        const ending = status === null ? `was ended by ${signalName}` : `exited with status ${status}`;
        reject(new Error(stderr.trim() || `${program} ${ending}`));
      } else if (stdout.trim() === '') {
        resolve(undefined);
      } else {
        try {
          resolve(JSON.parse(stdout));
        } catch {
          reject(new InvalidOutputError(path, 'it is not JSON'));
        }
      }
    });
    // A program that does not read its input is no fault.
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(input ?? null));
  });
}
