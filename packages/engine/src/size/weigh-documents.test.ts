import { expect, test } from 'vitest';
import { timeRatio } from '../../../../scripts/time-ratio.ts';
import { anthropicWindow, user } from '../../test/anthropic-calls.ts';

test('a hostile document takes time proportional to its size', async () => {
  const weigh = (words: number) => {
    const data = Buffer.from('%PDF-1.4 '.concat('/Linearized '.repeat(words))).toString('base64');
    const document = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } };
    return () => anthropicWindow({}).fit([user([document])]);
  };
  expect(await timeRatio(weigh(40_000), weigh(4_000), { enough: 40 })).toBeLessThan(40);
});
