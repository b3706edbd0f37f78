import { expect, test } from 'vitest';
import type { CommandContext } from './command.ts';
import { compact } from './fold-commands.ts';

/** What /compact prints, and whether it asks, if a fold would change the size like this. */
async function compacted(before: number, after: number): Promise<{ readonly text: string; readonly asked: boolean }> {
  const receipt = {
    fold: 1,
    before: { messages: 8, tokens: before },
    after: { messages: 3, tokens: after },
    estimated: false,
    turns: [],
  };
  const rows: string[] = [];
  let asked = false;
  const face = {
    columns: 200,
    style: { colours: {} },
    print: (more: readonly string[]) => void rows.push(...more),
    confirm: async () => {
      asked = true;
      return false;
    },
  };
  await compact('', { chat: { compact: async () => receipt }, face } as unknown as CommandContext);
  return { text: rows.join('\n'), asked };
}

test.each([
  [1_940, 1_930],
  [1_940, 1_990],
])('/compact from %i to %i tokens says that there is nothing to gain, and does not ask', async (before, after) => {
  const { text, asked } = await compacted(before, after);
  expect(text).toMatch(
    /^Nothing to gain: after a fold, the view would have 3 messages, \S+ tokens instead of 8 messages, /,
  );
  expect(asked).toBe(false);
});
