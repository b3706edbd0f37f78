import type { Hit, SessionStore } from '@holdfast/sessions';
import type { Tool } from '../providers/provider.ts';
import { ToolFailure } from './failure.ts';
import { HANDLE, RECALL, recalledText } from './recall.ts';

/** Passages to show to the model, and characters of each. */
const PASSAGES = 5;
const PASSAGE_CHARS = 1_500;

/** Where to search: the session before the current turn, which would find its own question. */
export interface Searched {
  readonly session: string | undefined;
  /** The position of the newest prompt. */
  readonly before: number;
}

/** The `recall` tool: by handle, through the given tool or the conversation; or by words, the best passages. */
export function recallByWords(store: SessionStore, searched: () => Searched, given: Tool | undefined): Tool {
  return {
    name: RECALL,
    description:
      'Shows what was said or shown earlier and is no longer in view: by `handle` (in square brackets), or by `words` that it contains, such as names, numbers or phrases. A few rare words work best.',
    input_schema: {
      type: 'object',
      properties: {
        handle: { type: 'string', description: HANDLE },
        words: { type: 'string', description: 'Words to search for in this session' },
        offset: { type: 'integer', minimum: 0, description: 'With a handle: first byte to show' },
        length: { type: 'integer', minimum: 1, description: 'With a handle: how many bytes to show' },
      },
    },
    parallel: true,
    repeatable: true,
    async run(input, context) {
      const { handle, words, ...part } = (input ?? {}) as Record<string, unknown>;
      if (typeof handle === 'string' && handle.trim() !== '')
        return given ? given.run({ handle, ...part }, context) : recalledText(context.recall, handle);
      if (typeof words !== 'string' || words.trim() === '')
        throw new ToolFailure('pass `handle`, or `words` to search for: {"words": "parser getUserName"}');
      const { session, before } = searched();
      const found = session === undefined ? [] : await store.search(words, { session, limit: 2 * PASSAGES });
      const hits = found.filter(({ index }) => index < before).slice(0, PASSAGES);
      if (hits.length === 0) return `Nothing in this session contains ${words}. Try other, fewer or rarer words.`;
      return hits.map(passage).join('\n\n');
    },
  };
}

function passage({ handle, lines, text }: Hit): string {
  const shown = text.length > PASSAGE_CHARS ? `${text.slice(0, PASSAGE_CHARS)}…` : text.trimEnd();
  return `[${handle}, lines ${lines.from} to ${lines.to}]\n${shown}`;
}
