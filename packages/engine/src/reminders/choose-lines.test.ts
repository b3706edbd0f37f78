import { describe, expect, test } from 'vitest';
import { chooseLines, type KnownLine, type Spoken } from './choose-lines.ts';
import { lineKey } from './lines.ts';

const FILE = Array.from({ length: 200 }, (_, i) => `${i + 1}\tconst value_${i + 1} = compute(${i + 1});`);
const TEXT = FILE.join('\n');
const NOTHING: Spoken = { names: new Set(), lines: new Set(), numbers: new Set() };
const all = () => true;

const linesOf = (text: string, record = 0): KnownLine[] =>
  text.split('\n').map((line, index) => ({ text: line, key: lineKey(line), record, index, repeated: false }));

/** The choice from one record. */
function choose(text: string, spoken: Spoken, isMissing: (key: string) => boolean, room: number) {
  const { runs, chars } = chooseLines([linesOf(text)], spoken, isMissing, room, 0);
  return { runs: runs.get(0) ?? [], chars };
}

describe('chooseLines', () => {
  test('brings the lines around a spoken name', () => {
    const { runs } = choose(TEXT, { ...NOTHING, names: new Set(['value_100']) }, all, 500);
    expect(runs).toHaveLength(1);
    const [from, to] = runs[0] ?? [0, 0];
    expect(from).toBeLessThan(99);
    expect(to).toBeGreaterThan(100);
  });

  test('brings the lines around an exact line and around a line number', () => {
    const exact = choose(TEXT, { ...NOTHING, lines: new Set(['const value_50 = compute(50);']) }, all, 200);
    expect(exact.runs.some(([from, to]) => from <= 49 && 49 < to)).toBe(true);
    const numbered = choose(TEXT, { ...NOTHING, numbers: new Set([70]) }, all, 200);
    expect(numbered.runs.some(([from, to]) => from <= 69 && 69 < to)).toBe(true);
  });

  test('brings nothing if nothing says where in the file', () => {
    expect(choose(TEXT, NOTHING, all, 500).runs).toEqual([]);
    expect(choose(TEXT, { ...NOTHING, names: new Set(['elsewhere_else']) }, all, 500).runs).toEqual([]);
  });

  test('a name in many lines says nothing about the place', () => {
    const text = FILE.map((line) => `${line} // shared_name`).join('\n');
    expect(choose(text, { ...NOTHING, names: new Set(['shared_name']) }, all, 500).runs).toEqual([]);
  });

  test('leaves out what is not missing, and stays within its room', () => {
    const spoken = { ...NOTHING, names: new Set(['value_100']) };
    expect(choose(TEXT, spoken, () => false, 500).runs).toEqual([]);
    for (const room of [0, 10, 100, 1_000]) {
      const { runs, chars } = choose(TEXT, spoken, all, room);
      const shown = runs.flatMap(([from, to]) => FILE.slice(from, to));
      expect(shown.join('\n').length).toBeLessThanOrEqual(room);
      expect(chars).toBeLessThanOrEqual(room);
    }
  });

  test('leaves out lines with invisible characters', () => {
    const hidden = FILE.map((line, i) => (i === 99 ? `${line}\u200b` : line)).join('\n');
    const { runs } = choose(hidden, { ...NOTHING, names: new Set(['value_100']) }, all, 500);
    expect(runs.some(([from, to]) => from <= 99 && 99 < to)).toBe(false);
  });

  test('brings the nearest lines of all records, however many newer ones there are', () => {
    const newer = Array.from({ length: 10 }, (_, i) => linesOf(`let value_100 = other(${i}); // a newer record`, i));
    const older = linesOf(TEXT, 10);
    const spoken = { ...NOTHING, names: new Set(['value_100']), lines: new Set(['const value_50 = compute(50);']) };
    const { runs, chars } = chooseLines([...newer, older], spoken, all, 300, 50);
    expect([...runs.keys()]).toEqual([10]);
    expect(runs.get(10)?.some(([from, to]) => from <= 49 && 49 < to)).toBe(true);
    expect(chars).toBeLessThanOrEqual(300);
  });

  test('a line that a newer record has says where it is, but comes from the newer one', () => {
    const older = linesOf(TEXT, 1).map((line) => ({ ...line, repeated: line.index === 99 }));
    const newer = linesOf(FILE[99] ?? '', 0);
    const spoken = { ...NOTHING, lines: new Set(['const value_100 = compute(100);']) };
    const { runs } = chooseLines([newer, older], spoken, all, 300, 10);
    expect(runs.get(0)).toEqual([[0, 1]]);
    expect(runs.get(1)?.some(([from, to]) => from <= 99 && 99 < to)).toBe(false);
    expect(runs.get(1)?.some(([from, to]) => from <= 98 && 98 < to)).toBe(true);
  });
});
