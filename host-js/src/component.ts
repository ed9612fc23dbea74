import type { Root } from '../generated/codemode.js';
import type * as ExecuteTypes from '../generated/interfaces/codemode-interpreter-execute.js';
import type * as OutputTypes from '../generated/interfaces/codemode-interpreter-output.js';
import type * as ToolCallTypes from '../generated/interfaces/codemode-interpreter-tool-call.js';
import { nextTurn } from './turn.js';
import { wasiImports } from './wasi.js';

export type { Root };
export type GuestExecution = ExecuteTypes.Execution;
export type GuestFailure = ExecuteTypes.Failure;
export type GuestTool = ExecuteTypes.Tool;
export type GuestExtension = ExecuteTypes.Extension;
export type GuestLimits = ExecuteTypes.Limits;
export type GuestOptions = ExecuteTypes.Options;
export type GuestOutcome = ExecuteTypes.Result<string | undefined, GuestFailure>;
export type GuestOutputItem = OutputTypes.Item;
export type GuestCall = ToolCallTypes.Call;

/** What an instance calls in its host. */
export interface GuestImports {
  toolCall: { start(call: GuestCall): void; cancel(id: bigint): void };
  output: { emit(item: GuestOutputItem): void };
}

/** Core modules by name, promises only while they compile. */
const modules = new Map<string, WebAssembly.Module | Promise<WebAssembly.Module>>();

/**
 * A fresh instance of the interpreter. The first one compiles the core modules; from then on instantiation is synchronous,
 * and the promise costs one microtask.
 *
 * @throws Error when the files of the package cannot be loaded or compiled.
 */
export async function instantiateComponent(imports: GuestImports): Promise<Root> {
  const { instantiate } = await loadGlue();
  return instantiate(
    getCoreModule,
    {
      ...wasiImports,
      'codemode:interpreter/tool-call': { ...imports.toolCall },
      'codemode:interpreter/output': { ...imports.output },
    },
    (module, coreImports) => new WebAssembly.Instance(module, coreImports),
  );
}

type Glue = typeof import('../generated/codemode.js');
let glue: Glue | undefined;

function loadGlue(): Glue | Promise<Glue> {
  return glue ?? import('../generated/codemode.js').then((loaded) => (glue = loaded));
}

function getCoreModule(name: string): WebAssembly.Module | Promise<WebAssembly.Module> {
  const known = modules.get(name);
  if (known !== undefined) return known;
  const compiling = compile(new URL(`../generated/${name}`, import.meta.url)).then(
    (module) => {
      modules.set(name, module);
      return module;
    },
    (error: unknown) => {
      modules.delete(name);
      throw error;
    },
  );
  modules.set(name, compiling);
  return compiling;
}

function compile(url: URL): Promise<WebAssembly.Module> {
  return url.protocol === 'file:' ? compileFile(url) : WebAssembly.compileStreaming(fetch(url));
}

/** Node and its likes cannot fetch the package's own files. */
async function compileFile(url: URL): Promise<WebAssembly.Module> {
  const { readFile } = await import('node:fs/promises');
  const module = await WebAssembly.compile(new Uint8Array(await readFile(url)));
  // Node resumes from an asynchronous compilation inside a drain of V8's tasks when nothing else keeps its loop alive. The drain
  // then waits for every later task too, such as optimising the interpreter's loop, before it lets a timer fire.
  await nextTurn();
  return module;
}
