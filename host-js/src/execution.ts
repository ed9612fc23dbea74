// The loop that drives one program: run, wait for any operation or timer, settle what finished, run again.

import {
  instantiateComponent,
  type GuestExecution,
  type GuestExtension,
  type GuestLimits,
  type GuestOptions,
  type GuestOutputItem,
  type GuestTool,
  type Root,
} from './component.js';
import { messageOf } from './outcome.js';
import { Operations, type Callables } from './operations.js';
import type { Failure, OutputItem, ProgramError } from './result.js';
import { nextTurn } from './turn.js';

/** What the interpreter is told before a program starts. */
export interface Configuration {
  readonly tools: GuestTool[];
  readonly extensions: GuestExtension[];
  readonly limits: GuestLimits;
  readonly options: GuestOptions;
}

/** What one call of `execute` may add. */
export interface ExecuteOptions {
  /** Stops the program when it aborts: the result is then a failure of kind `Aborted`. */
  readonly signal?: AbortSignal;
  /** Takes each output item as it is produced. */
  readonly onOutput?: (item: OutputItem) => void;
}

/** The interpreter refused tools, extensions, limits or options. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** Steps between two looks at the event loop: some milliseconds, so that signals and timers of the host stay alive. */
const SLICE = 1_000_000n;

/** The longest delay that timers of JavaScript hosts take. */
const LONGEST_DELAY = 2 ** 31 - 1;

/**
 * Runs `source` in a fresh instance; gives the result as JSON text. Rejects only for faults of the host: its configuration, its
 * callbacks, its files.
 */
export async function runProgram(
  configuration: Configuration,
  callables: Callables,
  source: string,
  options: ExecuteOptions,
): Promise<string> {
  const run = new ProgramRun(configuration, callables, options);
  try {
    return await run.complete(source);
  } finally {
    run.dispose();
  }
}

class ProgramRun {
  readonly #configuration: Configuration;
  readonly #options: ExecuteOptions;
  readonly #operations: Operations;
  readonly #output: OutputItem[] = [];
  readonly #timeoutMs: number | undefined;
  #deadline = Infinity;
  /** Wakes the loop while it waits. */
  #wake: () => void = () => {};
  /** The first error that a callback of the host threw. */
  #hostFault: { error: unknown } | undefined;
  /** The guest knows that it is to stop. */
  #stopped = false;

