import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { type ConversationHistoryConfig, ConversationWindow, isHoldfastError } from '../src/index.ts';
import { toolTurn } from './agent-histories.ts';
import { say, type Wire } from './histories.ts';

const COUNTERS: Readonly<Record<string, ((text: string) => number) | undefined>> = {
  none: undefined,
  'by thirds': (text) => text.length / 3,
  'by words': (text) => 2 * text.split(/\s+/).length,
  dense: (text) => text.length,
  sparse: (text) => text.length / 6,
};

/** A decision, a cause, a failed try, a finding, a step, and what the user wants: statements of all sections of a note. */
function spoken(i: number): Wire[] {
  const words = [
    `I decided to use module_${i} instead of other_${i} because it is simpler.`,
    `The failure was caused by a race in src/part_${i}.ts.`,
    `Tried pooling in pool_${i}, it did not work.`,
    `The limit of queue_${i} is ${i}00 items.`,
    `Next I will rename field_${i}.`,
  ];
  return [
    say('openai-chat', 'assistant', words.slice(i % 3, 2 + (i % 4)).join(' ')),
    say('openai-chat', 'user', `Use port ${4_000 + i} and never rename file_${i}.py. I prefer tabs.`),
  ];
}

/** So many turns, some with tools, and a newest message that leaves only some of the budget. */
function history(turns: number, newest: number): Wire[] {
  const result = (i: number) => `line about fooBar_${i}\n`.repeat(1 + ((7 * i) % 30));
  return [
    say('openai-chat', 'user', 'Please build the service. Never touch config/secret.yml.'),
    ...Array.from({ length: turns }, (_, i) =>
      i % 5 < 2 ? spoken(i) : toolTurn('openai-chat', `c${i}`, { result: result(i) }),
    ).flat(),
    say('openai-chat', 'assistant', 'Yes.'),
    say('openai-chat', 'user', 'lorem '.repeat(newest)),
  ];
}

const SETTINGS: readonly ConversationHistoryConfig[] = [
  { strategy: 'fold', prefer: 'price' },
  { strategy: 'fold', prefer: 'balance' },
  { strategy: 'fold', prefer: 'memory' },
  { strategy: 'sliding' },
  { strategy: 'governed' },
  { strategy: 'two-tier' },
  { strategy: 'rolling' },
];

describe.each(SETTINGS)('a note never makes a view too large with %j', (setting) => {
  test.each(Object.keys(COUNTERS))('and a counter of the caller: %s', async (name) => {
    const tokens = COUNTERS[name];
    const budgets = fc.oneof(fc.integer({ min: 1_500, max: 4_000 }), fc.integer({ min: 4_000, max: 40_000 }));
    const property = fc.asyncProperty(budgets, fc.nat(60), fc.nat(99), async (max, turns, newest) => {
      const tiers = setting.strategy === 'two-tier' ? { tier_thresholds: [max - 1, max] as const } : {};
      const config = { ...setting, ...tiers, max_tokens: max };
      const window = new ConversationWindow<Wire>(config, { logger: { warn() {} }, ...(tokens ? { tokens } : {}) });
      try {
        const { metrics } = await window.fit(history(10 + turns, Math.floor((newest * max) / 200)));
        expect(metrics.estimatedTokens).toBeLessThanOrEqual(max);
      } catch (error) {
        if (!isHoldfastError(error) || error.code !== 'OVER_BUDGET') throw error;
      }
    });
    await fc.assert(property, { numRuns: SOAK ? 5_000 : 60, seed: SOAK ? Date.now() : 3 });
  });
});
