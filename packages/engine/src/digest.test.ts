import { expect, test } from 'vitest';
import { openaiChat } from './dialects/openai-chat.ts';
import { DigestBuilder, EMPTY_DIGEST } from './digest.ts';
import { pieceOf, previewWords } from './piece.ts';

test('words that a fold shortens are taken in then, as they were said, and not again when they are dropped', () => {
  const dialect = openaiChat();
  const message = { role: 'user', content: `Keep parseHandle as it is. ${'And test it. '.repeat(60)}` };
  const whole = pieceOf({ from: 4, messages: [message], readings: [dialect.read(message)] });
  const shortened = previewWords({ dialect, eras: [] }, whole);
  expect(shortened).not.toBe(whole);

  const builder = new DigestBuilder(dialect, EMPTY_DIGEST);
  builder.add(whole, shortened);
  const before = builder.finish(5);
  expect(before.asked).toEqual([[expect.stringMatching(/^Keep parseHandle as it is\. And test it/), 4]]);
  expect(before.asked[0]?.[0]).not.toContain('recall');

  const later = new DigestBuilder(dialect, before);
  later.add(shortened, undefined);
  expect(later.finish(5)).toEqual(before);
});
