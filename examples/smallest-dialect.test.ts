import { ConversationWindow } from 'holdfast';
import { testDialect } from 'holdfast/testing';
import { expect, test } from 'vitest';
import { type Said, smallest } from './smallest-dialect.ts';

testDialect(
  smallest,
  {
    user: (text): Said => ({ by: 'user', text }),
    assistant: (text, calls): Said[] => [{ by: 'model', text, ...(calls.length > 0 ? { calls } : {}) }],
    results: (results): Said[] =>
      results.map(({ id, content }) => ({ by: 'tools', text: '', answers: [{ id, output: content }] })),
    system: (text): Said => ({ by: 'system', text }),
  },
  test,
);

test('a window in the smallest dialect has the type of its messages, folds and recalls', async () => {
  const window = new ConversationWindow({ max_tokens: 2_000 }, { dialect: smallest });
  const history: Said[] = [{ by: 'user', text: 'Read all files.' }];
  for (let i = 0; i < 20; i++)
    history.push(
      { by: 'model', text: '', calls: [{ id: `c${i}`, name: 'read', input: { path: `src/file-${i}.ts` } }] },
      { by: 'tools', text: '', answers: [{ id: `c${i}`, output: `line of ${i} `.repeat(60) }] },
    );
  const { messages, receipt } = await window.fit(history);
  const sent: readonly Said[] = messages;
  expect(receipt?.dropped).toBeGreaterThan(0);
  expect(sent.length).toBeLessThan(history.length);
  const { messages: back } = await window.recall('m2');
  expect(back).toEqual([history[2]]);
});
