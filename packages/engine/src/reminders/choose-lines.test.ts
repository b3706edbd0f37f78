import { describe, expect, test } from 'vitest';
import { type Candidate, chooseLines } from './choose-lines.ts';
import { lineKey } from './lines.ts';
import { eachWord } from './words.ts';

const FILE = Array.from({ length: 200 }, (_, i) => `${i + 1}\tconst value_${i + 1} = compute(${i + 1});`);
const TEXT = FILE.join('\n');
const all = () => true;

const candidate = (text: string, given: Partial<Candidate> = {}): Candidate => ({
  lines: text.split('\n').map((line, index) => ({ text: line, key: lineKey(line), index, repeated: false })),
  weight: 1,
  places: new Set(),
  numbers: new Set(),
  names: [],
  ...given,
});

function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  eachWord(text, (word) => words.add(word));
  return words;
}

/** The choice from one text. */
function choose(text: string, spoken: string, isMissing: (key: string) => boolean, room: number, given = {}) {
  const one = candidate(text, given);
  const { runs, chars } = chooseLines([one], wordsOf(spoken), isMissing, room, 0);
  return { runs: runs.get(one) ?? [], chars };
}

const has = (runs: readonly (readonly [number, number])[] | undefined, line: number) =>
  runs?.some(([from, to]) => from <= line && line < to) ?? false;

describe('chooseLines', () => {
  test('brings the lines around a spoken name', () => {
    const { runs } = choose(TEXT, 'value_100', all, 500);
    expect(runs).toHaveLength(1);
    expect(has(runs, 98) && has(runs, 99) && has(runs, 100)).toBe(true);
  });

  test('finds a name in another spelling', () => {
    const text = FILE.with(120, '121\tconst row = { git_branch: null, is_imported: 0 };').join('\n');
    const { runs } = choose(text, 'gitBranch isImported', all, 300);
    expect(has(runs, 120)).toBe(true);
  });

  test('prefers the place with several of the spoken words to places with one of them', () => {
    const text = FILE.map((line, i) => (i % 20 === 10 ? `${line} // charge` : line))
      .with(150, '151\tfunction refund(charge) { return ledger.reverse(charge); }')
      .join('\n');
    const { runs } = choose(text, 'Next: the refund must reverse its charge in the ledger.', all, 200);
    expect(has(runs, 150)).toBe(true);
    expect(runs).toHaveLength(1);
  });

  test('brings the lines around an exact line, a line number and a name that was asked about', () => {
    const exact = choose(TEXT, '', all, 200, { places: new Set(['const value_50 = compute(50);']) });
    expect(has(exact.runs, 49)).toBe(true);
    expect(has(choose(TEXT, '', all, 200, { numbers: new Set([70]) }).runs, 69)).toBe(true);
    expect(has(choose(TEXT, '', all, 200, { names: ['value_120'] }).runs, 119)).toBe(true);
  });

  test('brings nothing if nothing says where in the file', () => {
    expect(choose(TEXT, '', all, 500).runs).toEqual([]);
    expect(choose(TEXT, 'elsewhere_else', all, 500).runs).toEqual([]);
  });

  test('a word in every line says nothing about the place', () => {
    const text = FILE.map((line) => `${line} // shared_name`).join('\n');
    expect(choose(text, 'shared_name', all, 500).runs).toEqual([]);
  });

  test('a long line that does not fit leaves room for others', () => {
    const text = FILE.with(98, `99\t${'x'.repeat(2_000)}`).join('\n');
    const { runs } = choose(text, 'value_100', all, 1_000);
    expect(has(runs, 98)).toBe(false);
    expect(has(runs, 97) && has(runs, 100)).toBe(true);
  });

  test('a line that occurs many times marks no place', () => {
    const text = FILE.map((line, i) => (i % 10 === 0 ? 'return undefined;' : line)).join('\n');
    expect(choose(text, '', all, 500, { places: new Set(['return undefined;']) }).runs).toEqual([]);
  });

  test('leaves out what is not missing, and stays within its room', () => {
    expect(choose(TEXT, 'value_100', () => false, 500).runs).toEqual([]);
    for (const room of [0, 10, 100, 1_000]) {
      const { runs, chars } = choose(TEXT, 'value_100', all, room);
      const shown = runs.flatMap(([from, to]) => FILE.slice(from, to));
      expect(shown.join('\n').length).toBeLessThanOrEqual(room);
      expect(chars).toBeLessThanOrEqual(room);
    }
  });

  test('leaves out lines with invisible characters', () => {
    const hidden = FILE.map((line, i) => (i === 99 ? `${line}\u200b` : line)).join('\n');
    const { runs } = choose(hidden, 'value_100', all, 500);
    expect(has(runs, 99)).toBe(false);
    expect(has(runs, 98)).toBe(true);
  });

  test('brings the nearest lines of all texts, however many newer ones there are', () => {
    const newer = Array.from({ length: 10 }, (_, i) => candidate(`let total = other(${i}); // a newer record`));
    const older = candidate(TEXT, { places: new Set(['const value_50 = compute(50);']) });
    const { runs, chars } = chooseLines([...newer, older], wordsOf('value_50 total'), all, 300, 50);
    expect(has(runs.get(older), 49)).toBe(true);
    expect(chars).toBeLessThanOrEqual(300);
  });

  test('a file that is only related needs more of the spoken words than one that is the topic', () => {
    const text = FILE.with(60, '61\texport function refund(order) {}').join('\n');
    const words = 'refund of the charge in the ledger, by its order and its currency';
    const topic = `${FILE.slice(0, 30).join('\n')}\ncharge ledger currency its the of by and`;
    const weight = (own: number) => {
      const one = candidate(text, { weight: own });
      return chooseLines([candidate(topic), one], wordsOf(words), all, 2_000, 0).runs.get(one);
    };
    expect(has(weight(1), 60)).toBe(true);
    expect(weight(0.1)).toBeUndefined();
  });

  test('a line that a newer text has marks the place, but comes from the newer one', () => {
    const lines = candidate(TEXT).lines.map((line) => ({ ...line, repeated: line.index === 99 }));
    const places = new Set(['const value_100 = compute(100);']);
    const [newer, older] = [candidate(FILE[99] ?? '', { places }), candidate('', { lines, places })];
    const { runs } = chooseLines([newer, older], new Set(), all, 300, 10);
    expect(runs.get(newer)).toEqual([[0, 1]]);
    expect(has(runs.get(older), 99)).toBe(false);
    expect(has(runs.get(older), 98)).toBe(true);
  });
});
