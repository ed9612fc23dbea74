// How the outcome of a tool crosses to the program: JSON text, or a failure with what the error carries.

import type { GuestFailure, GuestOutcome } from './component.js';
import { isRecord } from './json.js';

/** The outcome of a call that gave `value`; a value that JSON cannot say is an invalid output. */
export function success(path: string, value: unknown): GuestOutcome {
  try {
    // Absent for undefined, and for functions and symbols, which JSON has no text for either.
    return { tag: 'ok', val: JSON.stringify(value) as string | undefined };
  } catch (error) {
    return failure(new InvalidOutputError(path, messageOf(error)));
  }
}

/** What a tool throws when what it got hold of cannot be its output. */
export class InvalidOutputError extends Error {
  override readonly name = 'InvalidOutputError';

  constructor(path: string, reason: string) {
    super(`Invalid output from tool '${path}': ${reason}`);
  }
}

/** The outcome of a call to a tool that the host does not have. */
export function unknownTool(path: string): GuestOutcome {
  return { tag: 'err', val: { kind: 'unknown-tool', message: `Unknown tool '${path}'.` } };
}

/** The outcome of a call that threw `error`, which may be anything. */
export function failure(error: unknown): GuestOutcome {
  if (error instanceof InvalidOutputError) return { tag: 'err', val: { kind: 'invalid-tool-output', message: error.message } };
  const val: GuestFailure = { kind: 'tool-failure', message: messageOf(error) };
  if (isRecord(error)) {
    const name = textOf(error, 'name');
    if (name !== undefined && name !== 'Error') val.name = name;
    const data = extraProperties(error);
    if (data !== undefined) val.data = data;
  }
  return { tag: 'err', val };
}

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  try {
    if (typeof error === 'string') return error;
    if (!isRecord(error)) return String(error);
    const message = textOf(error, 'message');
    if (message !== undefined) return message;
    return error instanceof Error ? error.name : (JSON.stringify(error) ?? String(error));
  } catch {
    return 'The tool failed with an error that has no text.';
  }
}

/** A property that is a string which is not empty, wherever it is inherited from. */
function textOf(error: Record<string, unknown>, key: string): string | undefined {
  try {
    const value = error[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Properties that the failure record says otherwise, or that are none of the program's business. */
const HIDDEN = new Set(['name', 'message', 'stack']);

/** The error's own enumerable properties and its cause, as far as JSON can say them. */
function extraProperties(error: Record<string, unknown>): string | undefined {
  const members: string[] = [];
  let keys: string[];
  try {
    keys = Object.keys(error);
    if (Object.hasOwn(error, 'cause') && !keys.includes('cause')) keys.push('cause');
  } catch {
    // A proxy whose traps throw has nothing to say.
    return undefined;
  }
  for (const key of keys) {
    if (HIDDEN.has(key)) continue;
    try {
      const value = error[key];
      const text: string | undefined = JSON.stringify(value instanceof Error ? plainError(value) : value);
      if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
    } catch {
      // A getter that throws, a cycle or a BigInt: the rest of the error still crosses.
    }
  }
  return members.length === 0 ? undefined : `{${members.join(',')}}`;
}

function plainError(error: Error): object {
  return { ...error, name: error.name, message: error.message };
}
