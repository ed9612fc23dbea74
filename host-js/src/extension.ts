import { isRecord } from './json.js';
import type { CallContext } from './tool.js';

/** A function that programs call as a global. `this` is the context of the call; the result crosses as JSON. */
export type ExtensionFunction = (this: CallContext, ...args: any[]) => unknown;

/** Global functions by name; one level of nesting makes a namespace. */
export interface ExtensionGlobals {
  readonly [name: string]: ExtensionFunction | { readonly [member: string]: ExtensionFunction };
}

/** What an extension consists of. */
export interface ExtensionDefinition {
  /** Names the extension in hooks. */
  readonly name: string;
  /** What its globals are for. */
  readonly description?: string;
  readonly globals: ExtensionGlobals;
}

/** Functions that a host adds to the globals of programs; made by {@link Extension.make}. */
export class Extension {
  readonly name: string;
  readonly description: string;
  /** The functions by `name` or `namespace.member`. */
  readonly globals: ReadonlyMap<string, ExtensionFunction>;

  private constructor(name: string, description: string, globals: ReadonlyMap<string, ExtensionFunction>) {
    this.name = name;
    this.description = description;
    this.globals = globals;
  }

  /**
   * Makes an extension.
   *
   * @throws TypeError when a part of the definition has the wrong type or a global is no function.
   */
  static make(definition: ExtensionDefinition): Extension {
    if (!isRecord(definition)) throw new TypeError('Extension.make expects an object with name and globals.');
    const { name, description = '', globals } = definition;
    if (typeof name !== 'string' || name === '') throw new TypeError('The name of an extension must be a string that is not empty.');
    if (typeof description !== 'string') throw new TypeError(`The description of extension "${name}" must be a string.`);
    if (!isRecord(globals)) throw new TypeError(`The globals of extension "${name}" must be a record of functions.`);
    const functions = new Map<string, ExtensionFunction>();
    for (const [key, entry] of Object.entries(globals)) {
      const members = typeof entry === 'function' ? [[key, entry] as const] : membersOf(name, key, entry);
      for (const [path, value] of members) {
        if (typeof value !== 'function') throw new TypeError(`The global "${path}" of extension "${name}" is no function.`);
        functions.set(path, value);
      }
    }
    return new Extension(name, description, functions);
  }
}

function membersOf(extension: string, namespace: string, entry: unknown): [string, ExtensionFunction][] {
  if (!isRecord(entry)) throw new TypeError(`The global "${namespace}" of extension "${extension}" is no function.`);
  return Object.entries(entry).map(([member, value]) => [`${namespace}.${member}`, value as ExtensionFunction]);
}
