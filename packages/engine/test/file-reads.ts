import type { Wire } from './histories.ts';

/** A call that reads a file, and its result. */
export const call = (id: number, chars = 900): Wire[] => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: `c${id}`, type: 'function', function: { name: 'Read', arguments: `{"file_path":"src/f${id}.ts"}` } },
    ],
  },
  { role: 'tool', tool_call_id: `c${id}`, content: `line of src/f${id}.ts\n`.repeat(Math.ceil(chars / 20)) },
];

/** A request, and so many reads. */
export const long = (turns: number): Wire[] => [
  { role: 'user', content: 'Mend the parser.' },
  ...Array.from({ length: turns }, (_, i) => call(i)).flat(),
];

/** The bytes of messages, to compare. */
export const show = (messages: readonly Wire[]) => JSON.stringify(messages);
