import { isJson } from '../json.ts';
import type { PromptTool } from '../script.ts';
import type { Intent } from './coding-plan.ts';

/** The purpose of a call: part of a task, or a person's request. */
export type Ask =
  | Intent
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'recall'; readonly handle?: string; readonly words?: string };

const NAMES: Readonly<Record<Ask['kind'], { readonly usual: string; readonly like: RegExp }>> = {
  read: { usual: 'read_file', like: /read|view|cat/i },
  list: { usual: 'list_files', like: /list|glob|^ls$/i },
  search: { usual: 'search', like: /search|grep|find/i },
  edit: { usual: 'edit_file', like: /edit|replace|patch/i },
  run: { usual: 'run_command', like: /run|bash|shell|command|exec/i },
  write: { usual: 'write_file', like: /write|create/i },
  recall: { usual: 'recall', like: /recall/i },
};

const FIELDS: readonly { readonly field: string; readonly usual: string; readonly like: RegExp }[] = [
  { field: 'old', usual: 'old_string', like: /old/i },
  { field: 'new', usual: 'new_string', like: /new|replacement/i },
  { field: 'command', usual: 'command', like: /command|cmd|script/i },
  { field: 'pattern', usual: 'pattern', like: /pattern|query|regex/i },
  { field: 'content', usual: 'content', like: /content|text/i },
  { field: 'handle', usual: 'handle', like: /handle/i },
  { field: 'words', usual: 'words', like: /words/i },
  { field: 'path', usual: 'path', like: /path|file|dir|folder/i },
];

const EMPTY: Readonly<Record<string, unknown>> = { number: 1, integer: 1, boolean: false, array: [], object: {} };

/** The call for an intent, with the names of the request's own tools, or the usual names if it has none. */
export function callFor(intent: Ask, tools: readonly PromptTool[]): { name: string; input: Record<string, unknown> } {
  const { usual, like } = NAMES[intent.kind];
  const tool = tools.find(({ name }) => name === usual) ?? tools.find(({ name }) => like.test(name));
  // If no tool fits, call any: the point is to make a call.
  const chosen = tool ?? tools[0];
  return { name: chosen?.name ?? usual, input: inputFor(intent, chosen?.schema ?? {}) };
}

function inputFor(intent: Ask, schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields: Readonly<Record<string, unknown>> = { ...intent };
  const properties = isJson(schema.properties) ? schema.properties : undefined;
  const input: Record<string, unknown> = {};
  if (!properties) {
    for (const { field, usual } of FIELDS) if (fields[field] !== undefined) input[usual] = fields[field];
    return input;
  }
  const required = Array.isArray(schema.required) ? schema.required : [];
  for (const [name, property] of Object.entries(properties)) {
    const meant = FIELDS.find(({ like }) => like.test(name))?.field;
    const value = meant === undefined ? undefined : fields[meant];
    const type = isJson(property) ? String(property.type) : 'string';
    if (value !== undefined && type === 'string') input[name] = value;
    else if (required.includes(name)) input[name] = EMPTY[type] ?? (meant === 'path' ? '.' : '');
  }
  return input;
}