  constructor(configuration: Configuration, callables: Callables, options: ExecuteOptions) {
    this.#configuration = configuration;
    this.#options = options;
    this.#operations = new Operations(callables);
    this.#operations.onSettled = this.#interrupt;
    const { timeoutMs } = configuration.limits;
    this.#timeoutMs = timeoutMs === undefined ? undefined : Number(timeoutMs);
    options.signal?.addEventListener('abort', this.#interrupt);
  }

  /** Ends everything that the program leaves behind. */
  dispose(): void {
    this.#options.signal?.removeEventListener('abort', this.#interrupt);
    this.#operations.cancelAll();
  }

  async complete(source: string): Promise<string> {
    const instance = await this.#instantiate();
    if ('trap' in instance) return JSON.stringify(this.#failedInterpreter(instance.trap));
    const { execute } = instance.value;
    const execution = this.#enter(() => this.#start(execute, source));
    if ('trap' in execution) return JSON.stringify(this.#failedInterpreter(execution.trap));
    if (this.#timeoutMs !== undefined) this.#deadline = performance.now() + this.#timeoutMs;
    return this.#drive(execution.value);
  }

  async #instantiate(): Promise<{ value: Root } | { trap: unknown }> {
    try {
      const value = await instantiateComponent({
        toolCall: { start: (call) => this.#operations.start(call), cancel: (id) => this.#operations.cancel(id) },
        output: { emit: (item) => this.#emit(item) },
      });
      return { value };
    } catch (error) {
      // No memory for one more instance: this execution fails, and the host goes on.
      if (error instanceof RangeError || error instanceof WebAssembly.RuntimeError) return { trap: error };
      throw error;
    }
  }

  #start({ Runtime }: Root['execute'], source: string): GuestExecution {
    const { tools, extensions, limits, options } = this.#configuration;
    try {
      return Runtime.create(tools, extensions, limits, options).start(source);
    } catch (error) {
      // The glue turns the error case of a result into an error with a payload.
      const payload: unknown = error instanceof Error && 'payload' in error ? error.payload : undefined;
      throw typeof payload === 'string' ? new ConfigurationError(payload) : error;
    }
  }

  async #drive(execution: GuestExecution): Promise<string> {
    for (;;) {
      const entered = this.#enter(() => {
        this.#deliver(execution);
        return execution.run(SLICE);
      });
      if (this.#hostFault !== undefined) throw this.#hostFault.error;
      if ('trap' in entered) return JSON.stringify(this.#failedInterpreter(entered.trap));
      const status = entered.value;
      if (status.tag === 'done') return status.val;
      if (status.tag === 'yielded') await nextTurn();
      else await this.#wait(execution, status.val.calls.length, status.val.timerMs);
    }
  }

  /** Tells the guest what has happened since it ran. */
  #deliver(execution: GuestExecution): void {
    for (const { id, outcome } of this.#operations.takeSettled()) execution.settle(id, outcome);
    const { signal } = this.#options;
    if (signal?.aborted === true) this.#stop(execution, abortReason(signal), false);
    else if (performance.now() >= this.#deadline) this.#stop(execution, `Execution timed out after ${this.#timeoutMs}ms.`, true);
  }

  #stop(execution: GuestExecution, reason: string, timedOut: boolean): void {
    if (this.#stopped) return;
    this.#stopped = true;
    execution.abort(reason, timedOut);
  }

  /** Until an operation settles, the timer is due, the deadline passes or the signal aborts. */
  async #wait(execution: GuestExecution, calls: number, timerMs: number | undefined): Promise<void> {
    if (calls === 0 && timerMs === undefined) {
      this.#stop(execution, 'The program waits for something that can never happen.', false);
      return;
    }
    if (this.#operations.hasSettled || this.#options.signal?.aborted === true) return;
    const delay = Math.min(timerMs ?? Infinity, this.#deadline - performance.now());
    await new Promise<void>((resolve) => {
      const timer = delay < Infinity ? setTimeout(resolve, Math.min(Math.max(Math.ceil(delay), 0), LONGEST_DELAY)) : undefined;
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }

  readonly #interrupt = (): void => this.#wake();

  #emit(item: GuestOutputItem): void {
    const output = outputItem(item);
    this.#output.push(output);
    try {
      this.#options.onOutput?.(output);
    } catch (error) {
      // It must not unwind through the guest; the loop throws it when the guest has returned.
      this.#hostFault ??= { error };
    }
  }

  /** Calls into the instance. Whatever escapes from it, but for a refused configuration, is a trap. */
  #enter<T>(call: () => T): { value: T } | { trap: unknown } {
    try {
      return { value: call() };
    } catch (trap) {
      if (trap instanceof ConfigurationError) throw trap;
      return { trap };
    }
  }

  /** The result of an interpreter that trapped: what the host saw of the program. */
  #failedInterpreter(trap: unknown): Failure {
    this.#operations.cancelAll();
    const error: ProgramError = {
      kind: 'ExecutionFailure',
      name: 'InternalError',
      message: `The interpreter failed: ${messageOf(trap)}`,
    };
    const logs = this.#output.flatMap((item) => (item.type === 'text' && item.console === true ? [item.text] : []));
    return { ok: false, error, output: this.#output, logs, warnings: [], toolCalls: this.#operations.records, usage: { steps: 0 } };
  }
}

function outputItem(item: GuestOutputItem): OutputItem {
  switch (item.tag) {
    case 'text':
      return { type: 'text', text: item.val };
    case 'console':
      return { type: 'text', text: item.val, console: true };
    case 'image':
      return { type: 'image', data: item.val.data, mimeType: item.val.mimeType };
  }
}

function abortReason(signal: AbortSignal): string {
  const { reason } = signal as { reason: unknown };
  // The reason of an `abort()` without one says nothing that the kind does not say.
  const isDefault = reason instanceof DOMException && reason.name === 'AbortError';
  return isDefault ? 'The execution was aborted.' : messageOf(reason);
}
