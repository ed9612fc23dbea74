export { CodeMode, type CodeModeConfig, type Limits, type Options } from './codemode.js';
export { ConfigurationError, type ExecuteOptions } from './execution.js';
export { Extension, type ExtensionDefinition, type ExtensionFunction, type ExtensionGlobals } from './extension.js';
export type { CallHooks, CallResult, ExtensionInvocation, Hooks, ToolInvocation } from './hooks.js';
export type { Json, JsonSchema } from './json.js';
export type {
  ErrorKind,
  Failure,
  Location,
  OutputItem,
  ProgramError,
  Result,
  StoreWrites,
  Success,
  ToolCall,
  Usage,
  Warning,
} from './result.js';
export { Tool, type CallContext, type ToolDefinition, type ToolFunction, type ToolTree } from './tool.js';
