import fc from 'fast-check';
import { expect, test } from 'vitest';
import { excessIn } from './json-scan.ts';

function sizeOf(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 };
  const inner = Object.values(value).map(sizeOf);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: 1 + inner.reduce((sum, { values }) => sum + values, 0),
  };
}

test('counts depth exactly, and values except for empty lists, whatever strings contain', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('\\', '"', '\\"', '[[[{{{,,,', '\\\\"],'));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    ),
  }));
  const property = fc.property(value, fc.constantFrom(undefined, 1), (given, indent) => {
    const json = JSON.stringify(given, null, indent);
    const { depth, values } = sizeOf(given);
    expect(excessIn(json, depth, 2 * values)).toBeUndefined();
    if (depth > 0) expect(excessIn(json, depth - 1, 2 * values)).toBe('depth');
    if (values > 1) expect(excessIn(json, depth, values - 1)).toBe('values');
  });
  fc.assert(property, { numRuns: 200, seed: 20_261_115 });
});
