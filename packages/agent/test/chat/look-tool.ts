import type { Tool } from '../../src/index.ts';

/** A book of pages, all different. */
export const look: Tool = {
  name: 'look',
  description: 'A page of the book',
  input_schema: { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] },
  repeatable: true,
  run: (input) => {
    const { page } = input as { page: number };
    return Array.from({ length: 40 }, (_, i) => `page ${page}, line ${i}: the word is w${page * 97 + i}`).join('\n');
  },
};
