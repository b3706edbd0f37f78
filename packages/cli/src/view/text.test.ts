import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ODD } from '../../test/fixtures/events.ts';
import { clean } from './clean.ts';
import { columnsOf, cut, cutMiddle, rowsOf, wrap, wrapLine, wrapText } from './text.ts';

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc
    .array(fc.constantFrom(...ODD, '\u001b[', '\u009b', '漢', '👩‍🚀', ' ', 'word'), { maxLength: 8 })
    .map((parts) => parts.join('')),
);
const check = (property: fc.IProperty<[string, number]>) => fc.assert(property, { seed: 5, numRuns: 500 });

describe('clean', () => {
  test('removes everything that affects a terminal', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(clean(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(clean(clean(text))).toBe(clean(text));
      }),
      { seed: 5, numRuns: 1_000 },
    );
  });

  test('keeps words in every script', () => {
    expect(clean('src/設定/läßt – “so” → 1.ts')).toBe('src/設定/läßt – “so” → 1.ts');
    expect(clean('a\n\tb\u001b[31mc\u001b[0m')).toBe('a bc');
    expect(clean('🇩🇪 👨‍👩‍👧 ❤️')).toBe('DE 👨👩👧 ❤');
  });
});

describe('cutting', () => {
  test('never exceeds the columns', () => {
    check(
      fc.property(texts, fc.integer({ min: 1, max: 60 }), (text, columns) => {
        const line = clean(text);
        expect(columnsOf(cut(line, columns))).toBeLessThanOrEqual(columns);
        expect(columnsOf(cutMiddle(line, columns))).toBeLessThanOrEqual(columns);
        for (const row of wrap(line, columns)) expect(columnsOf(row)).toBeLessThanOrEqual(columns);
      }),
    );
  });

  test('cuts a path in the middle', () => {
    expect(cutMiddle('packages/agent/src/providers/provider.test.ts', 24)).toBe('package…provider.test.ts');
    expect(cutMiddle('short.ts', 24)).toBe('short.ts');
    expect(cut('npm test -- --run config', 12)).toBe('npm test --…');
  });

  test('wraps at blanks, and splits words only if necessary', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('設定も読み込みます', 8)).toEqual(['設定も読', 'み込みま', 'す']);
  });
});

test('counts wrapped rows without splitting wide characters', () => {
  expect(rowsOf('', 10)).toBe(1);
  expect(rowsOf('a'.repeat(20), 10)).toBe(2);
  expect(rowsOf('a'.repeat(21), 10)).toBe(3);
  expect(rowsOf(`a${'漢'.repeat(5)}`, 10)).toBe(2);
  expect(rowsOf('\u001b[32mgreen\u001b[39m', 5)).toBe(1);
});

test('wrapping keeps indentation, blanks and whole words', () => {
  expect(wrapText('def f():\n\treturn  1', 20)).toEqual(['def f():', '    return  1']);
  expect(wrapLine('one two three', 8)).toEqual(['one two', 'three']);
  expect(wrapLine('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  expect(wrapLine('', 4)).toEqual(['']);
});

test('wrapped text from a model cannot affect a terminal', () => {
  expect(wrapText('\u001b[31mred\u001b[0m\u0007 \u009b2J\r\nnext', 40)).toEqual(['red', 'next']);
});

test('no wrapped row is wider than the columns', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.integer({ min: 1, max: 30 }), (text, columns) => {
      for (const row of wrapText(text, columns)) expect(columnsOf(row)).toBeLessThanOrEqual(columns);
    }),
  );
});
