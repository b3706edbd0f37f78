import { describe, expect, test } from 'vitest';
import { timeRatio } from '../../../../scripts/time-ratio.ts';
import {
  handleOf,
  handleTarget,
  isScope,
  messageHandle,
  newRevision,
  type Revisions,
  runHandles,
  withScope,
} from './handles.ts';

test('a message has the handle of the last rewrite before it', () => {
  const revisions = newRevision(newRevision(newRevision([], 4), 9), 7);
  expect([0, 3, 4, 6, 7, 20].map((index) => handleOf(index, revisions))).toEqual([
    'm0',
    'm3',
    'm4~1',
    'm6~1',
    'm7~3',
    'm20~3',
  ]);
});

test('a handle says which message, result or run it names', () => {
  expect(handleTarget(messageHandle(41))).toEqual({ index: 41, revision: 0 });
  expect(handleTarget(` ${messageHandle(41, 3)}`)).toEqual({ index: 41, revision: 3 });
  expect(handleTarget('m41~1.2')).toEqual({ index: 41, revision: 1, part: 2 });
  expect(handleTarget('m12-m40~2')).toEqual({ index: 12, revision: 0, to: { index: 40, revision: 2 } });
  for (const text of ['', 'm', 'm-1', 'm1.2-m3', 'm1,m2', 'mend', 'o1', '#4', 'm9999999999'])
    expect(handleTarget(text)).toBeUndefined();
});

test('thousands of rewrites hardly slow down finding a handle', async () => {
  const search = (rewrites: number) => {
    const revisions: Revisions = Array.from({ length: rewrites }, (_, i) => [i, i + 1] as const);
    return () => {
      for (let index = 0; index < 20_000; index++) handleOf(index, revisions);
    };
  };
  expect(await timeRatio(search(20_000), search(10), { enough: 40 })).toBeLessThan(40);
});

describe('a scope', () => {
  const revisions: Revisions = [
    [0, 0],
    [4, 1, 'old'],
    [8, 1, 'new_-9'],
  ];

  test('ends the handle of a message, of a result and of each run', () => {
    expect([3, 4, 8].map((index) => handleOf(index, revisions))).toEqual(['m3', 'm4~1@old', 'm8~1@new_-9']);
    expect(handleOf(4, revisions, 2)).toBe('m4~1.2@old');
    expect(runHandles(2, 8, revisions)).toEqual(['m2-m3', 'm4~1-m7~1@old', 'm8~1@new_-9']);
  });

  test('is read back', () => {
    expect(handleTarget('m4~1.2@old')).toEqual({ index: 4, revision: 1, part: 2, scope: 'old' });
    expect(handleTarget('m4~1-m7~1@old')).toEqual({
      index: 4,
      revision: 1,
      to: { index: 7, revision: 1 },
      scope: 'old',
    });
    for (const text of ['m4@', 'm4@a b', 'm4@a@b', `m4@${'x'.repeat(41)}`, 'm4@old.2'])
      expect(handleTarget(text)).toBeUndefined();
    expect(['a', 'x'.repeat(40), '', 'ä', 'a.b', 7].map(isScope)).toEqual([true, true, false, false, false, false]);
  });

  test('of the newest revision stays when the history is rewritten', () => {
    expect(newRevision(revisions, 2)).toEqual([
      [0, 0],
      [2, 2, 'new_-9'],
    ]);
    expect(withScope(revisions, 20, 'new_-9')).toBe(revisions);
    expect(withScope([[0, 3]], 20, 'new')).toEqual([
      [0, 3],
      [20, 3, 'new'],
    ]);
  });
});
