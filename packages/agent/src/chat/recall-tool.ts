import type { Hit, SessionStore } from '@holdfast/sessions';
import type { Tool, ToolContext } from '../providers/provider.ts';

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
    name: 'recall',
    description:
      'Brings back what was said or shown earlier and is not in view any more: by `handle` (they stand in square brackets), or by `words`: names, numbers or phrases that it held. With words, give a few rare ones.',
    input_schema: {
      type: 'object',
      properties: {
        handle: { type: 'string', description: 'Such as m41, m41.1 or m12-m40 for messages, o3 for an output' },
        words: { type: 'string', description: 'Words to look for in this session' },
        offset: { type: 'integer', minimum: 0, description: 'With a handle: first byte to show' },
        length: { type: 'integer', minimum: 1, description: 'With a handle: how many bytes to show' },
      },
    },
    parallel: true,
    repeatable: true,
    async run(input, context) {
      const { handle, words, ...part } = (input ?? {}) as Record<string, unknown>;
      if (typeof handle === 'string' && handle.trim() !== '') return byHandle({ handle, ...part }, given, context);
      if (typeof words !== 'string' || words.trim() === '')
        throw new Error('Give `handle`, or `words` to look for: {"words": "parser getUserName"}.');
      const { session, before } = searched();
      const found = session === undefined ? [] : await store.search(words, { session, limit: 2 * PASSAGES });
      const hits = found.filter(({ index }) => index < before).slice(0, PASSAGES);
      if (hits.length === 0) return `Nothing in this session holds ${words}. Try other, fewer or rarer words.`;
      return hits.map(passage).join('\n\n');
    },
  };
}

async function byHandle(input: { readonly handle: string }, given: Tool | undefined, context: ToolContext) {
  if (given) return given.run(input, context);
  const text = await context.recall?.(input.handle);
  if (text === undefined) throw new Error(`${input.handle} is no handle that is known`);
  return text;
}

function passage({ handle, lines, text }: Hit): string {
  const shown = text.length > PASSAGE_CHARS ? `${text.slice(0, PASSAGE_CHARS)}…` : text.trimEnd();
  return `[${handle}, lines ${lines.from} to ${lines.to}]\n${shown}`;
}
