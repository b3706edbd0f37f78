import { expect, test } from 'vitest';
import { chooseFacts, chooseNames, lengthWithNames } from './choose-facts.ts';
import { EMPTY_DIGEST, type NameFact, type Remark } from './digest.ts';
import { renderNote } from './render-note.ts';

const NOTHING_VISIBLE = { names: new Set<string>(), whole: new Set<number>(), planned: -1 };

test('the oldest of the words of the user are shortened first; what has no room is counted', () => {
  const asked = Array.from({ length: 6 }, (_, i): Remark => [`Rule ${i}: ${'x'.repeat(300)}`, i + 1, 0.9 - 0.1 * i]);
  const digest = { ...EMPTY_DIGEST, asked };
  const { asked: some, omitted } = chooseFacts(digest, 0, { plain: 5_500, words: 0 }, NOTHING_VISIBLE, []);
  expect(some.map(([text]) => text.length < 200)).toEqual([true, true, false, false, false, false]);
  expect(omitted).toEqual([]);
  const { asked: few, omitted: others } = chooseFacts(digest, 0, { plain: 1_500, words: 0 }, NOTHING_VISIBLE, []);
  expect(few.length + others.length).toBe(6);
  expect(few[0]?.[1]).toBe(1);
});

test('room for words is for words alone: even those that tell little find room in it, and names take none of it', () => {
  const findings = Array.from(
    { length: 60 },
    (_, i): Remark => [`Step ${i}: ${'x'.repeat(60)}`, i + 1, i % 2 ? 0.5 : 0.1],
  );
  const digest = { ...EMPTY_DIGEST, findings };
  const chosen = (words: number) => chooseFacts(digest, 0, { plain: 2_000, words }, NOTHING_VISIBLE, []).findings;
  expect(chosen(0).every(([, , weight]) => weight === 0.5)).toBe(true);
  expect(chosen(2_000).length).toBeGreaterThan(chosen(0).length);
  expect(chosen(10_000)).toHaveLength(60);
  expect(lengthWithNames({ plain: 2_000, words: 10_000 }, 1_000)).toBe(2_000);
  expect(lengthWithNames({ plain: 2_000, words: 10_000 }, 8_000)).toBe(8_800);
});

test('words of the assistant that have no room are shortened, the oldest first, before any of them go', () => {
  const findings = Array.from({ length: 6 }, (_, i): Remark => [`Fact ${i}: ${'x'.repeat(300)}`, i + 1, 0.5]);
  const digest = { ...EMPTY_DIGEST, findings };
  const chosen = (words: number) => chooseFacts(digest, 0, { plain: 0, words }, NOTHING_VISIBLE, []).findings;
  expect(chosen(1_500).map(([text]) => text.length < 200)).toEqual([true, true, true, false, false, false]);
  expect(chosen(440).map(([, at]) => at)).toEqual([4, 5, 6]);
});

test('with their headings, words never take more than the room for all', () => {
  const said = (text: string): Remark[] => Array.from({ length: 9 }, (_, i) => [`${text} ${i}`, i + 1, 0.5]);
  const digest = {
    ...EMPTY_DIGEST,
    asked: said('Keep'),
    decisions: said('Chose'),
    causes: said('Because'),
    failed: said('Tried'),
    findings: said('Found'),
    open: said('Next'),
    todos: [['Write it', 4] as const],
    files: [{ path: 'a.ts', changes: [5], reads: [] }],
  };
  for (let words = 100; words < 2_500; words += 10)
    for (const plain of [0, 150, 400]) {
      const note = { revisions: [], dropped: [[1, 9]] as const, shortened: 0, example: 1 };
      const head = renderNote(note).length;
      const chosen = chooseFacts(digest, head, { plain, words }, NOTHING_VISIBLE, []);
      const length = renderNote({ ...note, digest: { ...chosen, omitted: [] } }).length;
      expect(length).toBeLessThanOrEqual(Math.max(head, plain + words));
    }
});

test('a value that a sentence of the note tells already is not listed again', () => {
  const digest = {
    ...EMPTY_DIGEST,
    findings: [['`worker` is in CrashLoopBackOff (2230 restarts).', 3, 0.5] as const],
    names: [
      ['2230', 'number', 0, 2, 5, 0, 'Restart Count: 2230', 5] as NameFact,
      ['7731', 'number', 0, 2, 5, 0, 'order 7731', 5] as NameFact,
    ],
  };
  const { names } = chooseFacts(digest, 0, { plain: 4_000, words: 0 }, NOTHING_VISIBLE, []);
  expect(names.map(([name]) => name)).toEqual(['7731']);
});

test('of the names that nobody used, however many results have them, a few stay; of a file that was read, all', () => {
  const only = (at: number) =>
    Array.from({ length: 20 }, (_, i): NameFact => [`name_${at}_${i}`, 'name', 0, 1 + (i % 5), at]);
  const names: NameFact[] = [...only(3), ...only(5), ['used_name', 'name', 1, 1, 3], ['6379/TCP', 'path', 0, 1, 5]];
  const digest = { ...EMPTY_DIGEST, names, files: [{ path: 'a.ts', changes: [], reads: [[5] as const] }] };
  const chosen = chooseNames(digest, 'x'.repeat(500), 4_000, new Set(), [], new Map());
  expect(chosen.filter(([, , , , at]) => at === 3)).toHaveLength(5);
  expect(chosen.filter(([, , , , at]) => at === 5)).toHaveLength(20);
});

test('the open items of a plan are left out if the view shows a newer one', () => {
  const digest = { ...EMPTY_DIGEST, todos: [['Write it', 4] as const] };
  const todos = (planned: number) =>
    chooseFacts(digest, 0, { plain: 4_000, words: 0 }, { ...NOTHING_VISIBLE, planned }, []).todos;
  expect(todos(-1)).toEqual(digest.todos);
  expect(todos(8)).toEqual([]);
});

test('ids that only an API made up take no room of names, unless a call used them', () => {
  const ids = ['call_wq8Xk20vLmTz', 'toolu_01AbCdEfGhIjKl', 'CA71980AFABD44149A07060668B3456C'];
  const names = ids.map((name): NameFact => [name, 'name', 0, 1, 3]);
  const chosen = (some: NameFact[]) =>
    chooseNames({ ...EMPTY_DIGEST, names: some }, 'x'.repeat(500), 4_000, new Set(), [], new Map()).length;
  expect(chosen([...names, ['call_center', 'name', 0, 1, 3]])).toBe(1);
  expect(chosen(names.map(([name, kind]) => [name, kind, 1, 1, 3]))).toBe(3);
});

test('a command whose failure takes many words is shortened, or left out, and not those before it', () => {
  const failed = ['make all', 9, 2, `error: ${'far too long '.repeat(18)}`] as const;
  const digest = { ...EMPTY_DIGEST, commands: [['make core', 3, 0] as const, failed] };
  const chosen = (plain: number) => chooseFacts(digest, 0, { plain, words: 0 }, NOTHING_VISIBLE, []).commands;
  expect(chosen(8_000)).toEqual(digest.commands);
  const [first, second] = chosen(450);
  expect(first).toEqual(digest.commands[0]);
  expect(second?.[3]).toMatch(/^error: far too long .*…$/);
  expect(chosen(250)).toEqual([digest.commands[0]]);
});
