import { stripVTControlCharacters } from 'node:util';
import { parsedJson } from '../parsed-json.ts';

/** Fields without meaning to a reader: ids, types, signatures. */
const SILENT =
  /^(?:id|type|role|signature|encrypted_content|tool_use_id|tool_call_id|call_id|item_id|cache_control|media_type|mime_type|mediaType|toolCallId|thoughtSignature)$/;

/** True for base64 and the like: long and without a space. */
function isBytes(key: string, text: string): boolean {
  if (text.length < 256) return false;
  return (
    /^data:[\w/+.-]+;base64,/.test(text.slice(0, 80)) || (/^(?:data|image|url|bytes)$/.test(key) && !/\s/.test(text))
  );
}

/**
 * The searchable text of a message in any wire format, joined by line breaks: text, thinking, calls with their arguments,
 * results. Without ids, signatures and base64. Pure.
 */
export function messageText(message: unknown): string {
  const found: string[] = [];
  collect(message, '', found);
  return found.join('\n');
}

function collect(value: unknown, key: string, found: string[]): void {
  if (typeof value === 'string') {
    const inner = key === 'arguments' ? parsedJson(value) : undefined;
    if (typeof inner === 'object' && inner !== null) collect(inner, '', found);
    else if (value !== '' && !isBytes(key, value)) found.push(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, key, found);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) if (!isSilent(name, item)) collect(item, name, found);
  }
}

/** Only strings are left out: an argument called `id` that is an object is not. */
function isSilent(name: string, item: unknown): boolean {
  return SILENT.test(name) && (typeof item === 'string' || name === 'cache_control');
}

/** What clients add to a user's words: `<system-reminder>…`, `<environment_context>…`. */
const ADDED = /<([a-z]+(?:[-_][a-z]+)+)>[\s\S]*?<\/\1>/g;

/** A one-line title from a user's message; undefined if it has no text. Pure. */
export function titleFrom(message: Readonly<Record<string, unknown>>): string | undefined {
  const { role, content, parts = content } = message;
  if (role !== 'user') return undefined;
  const blocks: readonly unknown[] = Array.isArray(parts) ? parts : [parts];
  const line = plainLine(blocks.map(wordsOf).join(' ').replace(ADDED, ' '));
  return line === '' ? undefined : shortened(line, 80);
}

function wordsOf(block: unknown): string {
  if (typeof block === 'string') return block;
  const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
  // Gemini's parts have no type.
  return typeof text === 'string' && /^(?:input_)?text$/.test(String(type ?? 'text')) ? text : '';
}

/** The text on one line, without control characters and lone surrogates, which databases refuse. Pure. */
export function plainLine(text: string): string {
  return stripVTControlCharacters(text)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
}

/** The text cut to at most this many characters, with an ellipsis. Pure. */
export function shortened(text: string, most: number): string {
  const characters = [...text.slice(0, 4 * most)];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
