// The operations that a program has started, from the call to the outcome that goes back.

import type { GuestCall, GuestOutcome } from './component.js';
import type { Extension, ExtensionFunction } from './extension.js';
import type { CallHooks, CallResult, Hooks } from './hooks.js';
import type { Json } from './json.js';
import { failure, success, unknownTool } from './outcome.js';
import type { CallContext, Tool } from './tool.js';

/** What programs can call: canonical path to tool, global to function. */
export interface Callables {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly extensions: ReadonlyMap<string, { readonly extension: Extension; readonly execute: ExtensionFunction }>;
  readonly hooks: Hooks;
}

/** An operation with its outcome. */
export interface Settlement {
  readonly id: bigint;
  readonly outcome: GuestOutcome;
}

/** A call as the host saw it, for the result of an interpreter that cannot tell any more. */
export interface CallRecord {
  readonly id: number;
  readonly name: string;
  status: 'ok' | 'error' | 'cancelled';
  durationMs: number;
}

interface Running {
  readonly controller: AbortController;
  readonly record: CallRecord;
  readonly started: number;
  /** Tells the after hook, once. */
  finish: (result: CallResult) => void;
}

/** The operations of one execution. */
export class Operations {
  /** Every call of the execution, in order. */
  readonly records: CallRecord[] = [];
  readonly #callables: Callables;
  readonly #running = new Map<bigint, Running>();
  #settled: Settlement[] = [];
  /** Called when an operation settles. */
  onSettled: () => void = () => {};

  constructor(callables: Callables) {
    this.#callables = callables;
  }

  /** Whether an outcome is there to deliver. */
  get hasSettled(): boolean {
    return this.#settled.length > 0;
  }

  /** Begins the operation: the tool has been entered when this returns, unless a before hook takes its time. */
  start(call: GuestCall): void {
    const running: Running = {
      controller: new AbortController(),
      record: { id: Number(call.id), name: call.path, status: 'cancelled', durationMs: 0 },
      started: performance.now(),
      finish: () => {},
    };
    this.records.push(running.record);
    this.#running.set(call.id, running);
    void this.#perform(call, running).then((outcome) => this.#settle(call.id, outcome));
  }

  /** Stops an operation that nobody waits for. */
  cancel(id: bigint): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#running.delete(id);
    this.#settled = this.#settled.filter((settlement) => settlement.id !== id);
    running.record.durationMs = performance.now() - running.started;
    running.finish({ status: 'interrupted' });
    running.controller.abort();
  }

  /** Stops everything that still runs. */
  cancelAll(): void {
    for (const id of [...this.#running.keys()]) this.cancel(id);
  }

  /** The outcomes that have arrived since the last call, in the order of their arrival. */
  takeSettled(): Settlement[] {
    const settled = this.#settled;
    this.#settled = [];
    for (const { id } of settled) this.#running.delete(id);
    return settled;
  }

  #settle(id: bigint, outcome: GuestOutcome): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.record.status = outcome.tag === 'ok' ? 'ok' : 'error';
    running.record.durationMs = performance.now() - running.started;
    this.#settled.push({ id, outcome });
    this.onSettled();
  }

  /** Never rejects. */
  #perform(call: GuestCall, running: Running): Promise<GuestOutcome> {
    const id = running.record.id;
    const line = call.line > 0 ? { line: call.line } : {};
    const context: CallContext = { signal: running.controller.signal, id, ...line };
    const { tools, extensions, hooks } = this.#callables;
    if (call.kind === 'tool') {
      const tool = tools.get(call.path);
      if (tool === undefined) return Promise.resolve(unknownTool(call.path));
      const input = call.arguments === '' ? undefined : (JSON.parse(call.arguments) as Json);
      const invocation = { id, name: call.path, input, ...line };
      return observe(call.path, running, hooks.tool, invocation, () => tool.execute(input, context));
    }
    const global = extensions.get(call.path);
    if (global === undefined) return Promise.resolve(unknownTool(call.path));
    const args = JSON.parse(call.arguments) as Json[];
    const invocation = { id, extension: global.extension.name, name: call.path, args, ...line };
    return observe(call.path, running, hooks.extension, invocation, () => global.execute.call(context, ...args));
  }
}

/** Runs `work` between the hooks. It is entered at once unless the before hook takes its time. */
async function observe<Invocation>(
  path: string,
  running: Running,
  hooks: CallHooks<Invocation> | undefined,
  invocation: Invocation,
  work: () => unknown,
): Promise<GuestOutcome> {
  try {
    const gate = hooks?.before?.(invocation);
    if (isThenable(gate)) await gate;
  } catch (error) {
    return failure(error);
  }
  // The program may have lost interest while the hook made up its mind.
  if (running.controller.signal.aborted) return failure(running.controller.signal.reason);
  if (hooks?.after !== undefined) running.finish = afterOnce(hooks, invocation);
  let outcome: GuestOutcome;
  let result: CallResult;
  try {
    const value = await work();
    outcome = success(path, value);
    result = outcome.tag === 'ok' ? { status: 'success', value } : { status: 'failure', error: new TypeError(outcome.val.message) };
  } catch (error) {
    outcome = failure(error);
    result = { status: 'failure', error };
  }
  running.finish(result);
  return outcome;
}

function afterOnce<Invocation>(hooks: CallHooks<Invocation>, invocation: Invocation): (result: CallResult) => void {
  let called = false;
  return (result) => {
    if (called) return;
    called = true;
    // The hook only observes: whether it throws or rejects changes nothing for the program.
    void (async () => hooks.after?.(invocation, result))().catch(() => {});
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
