import type Anthropic from '@anthropic-ai/sdk';
import type { ApiRequest } from '../../loop/api.ts';

type Message = Anthropic.MessageParam;
type Block = Anthropic.ContentBlockParam;

/** A block of a request: the index of its message, and its index there. */
type BlockPlace = readonly [message: number, block: number];

export const MARKER = { type: 'ephemeral' } as const;
/** The API allows four; one is at the end of tools and system prompt. */
const IN_MESSAGES = 3;

/**
 * Copies of the messages with up to three cache markers, in this order: at the last block, at the last one that the previous
 * request also had, at a new note, at one in between if there are more than `lookback` blocks, at an older note. Pure.
 */
export function withMarkers({ messages, previous, note }: ApiRequest<Message>, lookback: number): Message[] {
  const places = messages.flatMap((message, at) => blocksOf(message).map((_, block): BlockPlace => [at, block]));
  const lastOf = (message: number | undefined) =>
    places.findLastIndex(([at, block]) => at === message && isMarkable(messages, [at, block]));
  const current = places.findLastIndex((place) => isMarkable(messages, place));
  const before = lastOf(previous);
  const far = before >= 0 && current - before > lookback;
  const between = far ? places.findIndex((place, at) => at >= before + lookback && isMarkable(messages, place)) : -1;
  const noted = lastOf(note);
  // Right after a fold, nothing after the note was sent before, so there is nothing to look back for.
  const third = noted > before ? [noted, between] : [between, noted];
  const wanted = [...new Set([current, before, ...third])].filter((at) => at >= 0).slice(0, IN_MESSAGES);
  const marked = new Map<number, Set<number>>();
  for (const at of wanted) {
    const [message = 0, block = 0] = places[at] ?? [];
    marked.set(message, (marked.get(message) ?? new Set()).add(block));
  }
  return messages.map((message, at) => mark(message, marked.get(at)));
}

function blocksOf({ content }: Message): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Thinking and empty text accept no marker. */
function isMarkable(messages: readonly Message[], [message, at]: BlockPlace): boolean {
  const given = messages[message];
  const block = given && blocksOf(given)[at];
  if (!block || block.type === 'thinking' || block.type === 'redacted_thinking') return false;
  return block.type !== 'text' || block.text !== '';
}

function mark(message: Message, places: ReadonlySet<number> | undefined): Message {
  if (!places) return message;
  const content = blocksOf(message).map((block, at) =>
    places.has(at) ? ({ ...block, cache_control: MARKER } as Block) : block,
  );
  return { ...message, content } as Message;
}
