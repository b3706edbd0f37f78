import { describe, expect, test } from 'vitest';
import type { Budget } from '../size/budget.ts';
import { PREFERENCES, type Preference, type Strategy, type Turn, type TurnResult } from '../strategy.ts';
import { FOLD, fold as make } from './fold.ts';

const strategyFor = (prefer: Preference) => make({ ...FOLD, prefer })[0] as Strategy;
const fold = strategyFor('balance');

const BUDGET: Budget = {
  max: { messages: Number.POSITIVE_INFINITY, tokens: 50_000 },
  target: { messages: Number.POSITIVE_INFINITY, tokens: 16_000 },
  limit: Number.POSITIVE_INFINITY,
  reserve: 10_000,
  note: 2_000,
  summary: 0,
  words: 0,
  preserve_first_n: 1,
  preserve_last_n: 20,
  history: { messages: 100, tokens: 60_000 },
  grown: 0,
  newest: 0,
  asked: false,
  working: false,
  write_price: 12.5,
  rates: { character: 1 / 3, message: 4.5 },
};

function result(file: string, more: Partial<TurnResult> = {}): TurnResult {
  const facts = { error: false, masked: false, repeated: false, edited: false, named: false, excerpt: 0 };
  const lines = [0, Number.POSITIVE_INFINITY] as const;
  return { tool: 'read', kind: 'read', files: [file], lines, tokens: 3_000, chars: 9_000, ...facts, ...more };
}

function turn(from: number, results: readonly TurnResult[], more: Partial<Turn> = {}): Turn {
  const tokens = results.reduce((sum, one) => sum + one.tokens, 100);
  const facts = { argument_tokens: 0, words: false, kept: false, recent: false, latest: false, focus: 0 } as const;
  return { from, messages: 2, tokens, role: 'assistant', results, ...facts, ...more };
}

const ask = turn(0, [], { messages: 1, tokens: 6_000, role: 'user', words: true, kept: true });
const newest = turn(90, [result('log.txt', { kind: 'command' })], { kept: true });

/** The results that stay as they are, by the places of their turns. */
function whole(turns: readonly Turn[], budget: Partial<Budget> = {}): string[] {
  const { verdicts, spare } = fold.judge(turns, { ...BUDGET, ...budget });
  return turns.flatMap(({ from }, i) => (verdicts[i] === 'mask' ? (spare?.[i]?.map((n) => `${from}.${n}`) ?? []) : []));
}

