import { describe, expect, test } from 'vitest';
import type { Wire } from '../../test/histories.ts';
import {
  type ConversationHistoryConfig,
  ConversationWindow,
  type Strategy,
  type Verdict,
  type WindowParts,
} from '../index.ts';

const user = (content: unknown): Wire => ({ role: 'user', content });

const windowOf = (config: ConversationHistoryConfig = {}, parts: WindowParts<Wire> = {}) =>
  new ConversationWindow<Wire>(config, { dialect: 'anthropic', logger: { warn: () => {} }, ...parts });

describe('the focus of compact()', () => {
  /** Which turns mention the focus, as the strategy sees it. */
  async function spoken(focus: string): Promise<{ found: number[]; warned: string[] }> {
    const found: number[] = [];
    const warned: string[] = [];
    const strategy: Strategy = {
      due: () => false,
      judge(turns) {
        for (const turn of turns) if (turn.focus > 0) found.push(turn.from);
        return { verdicts: turns.map((): Verdict => 'keep'), note: 'none' };
      },
    };
    const texts = [
      'the field f3 is wrong',
      'written in C#.',
      '检查数据库',
      'nothing of the kind',
      'the UI, rebuilt',
      'f30',
    ];
    const window = windowOf({ strategy }, { logger: { warn: (text) => warned.push(text) } });
    await window.compact(texts.map(user), { focus });
    return { found, warned };
  }
  test.each([
    ['f3', [0]],
    ['C#', [1]],
    ['数据', [2]],
    ['UI', [4]],
    ['f30.', [5]],
    ['wrong f3', [0]],
    ['to be of it', []],
    ['kind of', [3]],
  ])('%s', async (focus, places) => {
    expect((await spoken(focus)).found).toEqual(places);
  });

  test('warns if there is no word to search for', async () => {
    expect((await spoken('of it')).warned).toEqual([expect.stringContaining('of it')]);
    expect((await spoken('f3')).warned).toEqual([]);
    expect((await spoken('')).warned).toEqual([]);
  });
});
