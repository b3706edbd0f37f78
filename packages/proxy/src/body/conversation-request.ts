import { isUtf8 } from 'node:buffer';
import type { WireMessage } from '@holdfast/sessions';
import type { DialectName } from 'holdfast';
import { isRecord, jsonOf } from './json.ts';
import { type ListSpan, listSpan } from './list-span.ts';
import type { Lookup, RecentLists } from './recent-lists.ts';
import type { FoundList } from './replace-list.ts';

/** A request for an answer in a conversation, with its messages. */
export interface ConversationRequest {
  readonly bytes: Buffer;
  /** The parsed body, without its messages. */
  readonly fields: Fields;
  readonly model: string;
  readonly list: FoundList<WireMessage>;
  /** Tokens of everything but the messages, estimated. */
  readonly reserve: number;
}

/** Where the messages of a request are, by the format of its API. */
export interface MessagePlace {
  readonly dialect: DialectName;
  readonly list: 'messages' | 'input' | 'contents';
  /** The model, where the path names it. */
  readonly model?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Characters of a token, where only an estimate is needed. */
export const CHARACTERS = 4;

/** As many as Anthropic accepts. Short messages take fifty times their bytes in memory, and much time to fold. */
const MOST_MESSAGES = 100_000;

/**
 * Reads the body of a request; only what is new in it if `recent` knows the rest. Undefined if it must reach the API as it came:
 * it is not JSON, has no list of messages or too long a one, continues messages that the server keeps, or asks it to compact.
 */
export function readConversation(
  bytes: Buffer,
  { list: key, model: named }: MessagePlace,
  recent: RecentLists<WireMessage>,
): ConversationRequest | undefined {
  if (!isUtf8(bytes)) return undefined;
  let known: Lookup<WireMessage> = { group: '', spans: [], values: [] };
  const span = listSpan(bytes, key, (start) => {
    known = recent.find(bytes, start);
    return known.spans;
  });
  if (!span || span.items.length > MOST_MESSAGES) return undefined;
  const fields = fieldsOf(withoutKnown(bytes, span, known.spans.length));
  const added = fields?.[key];
  if (!Array.isArray(added) || known.spans.length + added.length !== span.items.length) return undefined;
  const items = [...known.values, ...added];
  if (!fields || items.length === 0 || !added.every(isRecord) || isServerKept(fields, items)) return undefined;
  recent.keep(bytes, span, items, known);
  const model = named ?? (typeof fields.model === 'string' ? fields.model : '');
  const reserve = Math.ceil((bytes.length - (span.end - span.start)) / CHARACTERS);
  return { bytes, fields, model, list: { span, items }, reserve };
}

/** The text of a body without the first items of its list. It is valid JSON if, and only if, the body is. */
function withoutKnown(bytes: Buffer, { start, end, items }: ListSpan, count: number): string {
  const [last, next] = [items[count - 1], items[count]];
  if (!last) return bytes.toString('utf8');
  const [from, rest] = [start + last.end, next ? start + next.start : end - 1];
  // What comes between must be right, because it is left out.
  if (bytes.toString('utf8', from, rest).trim() !== (next ? ',' : '')) return bytes.toString('utf8');
  return bytes.toString('utf8', 0, start + 1) + bytes.toString('utf8', rest, bytes.length);
}

/** True if the server has part of the conversation, answers later, or compacts. */
function isServerKept(fields: Fields, items: readonly WireMessage[]): boolean {
  const { previous_response_id, conversation, background, thread, cachedContent } = fields;
  const isReference = ({ type }: WireMessage) => type === 'item_reference' || type === 'compaction_trigger';
  return (
    [previous_response_id, conversation, thread, background, cachedContent].some(Boolean) || items.some(isReference)
  );
}

function fieldsOf(json: string): Fields | undefined {
  const value = jsonOf(json);
  return isRecord(value) && !Array.isArray(value) ? value : undefined;
}
