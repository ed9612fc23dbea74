import { readFile, writeFile } from 'node:fs/promises';
import { isRecord, type Json } from '../json.js';
import type { StoreWrites } from '../result.js';
import { UsageError } from './usage-error.js';

/** Larger sources are refused unread by the interpreter. */
const MAX_SOURCE_BYTES = 16 * 1024 * 1024;

/**
 * The text of a program.
 *
 * @throws UsageError when it cannot be read, is too large or is not UTF-8.
 */
export async function readSource(file: string): Promise<string> {
  const bytes = file === '-' ? await readStandardInput() : await readBytes(file);
  const name = sourceName(file);
  if (bytes.length > MAX_SOURCE_BYTES) throw new UsageError(`${name} is larger than 16 MiB`);
  return decode(name, bytes);
}

/** How messages name the program's file. */
export function sourceName(file: string): string {
  return file === '-' ? '<stdin>' : file;
}

/**
 * What a JSON file holds.
 *
 * @throws UsageError when it cannot be read or is not JSON.
 */
export async function readJson(file: string): Promise<Json> {
  const text = decode(file, await readBytes(file)).replace(/^\uFEFF/, '');
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${reasonOf(error)}`);
  }
}

/**
 * The values of a store file; none when there is no such file yet.
 *
 * @throws UsageError when it cannot be read or is not a JSON object.
 */
export async function readStore(file: string): Promise<{ [key: string]: Json }> {
  try {
    const store = await readJson(file);
    if (!isRecord(store)) throw new UsageError(`${file}: expected an object of stored values`);
    return store as { [key: string]: Json };
  } catch (error) {
    if (error instanceof UsageError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return {};
    throw error;
  }
}

/**
 * Applies what a program wrote to its store file.
 *
 * @throws UsageError when it cannot be written.
 */
export async function writeStore(file: string, store: { [key: string]: Json }, writes: StoreWrites): Promise<void> {
  const entries = new Map(Object.entries(store));
  for (const key of writes.delete) entries.delete(key);
  for (const [key, value] of Object.entries(writes.set)) entries.set(key, value);
  try {
    await writeFile(file, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
  } catch (error) {
    throw new UsageError(`cannot write ${file}: ${reasonOf(error)}`);
  }
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${reasonOf(error)}`, { cause: error });
  }
}

async function readStandardInput(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_SOURCE_BYTES) break;
  }
  return Buffer.concat(chunks);
}

function decode(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${name} is not valid UTF-8`);
  }
}

/** Reasons of the operating system that users meet, without the code and the call that Node puts around them. */
const REASONS: Record<string, string> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
};

/** One line that says why a file operation or a parse failed. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = code === undefined ? undefined : REASONS[code];
  return reason ?? (message.split('\n')[0] ?? message);
}
