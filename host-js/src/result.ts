import type { Json } from './json.js';

/** Why a program failed. */
export type ErrorKind =
  | 'ParseError'
  | 'UnsupportedSyntax'
  | 'UnknownTool'
  | 'InvalidToolInput'
  | 'InvalidToolOutput'
  | 'InvalidDataValue'
  | 'ToolCallLimitExceeded'
  | 'TimeoutExceeded'
  | 'MemoryLimitExceeded'
  | 'StepLimitExceeded'
  | 'ToolFailure'
  | 'ExecutionFailure'
  | 'Stalled'
  | 'Aborted';

/** A place in the submitted source. Lines and columns are 1-based. */
export interface Location {
  line: number;
  column: number;
}

/** What went wrong, for whoever wrote the program. */
export interface ProgramError {
  kind: ErrorKind;
  /** Name of the uncaught error, as in `TypeError`. */
  name?: string;
  message: string;
  location?: Location;
  /** The line at fault with a mark below it. */
  excerpt?: string;
  /** The program's frames. */
  stack?: string;
  suggestions?: string[];
}

/** Something that the program should know but that did not stop it. */
export interface Warning {
  kind: string;
  message: string;
  location?: Location;
}

/** One thing that the program printed. */
export type OutputItem =
  | { type: 'text'; text: string; console?: true }
  | { type: 'image'; data: string; mimeType: string };

/** One call that the program made. */
export interface ToolCall {
  /** 1-based, in the order of the calls. */
  id: number;
  name: string;
  status: 'ok' | 'error' | 'cancelled';
  durationMs: number;
}

/** What the program wrote with `store`. */
export interface StoreWrites {
  set: { [key: string]: Json };
  delete: string[];
}

/** What an execution used. */
export interface Usage {
  /** Loop iterations and calls: the same number on every host and machine. */
  steps: number;
  [measure: string]: number;
}

interface Outcome {
  output: OutputItem[];
  /** The console lines. */
  logs: string[];
  warnings: Warning[];
  toolCalls: ToolCall[];
  truncated?: true;
  usage: Usage;
}

/** The program finished. */
export interface Success extends Outcome {
  ok: true;
  /** What it returned; null when nothing. */
  value: Json;
  storeWrites?: StoreWrites;
}

/** The program failed, was stopped or never started. */
export interface Failure extends Outcome {
  ok: false;
  error: ProgramError;
}

/** What became of a program. A failing program is data, never an exception. */
export type Result = Success | Failure;
