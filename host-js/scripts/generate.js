// Turns the component into what a JavaScript engine can load: core modules and the glue around them, in generated/.
//
//   node scripts/generate.js [COMPONENT]     (../target/codemode.wasm by default)
//
// Of all versions of jco, 1.12 writes the glue with the cheapest calls; see "Toolchain" in ARCHITECTURE.md.

import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transpile } from '@bytecodealliance/jco';
import { joinSegments } from './segments.js';

const packageDirectory = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const outDirectory = join(packageDirectory, 'generated');
const componentPath = resolve(process.argv[2] ?? join(packageDirectory, '..', 'target', 'codemode.wasm'));

if (!existsSync(componentPath)) {
  console.error(`generate: ${componentPath} does not exist; build the component first (make component).`);
  process.exit(1);
}

/** Changes to the glue, each of which must match exactly once. */
const edits = [
  {
    why: 'text that begins with U+FEFF keeps it',
    from: 'new TextDecoder()',
    to: "new TextDecoder('utf-8', { ignoreBOM: true })",
  },
  {
    why: 'an instance is dropped as a whole: finalizers would only enter instances that have trapped',
    from: "if (typeof FinalizationRegistry === 'undefined') {\n      return { unregister () {} };\n    }\n    return new FinalizationRegistry(unregister);",
    to: 'return { register () {}, unregister () {} };',
  },
];

/** Types of the glue's one export: jco's own name the imports with their versions, which its code does not. */
const declarations = `import type * as Execute from './interfaces/codemode-interpreter-execute.js';

/** Makes an instance; at once when \`getCoreModule\` has every module at hand. */
export function instantiate(
  getCoreModule: (name: string) => WebAssembly.Module | Promise<WebAssembly.Module>,
  imports: Record<string, Record<string, unknown>>,
  instantiateCore: (module: WebAssembly.Module, imports?: WebAssembly.Imports) => WebAssembly.Instance,
): Root | Promise<Root>;

/** What the component exports. */
export interface Root {
  execute: typeof Execute;
}
`;

const { files } = await transpile(await readFile(componentPath), {
  name: 'codemode',
  instantiation: 'async',
  wasiShim: false,
  typescript: true,
  nodejsCompat: false,
  outDir: '.',
});

await rm(outDirectory, { recursive: true, force: true });
for (const [name, bytes] of Object.entries(files)) {
  if (name.includes('interfaces/') && !name.includes('codemode-interpreter-')) continue;
  const path = join(outDirectory, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, name.endsWith('.wasm') ? joinSegments(bytes) : bytes);
}

const gluePath = join(outDirectory, 'codemode.js');
let glue = await readFile(gluePath, 'utf8');
for (const { why, from, to } of edits) {
  const parts = glue.split(from);
  if (parts.length !== 2) {
    console.error(`generate: the glue has ${parts.length - 1} places instead of 1 for the edit "${why}".`);
    process.exit(1);
  }
  glue = parts.join(to);
}
await writeFile(gluePath, glue);
await writeFile(join(outDirectory, 'codemode.d.ts'), declarations);
