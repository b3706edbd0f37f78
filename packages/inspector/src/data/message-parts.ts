import type { WireMessage } from '@holdfast/sessions';
import type { Dialect, Result } from 'holdfast';
import type { Part, Role } from '../api/types.ts';
import { mediaIn } from './media.ts';

/** Characters of a text that a page has, unless it is asked for in full. */
const SHOWN_CHARS = 20_000;
/** Also in full, a text has an end: a browser must be able to show it. */
const FULL_CHARS = 4_000_000;

export interface PartOptions {
  readonly full?: boolean;
  /** Names of tools by the ids of their calls. */
  readonly names?: ReadonlyMap<string, string>;
}

/** What a message says, as plain data for people, in any wire format. Pure; never throws. */
export interface ReadMessage {
  readonly role: Role;
  readonly name?: string;
  readonly parts: readonly Part[];
}

/** Reads a message: thinking, results, words, media, calls. One that its dialect cannot read is shown as JSON. Pure. */
export function readMessage(
  dialect: Dialect<WireMessage>,
  message: WireMessage,
  options: PartOptions = {},
): ReadMessage {
  const { name } = message;
  const who = typeof name === 'string' ? { name } : {};
  try {
    return { role: dialect.read(message).role, ...who, parts: partsOf(dialect, message, options) };
  } catch {
    const text = JSON.stringify(message, undefined, 2) ?? '';
    return { role: 'user', ...who, parts: [{ type: 'text', ...cut(text, options) }] };
  }
}

function partsOf(dialect: Dialect<WireMessage>, message: WireMessage, options: PartOptions): Part[] {
  const { calls, results, words: hasWords } = dialect.read(message);
  // The text of some results is in the same field as words.
  const words = hasWords ? dialect.text(message) : '';
  const inResults = new Set(results.flatMap(({ content }) => mediaIn(content)).map(keyOf));
  const media = mediaIn(message).filter((one) => !inResults.has(keyOf(one)));
  const parts: Part[] = [
    ...thinkingIn(message).map((text): Part => ({ type: 'thinking', ...cut(text, options) })),
    ...results.map((result) => resultPart(result, options)),
    ...(words === '' ? [] : [{ type: 'text' as const, ...cut(words, options) }]),
    ...media.map((one): Part => ({ type: 'media', media: one })),
    // Calls that the model wrote into its words are shown there.
    ...calls
      .filter(({ spoken }) => !spoken)
      .map(({ id, name, input }): Part => {
        const { text, ...rest } = cut(argumentText(input), options);
        return { type: 'call', id, name, input: text, ...rest };
      }),
  ];
  if (parts.length > 0) return parts;
  const text = JSON.stringify(message, undefined, 2);
  return isEmpty(message) ? [] : [{ type: 'text', ...cut(text, options) }];
}

function keyOf({ kind, format, bytes }: ReturnType<typeof mediaIn>[number]): string {
  return `${kind} ${format} ${bytes}`;
}

function isEmpty({ content, parts, type }: WireMessage): boolean {
  const said = content ?? parts;
  return type === undefined && (said === undefined || said === null || said === '' || isEmptyList(said));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function resultPart({ id, content, error }: Result, options: PartOptions): Part {
  const name = options.names?.get(id);
  const media = mediaIn(content);
  return {
    type: 'result',
    id,
    ...(name === undefined ? {} : { name }),
    ...cut(contentText(content), options),
    failed: error,
    ...(media.length > 0 ? { media } : {}),
  };
}

/** Texts of a result, in order; what has no text is shown as JSON unless it is media. Pure. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) return '';
  if (!Array.isArray(content)) return wrapped(content) ?? jsonText(content);
  return content.flatMap(blockText).join('\n');
}

/** The text that an object only wraps: the AI SDK's typed output, Gemini's response with one field. */
function wrapped(content: unknown): string | undefined {
  const { type, value, output, result, error, ...rest } = content as Readonly<Record<string, unknown>>;
  if (Object.keys(rest).length > 0) return undefined;
  if (typeof type === 'string') return value === undefined ? undefined : contentText(value);
  const only = [value, output, result, error].filter((one) => one !== undefined);
  return only.length === 1 && typeof only[0] === 'string' ? only[0] : undefined;
}

function blockText(block: unknown): string[] {
  if (typeof block === 'string') return [block];
  const { text } = (block ?? {}) as { readonly text?: unknown };
  if (typeof text === 'string') return [text];
  return mediaIn([block]).length > 0 ? [] : [jsonText(block)];
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, undefined, 2) ?? '';
}

function argumentText(input: unknown): string {
  if (typeof input !== 'string') return jsonText(input);
  try {
    return jsonText(JSON.parse(input));
  } catch {
    return input;
  }
}

/** The texts of thinking blocks; what only its maker can read is left out. */
function thinkingIn(message: WireMessage): string[] {
  const { content, parts, reasoning_content, type } = message;
  if (type === 'reasoning') return textsOf(message.summary ?? message.content);
  const blocks: readonly unknown[] = [content, parts].flatMap((list) => (Array.isArray(list) ? list : []));
  const own = typeof reasoning_content === 'string' && reasoning_content !== '' ? [reasoning_content] : [];
  return [...own, ...blocks.flatMap(thought)];
}

function thought(block: unknown): string[] {
  const { type, thinking, text, summary, thought: isThought } = (block ?? {}) as Readonly<Record<string, unknown>>;
  if (type === 'thinking' && typeof thinking === 'string') return [thinking];
  if (type === 'reasoning') return typeof text === 'string' ? [text] : textsOf(summary);
  return isThought === true && typeof text === 'string' ? [text] : [];
}

function textsOf(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    const { text } = (item ?? {}) as { readonly text?: unknown };
    return typeof text === 'string' && text !== '' ? [text] : [];
  });
}

/** The beginning of a text, and the length of all of it if that is more. */
function cut(text: string, { full }: PartOptions): { readonly text: string; readonly chars?: number } {
  const most = full ? FULL_CHARS : SHOWN_CHARS;
  if (text.length <= most) return { text: text.toWellFormed() };
  return { text: text.slice(0, most).toWellFormed(), chars: text.length };
}

/** Names of tools by the ids of their calls, of these messages. Pure. */
export function callNames(dialect: Dialect<WireMessage>, messages: readonly WireMessage[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const message of messages)
    try {
      for (const { id, name } of dialect.read(message).calls) names.set(id, name);
    } catch {
      // Shown as JSON.
    }
  return names;
}

/** The first words of a message, on one line, for a list. Pure. */
export function titleOf({ parts }: Pick<ReadMessage, 'parts'>): string {
  const [first] = parts.flatMap((part): string[] => {
    if (part.type === 'call') return [`${part.name} ${part.input}`];
    return 'text' in part && part.type !== 'thinking' ? [part.text] : [];
  });
  const line = (first ?? '').slice(0, 400).replace(/\s+/g, ' ').trim();
  return line.length <= 120 ? line : `${line.slice(0, 119).toWellFormed()}…`;
}
