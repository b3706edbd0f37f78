import { expect, test } from 'vitest';
import { timeRatio } from '../../../../scripts/time-ratio.ts';
import { literals, neededLiterals } from './literals.ts';

const found = (content: string): string[] => [...literals({ role: 'user', content })];

test('finds paths, names, hashes and numbers, and no plain words', () => {
  expect(found('see src/app/main.ts and README.md please')).toEqual(['src/app/main.ts', 'README.md']);
  expect(found('call parseHeader of HttpClient with max_tokens')).toEqual(['parseHeader', 'HttpClient', 'max_tokens']);
  expect(found('commit 3f2a91c, port 8080, step 12')).toEqual(['3f2a91c', '8080']);
});

test('skips what is too short or too long to be a literal', () => {
  expect(found('a_b 123 1234')).toEqual(['1234']);
  expect(found(`x_${'y'.repeat(197)}`)).toEqual([`x_${'y'.repeat(197)}`]);
  expect(found(`x_${'y'.repeat(198)}`)).toEqual([]);
});

test('reads text and arguments of a message, but only arguments of an answer', () => {
  const call = { id: '1', function: { name: 'read', arguments: '{"path":"src/a.ts","limit":2000}' } };
  const answer = { role: 'assistant', content: 'I open lib/b.ts', tool_calls: [call] };
  expect([...literals(answer)]).toEqual(['lib/b.ts', 'src/a.ts', '2000']);
  expect([...neededLiterals(answer)]).toEqual(['src/a.ts', '2000']);
  expect([...neededLiterals({ role: 'assistant', content: 'done in src/a.ts' })]).toEqual([]);
});

test('skips encoded data and keeps the literals around it', () => {
  const data = `${'a'.repeat(300_000)} src/a.ts ${'b_'.repeat(3000)}`;
  expect(found(`before.ts ${data} after.ts ${'c'.repeat(5000)}`)).toEqual(['before.ts', 'src/a.ts', 'after.ts']);
});

test('takes time in proportion to the length of encoded data', async () => {
  const encoded = (length: number) => () => found('a'.repeat(length));
  expect(await timeRatio(encoded(300_000), encoded(30_000), { enough: 40 })).toBeLessThan(40);
});
