import { createHash } from 'node:crypto';
import type { RequestEntry, RequestField, RequestItem } from '../entry.ts';
import { entriesInPieces, piecesText, renumberedPieces } from './request-pieces.ts';

type Json = Readonly<Record<string, unknown>>;

/** The key of the list that holds the conversation, in every wire format. */
const LISTS: readonly string[] = ['messages', 'input'];
/** Fields up to this size stay in the request itself. */
const INLINE_CHARS = 200;
/** What a provider adds to a block to have the prompt up to it cached. */
const MARKER: unknown = { type: 'ephemeral' };

/** The hash of a text. Pure. */
export function textHash(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns the number of the entry that holds this value; adds one if there is none. */
export type Keep = (value: unknown) => number;

/** The fields of a body, each large value by the entry that holds it. */
export function fieldsOf(body: Json, keep: Keep, find: (value: unknown) => number | undefined): RequestField[] {
  return Object.entries(body).map(([key, value]): RequestField => {
    if (LISTS.includes(key) && Array.isArray(value))
      return { key, items: value.map((item) => itemOf(item, keep, find)) };
    return JSON.stringify(value).length > INLINE_CHARS ? { key, part: keep(value) } : { key, value };
  });
}

function itemOf(item: unknown, keep: Keep, find: (value: unknown) => number | undefined): RequestItem {
  const known = find(item);
  if (known !== undefined) return known;
  for (const { base, cached } of unmarked(item)) {
    const entry = find(base);
    if (entry !== undefined) return { entry, cached };
  }
  return keep(item);
}

/** A message without its cache markers, as it may be in the log: with the same blocks, or with one text. */
function unmarked(item: unknown): { readonly base: Json; readonly cached: readonly number[] }[] {
  const { content } = (item ?? {}) as { readonly content?: unknown };
  if (!Array.isArray(content)) return [];
  const cached = content.flatMap((block: Json | null, at) => (block?.cache_control === undefined ? [] : [at]));
  if (cached.length === 0) return [];
  const blocks = content.map(({ cache_control: _, ...block }: Json) => block);
  const base = { ...(item as Json), content: blocks };
  const [only] = blocks;
  const text = blocks.length === 1 && only?.type === 'text' ? [{ ...base, content: only.text }] : [];
  const isExact = (one: Json) => JSON.stringify(marked(one, cached)) === JSON.stringify(item);
  return [base, ...text].filter(isExact).map((one) => ({ base: one, cached }));
}

function marked(base: unknown, cached: readonly number[]): Json {
  const message = base as Json;
  const { content } = message;
  const blocks: readonly Json[] = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as Json[]);
  const withMarkers = blocks.map((block, at) => (cached.includes(at) ? { ...block, cache_control: MARKER } : block));
  return { ...message, content: withMarkers };
}

/** The text of a request. `value`: what the entry of this number holds. Pure. */
export function requestText(entry: RequestEntry, value: (entry: number) => unknown): string {
  return 'pieces' in entry ? piecesText(entry.pieces, value) : bodyText(entry.body, value);
}

function bodyText(fields: readonly RequestField[], value: (entry: number) => unknown): string {
  const made = (item: RequestItem) => (typeof item === 'number' ? value(item) : marked(value(item.entry), item.cached));
  return JSON.stringify(
    Object.fromEntries(
      fields.map((field) => {
        if ('part' in field) return [field.key, value(field.part)];
        return [field.key, 'items' in field ? field.items.map(made) : field.value];
      }),
    ),
  );
}

/** The entries that a request needs. Pure. */
export function entriesIn(entry: RequestEntry): number[] {
  if ('pieces' in entry) return entriesInPieces(entry.pieces);
  return entry.body.flatMap((field) => {
    if ('part' in field) return [field.part];
    return 'items' in field ? field.items.map((item) => (typeof item === 'number' ? item : item.entry)) : [];
  });
}

/** The request with other numbers for the entries that it needs. Pure. */
export function renumberedRequest(entry: RequestEntry, to: (entry: number) => number): RequestEntry {
  if ('pieces' in entry) return { ...entry, pieces: renumberedPieces(entry.pieces, to) };
  const body = entry.body.map((field): RequestField => {
    if ('part' in field) return { ...field, part: to(field.part) };
    if (!('items' in field)) return field;
    const items = field.items.map((item) => (typeof item === 'number' ? to(item) : { ...item, entry: to(item.entry) }));
    return { ...field, items };
  });
  return { ...entry, body };
}
