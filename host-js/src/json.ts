/** Anything that JSON text can say. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON Schema: an object, or `true` and `false` for anything and nothing. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** Whether `value` is an object that is neither null, nor an array, nor a function. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
