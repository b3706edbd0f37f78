import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnsOf, wrapText } from '../../view/text.ts';
import { createFlow } from './flow.ts';

test('streamed text gives the same rows as the whole text', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abc漢'), minLength: 1, maxLength: 12 });
  const text = fc
    .array(fc.tuple(word, fc.constantFrom(' ', '\n', '\n\n')), { maxLength: 40 })
    .map((all) => all.flat().join(''));
  fc.assert(
    fc.property(
      text,
      fc.array(fc.integer({ min: 1, max: 9 })),
      fc.integer({ min: 2, max: 30 }),
      (whole, sizes, columns) => {
        const flow = createFlow();
        const rows: string[] = [];
        let from = 0;
        for (const size of [...sizes, whole.length]) {
          flow.add(whole.slice(from, from + size));
          from += size;
          rows.push(...flow.rows(columns));
          for (const row of flow.rest(columns)) expect(columnsOf(row)).toBeLessThanOrEqual(columns);
        }
        rows.push(...flow.end(columns));
        const expected = wrapText(whole, columns);
        expect(rows.join('\n').trimEnd()).toBe(expected.join('\n').trimEnd());
      },
    ),
  );
});

test('resizing while text streams loses no word', () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom(...'abc'), minLength: 1, maxLength: 9 }), { maxLength: 40 });
  const widths = fc.array(fc.integer({ min: 3, max: 40 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(words, widths, (all, columns) => {
      const flow = createFlow();
      const whole = all.join(' ');
      const rows = columns.flatMap((width, i) => {
        flow.add(whole.slice(i * 7, i === columns.length - 1 ? undefined : (i + 1) * 7));
        return flow.rows(width);
      });
      rows.push(...flow.end(columns.at(-1) ?? 3));
      expect(rows.join('').replaceAll(' ', '')).toBe(all.join(''));
    }),
  );
});
