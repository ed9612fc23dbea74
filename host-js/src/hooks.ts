import type { Json } from './json.js';

/** One tool call, the same object in both hooks. */
export interface ToolInvocation {
  readonly id: number;
  /** Canonical dotted path. */
  readonly name: string;
  readonly input: Json | undefined;
  readonly line?: number;
}

/** One call of a global of an extension, the same object in both hooks. */
export interface ExtensionInvocation {
  readonly id: number;
  readonly extension: string;
  /** The name of the global, `name` or `namespace.member`. */
  readonly name: string;
  readonly args: Json[];
  readonly line?: number;
}

/** How a call ended. */
export type CallResult =
  | { readonly status: 'success'; readonly value: unknown }
  | { readonly status: 'failure'; readonly error: unknown }
  | { readonly status: 'interrupted' };

/** Looks at calls on their way. */
export interface CallHooks<Invocation> {
  /** Runs before the call; the call waits for it. Throwing denies the call: it never starts, and the program catches the error. */
  before?(call: Invocation): unknown;
  /** Runs once after a call that `before` let pass. It only observes: what it throws is ignored. */
  after?(call: Invocation, result: CallResult): unknown;
}

/** The hooks of a host. */
export interface Hooks {
  readonly tool?: CallHooks<ToolInvocation>;
  readonly extension?: CallHooks<ExtensionInvocation>;
}
