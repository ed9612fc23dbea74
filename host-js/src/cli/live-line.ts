import type { Hooks } from '../hooks.js';

/** How long a call must be under way before the line shows it: quick ones would only flicker. */
const PATIENCE_MS = 100;

/** One line at the end of a terminal that says which calls are under way. */
export class LiveLine {
  readonly #terminal: NodeJS.WriteStream;
  readonly #running = new Map<number, string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isShown = false;

  constructor(terminal: NodeJS.WriteStream) {
    this.#terminal = terminal;
  }

  /** The hooks that tell the line about calls. */
  readonly hooks: Hooks = {
    tool: {
      before: ({ id, name }) => {
        this.#running.set(id, name);
        this.#showSoon();
      },
      after: ({ id }) => {
        this.#running.delete(id);
        if (this.#isShown) this.#show();
      },
    },
  };

  /** Runs `write`, which prints something, with the line out of the way. */
  around(write: () => void): void {
    const wasShown = this.#isShown;
    this.#clear();
    write();
    if (wasShown) this.#show();
  }

  /** Takes the line away for good. */
  end(): void {
    clearTimeout(this.#timer);
    this.#running.clear();
    this.#clear();
  }

  #showSoon(): void {
    this.#timer ??= setTimeout(() => this.#show(), PATIENCE_MS).unref();
  }

  #show(): void {
    this.#clear();
    this.#timer = undefined;
    if (this.#running.size === 0) return;
    const text = `waiting for ${this.#running.size}: ${[...this.#running.values()].join(', ')}`;
    this.#terminal.write(text.slice(0, (this.#terminal.columns || 80) - 1));
    this.#isShown = true;
  }

  #clear(): void {
    if (this.#isShown) this.#terminal.write('\r\x1b[K');
    this.#isShown = false;
  }
}
