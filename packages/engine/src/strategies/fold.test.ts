import { describe, expect, test } from 'vitest';
import type { Budget } from '../budget.ts';
import type { Turn, TurnResult } from '../strategy.ts';
import { fold } from './fold.ts';

const BUDGET: Budget = {
  max: { messages: Number.POSITIVE_INFINITY, tokens: 50_000 },
  target: { messages: Number.POSITIVE_INFINITY, tokens: 16_000 },
  limit: Number.POSITIVE_INFINITY,
  reserve: 10_000,
  note: 2_000,
  summary: 0,
  preserve_first_n: 1,
  preserve_last_n: 20,
  history: { messages: 100, tokens: 60_000 },
  grown: 0,
  newest: 0,
  rates: { character: 1 / 3, message: 4.5 },
};

function result(file: string, more: Partial<TurnResult> = {}): TurnResult {
  const facts = { error: false, masked: false, repeated: false, edited: false, named: false };
  return { tool: 'read', kind: 'read', files: [file], tokens: 3_000, chars: 9_000, ...facts, ...more };
}

function turn(from: number, results: readonly TurnResult[], more: Partial<Turn> = {}): Turn {
  const tokens = results.reduce((sum, one) => sum + one.tokens, 100);
  const facts = { words: false, kept: false, recent: false, focus: 0 } as const;
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
  test('of several reads in one turn, those of files that were edited or that the user named', () => {
    const reads = [result('a.ts'), result('b.ts', { edited: true }), result('c.ts', { named: true })];
    expect(whole([ask, turn(10, reads), newest])).toEqual(['10.1', '10.2']);
  });

  test('a read goes before the calls of its turn are weighed by themselves', () => {
    const old = turn(2, [result('a.ts', { edited: true })]);
    expect(whole([ask, old, turn(20, [result('x', { kind: 'command', tokens: 9_000 })]), newest])).toEqual(['2.0']);
  });

  test('the latest read of a file that was changed since, and no older one', () => {
    const write = turn(30, [result('a.ts', { kind: 'write', tokens: 100 })]);
    expect(whole([ask, turn(2, [result('a.ts')]), turn(4, [result('src/a.ts')]), write, newest])).toEqual(['4.0']);
  });

  test('little of what is hardly needed, however much room there is beyond the target', () => {
    const searches = Array.from({ length: 9 }, (_, i) => turn(2 + 2 * i, [result('a.ts', { kind: 'search' })]));
    const { verdicts } = fold.judge([ask, ...searches, newest], BUDGET);
    expect(verdicts.filter((verdict) => verdict === 'drop').length).toBeGreaterThan(7);
  });

  test('where messages are the limit, the last ones first: a view that stays full would be folded at each call', () => {
    const old = Array.from({ length: 10 }, (_, i) => turn(2 + 2 * i, [result('a.ts', { edited: true, tokens: 300 })]));
    const last = Array.from({ length: 9 }, (_, i) => turn(60 + 2 * i, [], { recent: true }));
    const limits = { max: { messages: 30, tokens: 200_000 }, target: { messages: 15, tokens: 40_000 } };
    const { verdicts } = fold.judge([ask, ...old, ...last, newest], { ...BUDGET, ...limits });
    expect(verdicts.map((verdict, i) => (verdict === 'drop' ? '' : i)).filter((i) => i !== '')).toEqual([
      0, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
    ]);
  });
});

describe('when it is due', () => {
  const due = (tokens: number, more: Partial<Budget> = {}) =>
    fold.due({ messages: 100, tokens: 10_000 + tokens }, { ...BUDGET, ...more });

  test('over max, and never below half of the room for messages', () => {
    expect(due(40_001)).toBe(true);
    expect(due(20_000, { grown: 20_000 })).toBe(false);
  });

  test('once reading what was said since the last fold has cost what writing the folded view again costs', () => {
    // 1,000 tokens a call, 10,000 left by the last fold: 0.1 × n²/2 × 1,000 = 1.25 × 10,000 after 16 calls.
    expect(due(25_000, { grown: 15_000 })).toBe(false);
    expect(due(26_000, { grown: 16_000 })).toBe(true);
  });

  test('not while a large newest turn, which would stay, makes the difference', () => {
    expect(due(26_000, { grown: 16_000, newest: 5_000 })).toBe(false);
  });
});
