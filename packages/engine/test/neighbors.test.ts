import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { type ConversationHistoryConfig, ConversationWindow, isHoldfastError } from '../src/index.ts';
import { STRATEGY_NAMES } from '../src/strategies/index.ts';
import { dialectOf, FORMATS, type Format, type Scenario, scenarios, type Wire } from './histories.ts';
import { instructedScenarios } from './instructed-histories.ts';
import { isValid, isWithinBudget, violationsOf } from './promises.ts';

const run = {
  numRuns: Number(process.env.HOLDFAST_RUNS ?? (SOAK ? 3_000 : 20)),
  endOnFailure: true,
  seed: Number(process.env.HOLDFAST_SEED ?? (SOAK ? Date.now() % 2 ** 31 : 20261119)),
};

const narrow: fc.Arbitrary<ConversationHistoryConfig> = fc.record(
  {
    strategy: fc.constantFrom(...STRATEGY_NAMES),
    preserve_first_n: fc.nat(4),
    preserve_last_n: fc.nat(6),
    max_messages: fc.integer({ min: 4, max: 30 }),
    max_tokens: fc.integer({ min: 800, max: 12_000 }),
  },
  { requiredKeys: ['strategy', 'preserve_first_n', 'max_messages'] },
);

test.each(FORMATS)('a turn that stays keeps what it needs beside it: %s', async (format) => {
  const property = fc.asyncProperty(instructedScenarios(format, narrow), async (scenario) => {
    expect(await isValid(scenario)).toEqual([]);
    expect(await isWithinBudget(scenario)).toEqual([]);
  });
  await fc.assert(property, run);
});

test.each(FORMATS)('pins at random places leave a valid view: %s', async (format) => {
  const property = fc.asyncProperty(
    instructedScenarios(format, narrow),
    fc.array(fc.nat(60), { minLength: 1, maxLength: 5 }),
    async (scenario, pins) => {
      const window = windowOf(scenario);
      const history: Wire[] = [];
      for (const { messages, ask } of scenario.steps) {
        history.push(...messages);
        for (const pin of pins) if (pin < window.seen) pinIfAllowed(window, pin);
        if (!ask) continue;
        const view = await fitted(window, history);
        if (view) expect(violationsOf(format, view)).toEqual([]);
      }
    },
  );
  await fc.assert(property, run);
});

function windowOf({ format, thinking, config }: Scenario): ConversationWindow<Wire> {
  return new ConversationWindow<Wire>(config, { dialect: dialectOf(format, thinking), logger: { warn() {} } });
}

async function fitted(
  window: ConversationWindow<Wire>,
  history: readonly Wire[],
): Promise<readonly Wire[] | undefined> {
  try {
    return (await window.fit([...history])).messages;
  } catch (error) {
    if (isHoldfastError(error) && error.code === 'OVER_BUDGET') return undefined;
    throw error;
  }
}

function pinIfAllowed(window: ConversationWindow<Wire>, pin: number): void {
  try {
    window.pin(pin);
  } catch (error) {
    if (!isHoldfastError(error) || error.code !== 'BAD_PIN') throw error;
  }
}

test.each(FORMATS)('trim() of a valid history is valid, whatever stays at its ends: %s', (format: Format) => {
  const bounds = fc.record({
    max_messages: fc.integer({ min: 1, max: 20 }),
    preserve_first_n: fc.nat(6),
    preserve_last_n: fc.nat(8),
  });
  const histories = fc.oneof(scenarios(format), instructedScenarios(format));
  const property = fc.property(histories, bounds, fc.nat(), ({ thinking, steps }, config, cut) => {
    const asked = steps.flatMap(({ ask }, i) => (ask ? [i] : []));
    const end = asked[cut % asked.length] ?? 0;
    const history = steps.slice(0, end + 1).flatMap(({ messages }) => messages);
    const window = new ConversationWindow<Wire>(config, {
      dialect: dialectOf(format, thinking),
      logger: { warn() {} },
    });
    const { trimmed, evicted } = window.trim(history);
    expect(violationsOf(format, trimmed)).toEqual([]);
    expect(trimmed.length + evicted.length).toBe(history.length);
    expect(violationsOf(format, window.pruneHistory(history).trimmed)).toEqual([]);
  });
  fc.assert(property, run);
});
