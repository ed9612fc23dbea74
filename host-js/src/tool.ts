import { isRecord, type JsonSchema } from './json.js';

/** What a tool learns about the call besides its input. */
export interface CallContext {
  /** Aborts when nobody waits for the result any more: the program ended, was stopped, or lost interest. */
  readonly signal: AbortSignal;
  /** 1-based number of the call in this execution, in the order in which the program issued its calls. */
  readonly id: number;
  /** Line of the program that made the call, absent when unknown. */
  readonly line?: number;
}

/** What a program calls. The result, or what its promise gives, crosses to the program as JSON. */
export type ToolFunction<Input = any, Output = unknown> = (input: Input, context: CallContext) => Output | Promise<Output>;

/** What a tool consists of. */
export interface ToolDefinition<Input = any, Output = unknown> {
  /** What the tool does, for whoever writes programs. */
  readonly description: string;
  /** JSON Schema of the input: an input that does not match never reaches `execute`. */
  readonly input?: JsonSchema;
  /** JSON Schema of the output: an output that does not match fails the call. */
  readonly output?: JsonSchema;
  /** Does the work. What it throws becomes an error that the program can catch. */
  readonly execute: ToolFunction<Input, Output>;
}

/** A tool that programs can call; made by {@link Tool.make}. */
export class Tool<Input = any, Output = unknown> implements ToolDefinition<Input, Output> {
  readonly description: string;
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
  readonly execute: ToolFunction<Input, Output>;

  private constructor(definition: ToolDefinition<Input, Output>) {
    this.description = definition.description;
    if (definition.input !== undefined) this.input = definition.input;
    if (definition.output !== undefined) this.output = definition.output;
    this.execute = definition.execute;
  }

  /**
   * Makes a tool.
   *
   * @throws TypeError when a part of the definition has the wrong type.
   */
  static make<Input = any, Output = unknown>(definition: ToolDefinition<Input, Output>): Tool<Input, Output> {
    if (!isRecord(definition)) throw new TypeError('Tool.make expects an object with description and execute.');
    const { description, input, output, execute } = definition;
    if (typeof description !== 'string') throw new TypeError('The description of a tool must be a string.');
    if (typeof execute !== 'function') throw new TypeError('The execute of a tool must be a function.');
    checkSchema('input', input);
    checkSchema('output', output);
    return new Tool(definition);
  }
}

/** Tools by name. A record nests further: `{ orders: { lookup } }` and `{ 'orders.lookup': lookup }` are the same tree. */
export interface ToolTree {
  readonly [name: string]: Tool<any, any> | ToolFunction<any, any> | ToolTree;
}

/**
 * The tools of a tree by canonical dotted path, in the order of the tree. The last one wins where two have the same path.
 *
 * @throws TypeError naming the path that is no tool, is empty in a segment, or contains itself.
 */
export function flattenTools(tree: ToolTree): Map<string, Tool> {
  if (!isRecord(tree)) throw new TypeError('The tools must be a record of tools.');
  const tools = new Map<string, Tool>();
  addTools(tree, '', tools, new Set());
  return tools;
}

function addTools(tree: ToolTree, prefix: string, tools: Map<string, Tool>, ancestors: Set<ToolTree>): void {
  if (ancestors.has(tree)) throw new TypeError(`The tools at "${prefix}" contain themselves.`);
  ancestors.add(tree);
  for (const [name, entry] of Object.entries(tree)) {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    if (path.split('.').includes('')) throw new TypeError(`The tool path "${path}" has an empty segment.`);
    if (entry instanceof Tool) tools.set(path, entry);
    else if (typeof entry === 'function') tools.set(path, Tool.make({ description: '', execute: entry }));
    else if (isRecord(entry)) addTools(entry, path, tools, ancestors);
    else throw new TypeError(`"${path}" is no tool: give a function, a Tool.make({ ... }) or a record of tools.`);
  }
  ancestors.delete(tree);
}

function checkSchema(key: string, schema: unknown): void {
  if (schema !== undefined && typeof schema !== 'boolean' && !isRecord(schema)) {
    throw new TypeError(`The ${key} of a tool must be a JSON Schema: an object or a boolean.`);
  }
}