describe('what it keeps', () => {
  test('of several reads in one turn, those of files that were edited or that the user named first', () => {
    const reads = [result('a.ts'), result('b.ts', { edited: true }), result('c.ts', { named: true })];
    const whole = (prefer: Preference) =>
      strategyFor(prefer).judge([ask, turn(10, reads), tests, newest], BUDGET).spare?.[1];
    const tests = turn(20, [result('log', { kind: 'command', tokens: 6_000 })]);
    expect(whole('balance')).toEqual([1, 2, 0]);
    expect(whole('price')).toEqual([1]);
  });

  test('files of one name in other folders are other files', () => {
    const read = turn(10, [result('/repo/users/routes.py')]);
    const tests = turn(30, [result('log', { kind: 'command', tokens: 6_000 })]);
    const later = (file: string) => turn(20, [result(file, { kind: 'write', tokens: 50 })]);
    expect(whole([ask, read, later('/repo/billing/routes.py'), tests, newest])).toEqual(['10.0']);
    expect(whole([ask, read, later('users/routes.py'), tests, newest])).toEqual([]);
  });

  test('a read is weighed apart from the calls of its turn', () => {
    const old = turn(2, [result('a.ts', { edited: true })]);
    expect(whole([ask, old, turn(20, [result('x', { kind: 'command', tokens: 9_000 })]), newest])).toEqual(['2.0']);
  });

  test('only the mentioned lines of a long read, if there are any, and no more in later folds', () => {
    const turns = (more: Partial<TurnResult>) => [ask, turn(10, [result('a.ts', { edited: true, ...more })]), newest];
    const excerpts = (more: Partial<TurnResult>) => fold.judge(turns(more), BUDGET).excerpts?.[1];
    expect(excerpts({ excerpt: 1_000 })).toEqual([0]);
    expect(whole(turns({ excerpt: 1_000 }))).toEqual([]);
    expect(excerpts({ excerpt: 0 })).toEqual([]);
    expect(whole(turns({ excerpt: 0 }))).toEqual(['10.0']);
    expect(excerpts({ excerpt: 200, tokens: 500 })).toEqual([]);
    // An excerpt of an earlier fold stays by the worth of the file, where the calls alone would go.
    const stands = (more: Partial<TurnResult>) => {
      const old = turn(2, [result('a.ts', { masked: true, tokens: 2_500, ...more })]);
      return fold.judge([ask, old, turn(20, [result('x', { kind: 'command', tokens: 9_000 })]), newest], BUDGET)
        .verdicts[1];
    };
    expect(stands({ excerpt: 2_500, edited: true })).toBe('mask');
    expect(stands({ excerpt: 0, edited: true })).toBe('drop');
  });

  const reads = [turn(2, [result('a.ts')]), turn(4, [result('src/a.ts')])];
  const write = turn(30, [result('a.ts', { kind: 'write', tokens: 100 })]);

  test('no read of a file that was changed since: reminders bring back its lines', () => {
    expect(whole([ask, ...reads, write, newest])).toEqual([]);
    const part = turn(6, [result('a.ts', { lines: [1, 50] })]);
    expect(whole([ask, part, write, newest])).toEqual([]);
  });

  test('reads of different lines of a file', () => {
    const part = (from: number, lines: readonly [number, number]) => turn(from, [result('a.ts', { lines })]);
    expect(whole([ask, part(2, [1, 50]), part(4, [51, 99]), part(6, [40, 99]), newest])).toEqual(['2.0', '6.0']);
  });

  test('no read from before the user asked for something else', () => {
    const next = turn(40, [], { messages: 1, role: 'user', words: true, kept: true });
    expect(whole([ask, turn(2, [result('b.ts')]), next, turn(42, [result('c.ts')]), newest])).toEqual(['42.0']);
  });

  test('what changed a file just now, longer than other calls', () => {
    const call = (from: number, kind: 'write' | 'search') =>
      turn(from, [result('a.ts', { kind, tokens: 100 })], { tokens: 2_000 });
    const last = turn(90, [], { tokens: 200, kept: true });
    const oldest = (kind: 'write' | 'search') =>
      fold.judge([ask, call(2, kind), call(4, 'search'), last], BUDGET).verdicts[1];
    expect([oldest('write'), oldest('search')]).toEqual(['mask', 'drop']);
    // Agents edit their own lines again for a few more turns.
    const after = (turns: number) => {
      const others = Array.from({ length: turns }, (_, i) =>
        turn(4 + 2 * i, [result('b.ts', { kind: 'search', tokens: 300 })]),
      );
      return fold.judge([ask, call(2, 'write'), ...others, last], BUDGET).verdicts[1];
    };
    expect([after(6), after(7)]).toEqual(['mask', 'drop']);
  });

  test('little of what is hardly needed, however much room there is beyond the target', () => {
    const searches = Array.from({ length: 9 }, (_, i) => turn(2 + 2 * i, [result('a.ts', { kind: 'search' })]));
    const { verdicts } = fold.judge([ask, ...searches, newest], BUDGET);
    expect(verdicts.filter((verdict) => verdict === 'drop').length).toBeGreaterThan(2);
    expect(whole([ask, ...searches, newest])).toEqual([]);
  });

  test('the newest turns first if messages are the limit, because a full view would fold on every call', () => {
    const old = Array.from({ length: 10 }, (_, i) => turn(2 + 2 * i, [result('a.ts', { edited: true, tokens: 300 })]));
    const last = Array.from({ length: 9 }, (_, i) => turn(60 + 2 * i, [], { recent: true }));
    const limits = { max: { messages: 30, tokens: 200_000 }, target: { messages: 15, tokens: 40_000 } };
    const { verdicts } = fold.judge([ask, ...old, ...last, newest], { ...BUDGET, ...limits });
    expect(verdicts.map((verdict, i) => (verdict === 'drop' ? '' : i)).filter((i) => i !== '')).toEqual([
      0, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
    ]);
  });
});

