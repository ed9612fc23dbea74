import type { GuestExtension, GuestLimits, GuestOptions, GuestTool } from './component.js';
import { runProgram, type Configuration, type ExecuteOptions } from './execution.js';
import { Extension, type ExtensionFunction } from './extension.js';
import type { Hooks } from './hooks.js';
import { isRecord, type Json } from './json.js';
import type { Callables } from './operations.js';
import type { Result } from './result.js';
import { flattenTools, type Tool, type ToolTree } from './tool.js';

/** Bounds of one execution. Absent means unlimited. */
export interface Limits {
  /** Milliseconds from start to result. */
  readonly timeoutMs?: number;
  readonly maxToolCalls?: number;
  /** UTF-8 bytes of the value, and again of logs and warnings. */
  readonly maxOutputBytes?: number;
  /** Bytes of program data. */
  readonly maxMemoryBytes?: number;
  /** Loop iterations and calls. */
  readonly maxSteps?: number;
  /** Milliseconds without a step and without a call in flight. */
  readonly stallMs?: number;
}

/** How a program sees time, chance and its store. */
export interface Options {
  /** Pins the clock to milliseconds since the epoch at the start; timers then run on virtual time. */
  readonly nowMs?: number;
  /** Pins every source of chance. An unsigned integer of 64 bits. */
  readonly seed?: number | bigint;
  /** IANA name of the local time zone; UTC when absent. */
  readonly timeZone?: string;
  /** What `load` finds. */
  readonly store?: { readonly [key: string]: Json };
}

/** What programs run with. */
export interface CodeModeConfig {
  readonly tools?: ToolTree;
  readonly extensions?: readonly Extension[];
  readonly hooks?: Hooks;
  readonly limits?: Limits;
  readonly options?: Options;
}

/** The smallest value of each limit. */
const LIMITS: Record<keyof Limits, number> = {
  timeoutMs: 1,
  maxToolCalls: 0,
  maxOutputBytes: 0,
  maxMemoryBytes: 0,
  maxSteps: 0,
  stallMs: 1,
};

/** Runs programs against a set of tools. Executions share nothing but the compiled interpreter: each has its own instance. */
export class CodeMode {
  readonly #configuration: Configuration;
  readonly #callables: Callables;

  private constructor(configuration: Configuration, callables: Callables) {
    this.#configuration = configuration;
    this.#callables = callables;
  }

  /**
   * Prepares tools, extensions, limits and options for any number of executions.
   *
   * @throws TypeError or RangeError that names the part of the configuration at fault.
   */
  static make(config: CodeModeConfig = {}): CodeMode {
    const { tools: tree = {}, extensions = [], hooks = {}, limits = {}, options = {} } = config;
    const tools = flattenTools(tree);
    const globals = flattenExtensions(extensions);
    const configuration: Configuration = {
      tools: [...tools].map(([path, tool]) => guestTool(path, tool)),
      extensions: [...globals].map(([name, { extension }]): GuestExtension => ({ name, description: extension.description })),
      limits: guestLimits(limits),
      options: guestOptions(options),
    };
    return new CodeMode(configuration, { tools, extensions: globals, hooks });
  }

  /** `CodeMode.make(config).execute(config.code, config)`. */
  static async execute(config: CodeModeConfig & ExecuteOptions & { readonly code: string }): Promise<Result> {
    return CodeMode.make(config).execute(config.code, config);
  }

  /**
   * Runs a program. Whatever the program does is a result; the promise rejects only with a {@link ConfigurationError}, with what
   * `onOutput` threw, or when the files of this package cannot be loaded.
   */
  async execute(source: string, options: ExecuteOptions = {}): Promise<Result> {
    return JSON.parse(await this.executeToJson(source, options)) as Result;
  }

  /** As {@link CodeMode.execute}, but the result is JSON text: the same bytes on every host, but for durations. */
  async executeToJson(source: string, options: ExecuteOptions = {}): Promise<string> {
    if (typeof source !== 'string') throw new TypeError('The source of a program must be a string.');
    return runProgram(this.#configuration, this.#callables, source, options);
  }
}

function flattenExtensions(extensions: readonly Extension[]): Map<string, { extension: Extension; execute: ExtensionFunction }> {
  const globals = new Map<string, { extension: Extension; execute: ExtensionFunction }>();
  for (const extension of extensions) {
    if (!(extension instanceof Extension)) throw new TypeError('The extensions must be made by Extension.make.');
    for (const [name, execute] of extension.globals) {
      const other = globals.get(name);
      if (other !== undefined) throw new TypeError(`"${name}" of extension "${extension.name}" is already defined by "${other.extension.name}".`);
      globals.set(name, { extension, execute });
    }
  }
  return globals;
}

function guestTool(path: string, tool: Tool): GuestTool {
  const definition: GuestTool = { path, description: tool.description };
  if (tool.input !== undefined) definition.inputSchema = schemaText(path, 'input', tool.input);
  if (tool.output !== undefined) definition.outputSchema = schemaText(path, 'output', tool.output);
  return definition;
}

function schemaText(path: string, key: string, schema: unknown): string {
  try {
    return JSON.stringify(schema);
  } catch (error) {
    throw new TypeError(`The ${key} schema of tool "${path}" is not JSON.`, { cause: error });
  }
}

function guestLimits(limits: Limits): GuestLimits {
  const result: GuestLimits = {};
  for (const [name, smallest] of Object.entries(LIMITS) as [keyof Limits, number][]) {
    const value = limits[name];
    if (value === undefined) continue;
    if (!Number.isSafeInteger(value) || value < smallest) throw new RangeError(`${name} must be a safe integer of at least ${smallest}.`);
    result[name] = BigInt(value);
  }
  for (const name of Object.keys(limits)) {
    if (!Object.hasOwn(LIMITS, name)) throw new TypeError(`There is no limit "${name}".`);
  }
  return result;
}

function guestOptions({ nowMs, seed, timeZone, store }: Options): GuestOptions {
  const result: GuestOptions = {};
  if (nowMs !== undefined) {
    if (!Number.isFinite(nowMs)) throw new RangeError('nowMs must be a finite number of milliseconds.');
    result.nowMs = nowMs;
  }
  if (seed !== undefined) {
    const isInteger = typeof seed === 'bigint' || Number.isSafeInteger(seed);
    if (!isInteger || BigInt.asUintN(64, BigInt(seed)) !== BigInt(seed)) throw new RangeError('seed must be an unsigned integer of 64 bits.');
    result.seed = BigInt(seed);
  }
  if (timeZone !== undefined) {
    if (typeof timeZone !== 'string') throw new TypeError('timeZone must be the IANA name of a time zone.');
    result.timeZone = timeZone;
  }
  if (store !== undefined) {
    if (!isRecord(store)) throw new TypeError('store must be a record of JSON values.');
    result.store = JSON.stringify(store);
  }
  return result;
}
