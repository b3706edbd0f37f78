import { expect, test } from 'vitest';
import { timeRatio } from '../../../scripts/time-ratio.ts';
import { literals, neededLiterals } from './literals.ts';

const found = (content: string): string[] => [...literals({ role: 'user', content })];

test('finds paths, names, hashes and numbers, and no plain words', () => {
  expect(found('see src/app/main.ts and notes.md please')).toEqual(['src/app/main.ts', 'notes.md']);
  expect(found('call parseHeader of HttpClient with max_depth')).toEqual(['parseHeader', 'HttpClient', 'max_depth']);
  expect(found('commit 3f2a91c, port 8085, step 12')).toEqual(['3f2a91c', '8085']);
});

test('skips what is too short or too long to be a literal', () => {
  expect(found('a_b 123 7731')).toEqual(['7731']);
  expect(found(`x_${'y'.repeat(197)}`)).toEqual([`x_${'y'.repeat(197)}`]);
  expect(found(`x_${'y'.repeat(198)}`)).toEqual([]);
});

test('reads text and arguments of a message, but only arguments of an answer', () => {
  const call = { id: '1', function: { name: 'read', arguments: '{"path":"src/a.ts","limit":7000731}' } };
  const answer = { role: 'assistant', content: 'I open lib/b.ts', tool_calls: [call] };
  expect([...literals(answer)]).toEqual(['lib/b.ts', 'src/a.ts', '7000731']);
  expect([...neededLiterals(answer)]).toEqual(['src/a.ts', '7000731']);
  expect([...neededLiterals({ role: 'assistant', content: 'done in src/a.ts' })]).toEqual([]);
});

test('skips names that every project has', () => {
  expect(found('README.md, package.json, console.log and line 1234 of docs/plan.md')).toEqual(['docs/plan.md']);
  expect(found('tool_use_id, created_at, 2026, 41_000')).toEqual(['41_000']);
});

test('reads arguments as values: no keys, no escapes', () => {
  const called = (input: string) => [
    ...neededLiterals({ role: 'assistant', tool_calls: [{ id: '1', function: { name: 'run', arguments: input } }] }),
  ];
  expect(called('{"my_key":"first\\nFilesChanged","nested":{"other_key":[77310]}}')).toEqual(['FilesChanged', '77310']);
  expect(called(JSON.stringify({ script: 'echo "one\\nTwoThree" > lib\\/out.log' }))).toEqual([
    'TwoThree',
    'lib/out.log',
  ]);
  expect(called('not JSON: src/b.ts')).toEqual(['src/b.ts']);
  expect([...literals({ role: 'tool', content: 'said \\"NamePart\\"\\tnext_part' })]).toEqual([
    'NamePart',
    'next_part',
  ]);
});

test('skips encoded data and keeps the literals around it', () => {
  const data = `${'a'.repeat(300_000)} src/a.ts ${'b_'.repeat(3000)}`;
  expect(found(`before.ts ${data} after.ts ${'c'.repeat(5000)}`)).toEqual(['before.ts', 'src/a.ts', 'after.ts']);
});

test('takes time in proportion to the length of encoded data', async () => {
  const encoded = (length: number) => () => found('a'.repeat(length));
  expect(await timeRatio(encoded(300_000), encoded(30_000), { enough: 40 })).toBeLessThan(40);
});
