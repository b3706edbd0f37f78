import { expect, test } from 'vitest';
import { openaiChat } from '../dialects/openai-chat/dialect.ts';
import { excerptRuns, excerptsOf, excerptText } from './excerpt.ts';
import { viewTurnOf } from './view-turn.ts';

const file = Array.from({ length: 200 }, (_, i) => (i % 50 === 10 ? `function part_${i}() {` : `  line ${i};`)).join(
  '\n',
);

test('shows the lines around those with a name that the conversation mentions', () => {
  expect(excerptRuns(file, new Set(['part_60']))).toEqual([[40, 81]]);
  expect(excerptRuns(file, new Set(['part_10', 'part_160']))).toEqual([
    [0, 31],
    [140, 181],
  ]);
  expect(excerptRuns(file, new Set(['nobody_said']))).toEqual([]);
});

test('joins runs that touch', () => {
  const near = file.replace('  line 95;', '  other_name;');
  expect(excerptRuns(near, new Set(['part_60', 'other_name']))).toEqual([[40, 116]]);
});

test('ignores a name that is everywhere', () => {
  const everywhere = file.replaceAll('line', 'same_name');
  expect(excerptRuns(everywhere, new Set(['same_name', 'part_60']))).toEqual([[40, 81]]);
});

test('an excerpt has its lines unchanged, marks for the rest, and the handle in front', () => {
  const text = excerptText(
    file,
    [
      [9, 12],
      [198, 200],
    ],
    'm41',
  );
  expect(text).toBe(
    '[5 of 200 lines: recall m41 for all]\n[… 9 lines]\n  line 9;\nfunction part_10() {\n  line 11;\n[… 186 lines]\n  line 198;\n  line 199;',
  );
});

test('makes no excerpt that would be nearly the whole text', () => {
  const dialect = openaiChat<{ role: string; content: string }>();
  const message = { role: 'user', content: 'look at part_10 and part_60' };
  const runs = excerptsOf(dialect, () => [
    viewTurnOf(dialect, { from: 0, messages: [message], readings: [dialect.read(message)] }),
  ]);
  expect(runs(file)).toEqual([
    [0, 31],
    [40, 81],
  ]);
  expect(runs(file.split('\n').slice(0, 100).join('\n'))).toEqual([]);
});
