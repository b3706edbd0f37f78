import { ConversationWindow, type Receipt } from 'holdfast';
import { expect, test } from 'vitest';
import { generateConversation } from './generate.ts';
import { createWindow, edits } from './own-strategy.ts';

test('a custom strategy folds the view and keeps it within budget', async () => {
  const history = generateConversation({ seed: 11, messages: 400, dialect: 'anthropic' });
  const window = createWindow();
  const receipts: Receipt[] = [];
  for (let n = 1; n <= history.length; n++) {
    if (history[n - 1]?.role === 'assistant') continue;
    const { metrics, receipt } = await window.fit(history.slice(0, n));
    expect(metrics.estimatedTokens).toBeLessThanOrEqual(20_000);
    if (receipt) receipts.push(receipt);
  }
  expect(receipts.length).toBeGreaterThan(2);
  expect(receipts.every(({ strategy }) => strategy === 'edits')).toBe(true);
  expect(receipts.some(({ masked }) => masked > 0)).toBe(true);
  expect(receipts.some(({ dropped }) => dropped > 0)).toBe(true);
});

test('in a list of strategies, the most severe verdict wins', async () => {
  const history = generateConversation({ seed: 11, messages: 200, dialect: 'anthropic' });
  const alone = new ConversationWindow({ strategy: edits, max_tokens: 20_000 });
  const both = new ConversationWindow({ strategy: [edits, 'rolling'], max_tokens: 20_000 });
  const [own, severe] = [await alone.compact(history), await both.compact(history)];
  expect(severe.strategy).toBe('edits+rolling');
  expect(severe.kept).toBeLessThan(own.kept);
});
