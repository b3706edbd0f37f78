import { describe, expect, test } from 'vitest';
import { anthropicWindow, calls, refused, user } from '../../test/anthropic-calls.ts';
import type { Strategy } from '../index.ts';

describe('an invalid answer of a strategy is an error', () => {
  const strategy = (answer: unknown): Strategy => ({
    due: () => true,
    judge: () => answer as ReturnType<Strategy['judge']>,
  });
  const keep = Array.from({ length: 4 }, () => 'keep');
  test.each([
    ['no answer', null],
    ['an unknown verdict', { verdicts: [...keep.slice(1), 'fold'], note: 'none' }],
    ['an unknown note', { verdicts: keep, note: 'poem' }],
    ['no note', { verdicts: keep }],
    ['a size that is none', { verdicts: keep, note: 'none', mask_chars: Number.NaN }],
  ])('%s', async (_, answer) => {
    const window = anthropicWindow({ strategy: strategy(answer) });
    expect(await refused(window.fit([user('go'), ...calls(3)]))).toMatchObject({ code: 'BAD_CONFIG' });
  });
});
