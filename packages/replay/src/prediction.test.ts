import { expect, test } from 'vitest';
import type { ChatMessage } from './chat.ts';
import { medianError, predictPrompts } from './prediction.ts';

const talk: ChatMessage[] = Array.from({ length: 40 }, (_, n) => ({
  role: n % 2 === 0 ? 'user' : 'assistant',
  content: 'a word or two '.repeat(10 + ((n * 7) % 13)),
}));
const chars = (messages: readonly ChatMessage[]) =>
  messages.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);

test('learns what a character and the fixed part cost, and predicts the next prompt', () => {
  // A provider with 4 characters per token, 4.5 tokens per message and 20,000 tokens of overhead.
  const counted = (answer: number) => Math.round(20_000 + chars(talk.slice(0, answer)) / 4 + 4.5 * answer);
  const prompts = Array.from({ length: 20 }, (_, n) => ({ answer: 2 * n + 1, tokens: counted(2 * n + 1) }));
  const errors = predictPrompts(talk, prompts);
  expect(errors).toHaveLength(15);
  expect(errors[0]).toMatchObject({ answer: 11, recorded: counted(11) });
  expect(medianError(errors)).toBeLessThan(0.002);
  expect(predictPrompts(talk, prompts, 18)).toHaveLength(2);
});

test('the error is relative to the recorded count, and the median is the middle one', () => {
  const of = (error: number) => ({ answer: 0, predicted: 0, recorded: 0, error });
  expect(medianError([0.3, 0.1, 0.2].map(of))).toBe(0.2);
  expect(medianError([0.4, 0.1, 0.2, 0.3].map(of))).toBeCloseTo(0.25, 9);
  expect(medianError([])).toBeUndefined();
  // Nothing learned: 30 characters are 10 tokens and a message 4.5, so 15 are predicted where 20 were counted.
  const [first] = predictPrompts(
    [
      { role: 'user', content: 'x'.repeat(30) },
      { role: 'assistant', content: '' },
    ],
    [{ answer: 1, tokens: 20 }],
    0,
  );
  expect(first).toEqual({ answer: 1, predicted: 15, recorded: 20, error: 0.25 });
});
