import { describe, expect, test } from 'vitest';
import { chooseLines, type Spoken } from './choose-lines.ts';

const FILE = Array.from({ length: 200 }, (_, i) => `${i + 1}\tconst value_${i + 1} = compute(${i + 1});`);
const TEXT = FILE.join('\n');
const NOTHING: Spoken = { names: new Set(), lines: new Set(), numbers: new Set() };
const all = () => true;

describe('chooseLines', () => {
  test('brings the lines around a spoken name', () => {
    const { runs } = chooseLines(TEXT, { ...NOTHING, names: new Set(['value_100']) }, all, 500);
    expect(runs).toHaveLength(1);
    const [from, to] = runs[0] ?? [0, 0];
    expect(from).toBeLessThan(99);
    expect(to).toBeGreaterThan(100);
  });

  test('brings the lines around an exact line and around a line number', () => {
    const exact = chooseLines(TEXT, { ...NOTHING, lines: new Set(['const value_50 = compute(50);']) }, all, 200);
    expect(exact.runs.some(([from, to]) => from <= 49 && 49 < to)).toBe(true);
    const numbered = chooseLines(TEXT, { ...NOTHING, numbers: new Set([70]) }, all, 200);
    expect(numbered.runs.some(([from, to]) => from <= 69 && 69 < to)).toBe(true);
  });

  test('brings nothing if nothing says where in the file', () => {
    expect(chooseLines(TEXT, NOTHING, all, 500).runs).toEqual([]);
    expect(chooseLines(TEXT, { ...NOTHING, names: new Set(['elsewhere_else']) }, all, 500).runs).toEqual([]);
  });

  test('a name in many lines says nothing about the place', () => {
    const text = FILE.map((line) => `${line} // shared_name`).join('\n');
    expect(chooseLines(text, { ...NOTHING, names: new Set(['shared_name']) }, all, 500).runs).toEqual([]);
  });

  test('leaves out what is not missing, and stays within its room', () => {
    const spoken = { ...NOTHING, names: new Set(['value_100']) };
    expect(chooseLines(TEXT, spoken, () => false, 500).runs).toEqual([]);
    for (const room of [0, 10, 100, 1_000]) {
      const { runs, chars } = chooseLines(TEXT, spoken, all, room);
      const shown = runs.flatMap(([from, to]) => FILE.slice(from, to));
      expect(shown.join('\n').length).toBeLessThanOrEqual(room);
      expect(chars).toBeLessThanOrEqual(room);
    }
  });

  test('leaves out lines with invisible characters', () => {
    const hidden = FILE.map((line, i) => (i === 99 ? `${line}\u200b` : line)).join('\n');
    const { runs } = chooseLines(hidden, { ...NOTHING, names: new Set(['value_100']) }, all, 500);
    expect(runs.some(([from, to]) => from <= 99 && 99 < to)).toBe(false);
  });
});
