import type { Failure, OutputItem, Result, Warning } from '../result.js';

/** An output item as the command shows it, with its line end. */
export function outputText(item: OutputItem): string {
  return item.type === 'text' ? `${item.text}\n` : `[image ${item.mimeType}, ${item.data.length} base64 characters]\n`;
}

/** The value of a successful run: strings as they are, other values as indented JSON, null as nothing. */
export function valueText(result: Result): string {
  if (!result.ok || result.value === null) return '';
  return `${typeof result.value === 'string' ? result.value : JSON.stringify(result.value, null, 2)}\n`;
}

/** Warnings and the error of a run, for people. */
export function diagnosticText(result: Result, file: string): string {
  const warnings = result.warnings.map(warningText).join('');
  return result.ok ? warnings : warnings + errorText(result, file);
}

function warningText({ kind, message }: Warning): string {
  return `warning: [${kind}] ${message}\n`;
}

function errorText({ error }: Failure, file: string): string {
  const lines = [`${error.kind}: ${error.message}`];
  if (error.location !== undefined) lines.push(`  --> ${file}:${error.location.line}:${error.location.column}`);
  for (const block of [error.excerpt, error.stack]) {
    if (block !== undefined && block !== '') lines.push(block.replace(/\n+$/, ''));
  }
  for (const suggestion of error.suggestions ?? []) lines.push(`  help: ${suggestion}`);
  return `${lines.join('\n')}\n`;
}