test('its note comes right before the newest turn', () => {
  expect(fold.judge([ask, newest], BUDGET).note_place).toBe('newest');
});

test('words get little room of their own in a small budget, much in a large one, and none for price', () => {
  const words = (prefer: Preference) => [20_000, 40_000, 160_000].map((room) => strategyFor(prefer).note_words?.(room));
  expect(words('price')).toEqual([0, 0, 0]);
  expect(words('balance')).toEqual([500, 1_000, 25_000]);
  expect(words('memory')).toEqual([6_000, 12_000, 48_000]);
});

describe('when it is due', () => {
  const due = (tokens: number, more: Partial<Budget> = {}) =>
    fold.due({ messages: 100, tokens: 10_000 + tokens }, { ...BUDGET, ...more });

  test('over max, and never below three tenths of the room for messages', () => {
    expect(due(40_001)).toBe(true);
    expect(due(12_000, { grown: 12_000, history: { messages: 1_000, tokens: 60_000 } })).toBe(false);
    expect(due(12_001, { grown: 12_001, history: { messages: 1_000, tokens: 60_000 } })).toBe(true);
  });

  test('once reading the new text has cost as much as writing the folded view again', () => {
    // 1,000 tokens a call, 10,000 left by the last fold, a quarter of which counts: 0.1 × n²/2 × 1,000 = 1.25 × 2,500 after 7.9 calls.
    expect(due(17_000, { grown: 7_000 })).toBe(false);
    expect(due(18_000, { grown: 8_000 })).toBe(true);
  });

  test('later if reading from the cache costs less', () => {
    expect(due(20_000, { grown: 10_000, write_price: 25 })).toBe(false);
    expect(due(26_000, { grown: 16_000, write_price: 25 })).toBe(true);
    expect(due(39_000, { grown: 29_000, write_price: Number.POSITIVE_INFINITY })).toBe(false);
  });

  test('sooner when the user starts the next task', () => {
    expect(due(15_000, { grown: 5_000, asked: true })).toBe(false);
    expect(due(16_000, { grown: 6_000, asked: true })).toBe(true);
    expect(due(16_000, { grown: 6_000 })).toBe(false);
  });

  test('not in the middle of a piece of work, unless the view is over max or the user asks for something else', () => {
    expect(due(30_000, { grown: 20_000 })).toBe(true);
    expect(due(30_000, { grown: 20_000, working: true })).toBe(false);
    expect(due(30_000, { grown: 20_000, working: true, asked: true })).toBe(true);
    expect(due(40_001, { grown: 20_000, working: true })).toBe(true);
  });

  test('later the more memory is preferred', () => {
    const tokens = PREFERENCES.map((prefer) => {
      let size = 12_000;
      while (!strategyFor(prefer).due({ messages: 100, tokens: 10_000 + size }, { ...BUDGET, grown: size - 10_000 }))
        size += 1_000;
      return size;
    });
    expect(tokens).toEqual([18_000, 18_000, 35_000]);
  });

  test('with memory, only when the budget is nearly used up, also when the user starts the next task', () => {
    const due = (tokens: number, more: Partial<Budget> = {}) =>
      strategyFor('memory').due({ messages: 100, tokens: 10_000 + tokens }, { ...BUDGET, grown: tokens, ...more });
    expect([due(34_000), due(34_001)]).toEqual([false, true]);
    expect([due(34_000, { asked: true }), due(34_001, { asked: true })]).toEqual([false, true]);
    // An edit under way may finish first, as long as there is room.
    expect([due(40_000, { working: true }), due(40_001, { working: true })]).toEqual([false, true]);
  });

  test('not while a large newest turn, which would stay, makes the difference', () => {
    expect(due(22_000, { grown: 12_000, newest: 5_000 })).toBe(false);
  });
});
