import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { ConversationWindow, isHoldfastError } from '../src/index.ts';
import { STRATEGY_NAMES } from '../src/strategies/index.ts';
import { text, toolTurn } from './agent-histories.ts';
import { dialectOf, type Format, say, type Wire } from './histories.ts';
import { instructedScenarios } from './instructed-histories.ts';
import * as promises from './promises.ts';
import { bare, isSameJson } from './promises.ts';

const run = {
  numRuns: Number(process.env.HOLDFAST_RUNS ?? (SOAK ? 1_000 : 5)),
  seed: Number(process.env.HOLDFAST_SEED ?? (SOAK ? Date.now() % 2 ** 31 : 20261119)),
  endOnFailure: true,
};

const FORMATS: readonly Format[] = ['anthropic', 'openai-chat', 'openai-responses', 'ai-sdk'];

function instruct(format: Format, words: string, i: number): Wire {
  if (format === 'anthropic' || format === 'ai-sdk') return { role: 'system', content: words };
  const role = i % 2 === 0 ? 'developer' : 'system';
  if (format === 'openai-chat') return { role, content: words };
  return { type: 'message', role, content: [{ type: 'input_text', text: words }] };
}

/** A long task with these instructions, each behind a request of the user. */
function task(format: Format, instructions: readonly string[]): Wire[] {
  const turn = (n: number) => toolTurn(format, `call_${n}`, { result: text(700, n) });
  const rounds = instructions.flatMap((words, i) => [
    say(format, 'user', `Part ${i}.`),
    instruct(format, words, i),
    ...Array.from({ length: 6 }, (_, n) => turn(6 * i + n)).flat(),
  ]);
  const end = Array.from({ length: 40 }, (_, n) => turn(1_000 + n)).flat();
  return [say(format, 'user', 'Begin.'), ...turn(999), ...rounds, ...end, say(format, 'user', 'Well?')];
}

function windowOf(format: Format, strategy: (typeof STRATEGY_NAMES)[number], warn = (_: string) => {}) {
  const config = { strategy, max_messages: 60, max_tokens: 8_000, preserve_last_n: 6 };
  return new ConversationWindow<Wire>(config, { dialect: dialectOf(format), logger: { warn } });
}

const long = (opening: string) => `${opening}\n${'This rule is long and holds for all that follows. '.repeat(20)}`;

describe.each(FORMATS)('instructions inside a conversation in %s', (format) => {
  test.each(STRATEGY_NAMES)('the newest of each kind stays whole: %s', async (strategy) => {
    const [old, ...newest] = [
      long('<mode name="plan">'),
      long('<limits>'),
      long('## Style of answers'),
      long('<mode name="build">'),
      long('Answer in French.'),
    ];
    const history = task(format, [String(old), ...newest]);
    const window = windowOf(format, strategy);
    for (let n = 0; n < 2; n++) {
      const { messages } = await window.fit(history);
      const shown = new Set(messages.map(bare));
      expect(newest.map((words, i) => shown.has(bare(instruct(format, words, i + 1))))).toEqual([
        true,
        true,
        true,
        true,
      ]);
      expect(shown.has(bare(instruct(format, String(old), 0)))).toBe(false);
      await window.compact(history);
    }
  });

  test('beyond the quota the oldest kinds go behind handles, and the window says so once', async () => {
    const warnings: string[] = [];
    const all = Array.from({ length: 14 }, (_, i) => long(`<rule-${'abcdefghijklmn'[i]}>`));
    const history = task(format, all);
    const window = windowOf(format, 'fold', (message) => warnings.push(message));
    const { messages } = await window.fit(history);
    await window.fit(history);
    const shown = new Set(messages.map(bare));
    const whole = all.map((words, i) => shown.has(bare(instruct(format, words, i))));
    const first = whole.indexOf(true);
    expect(whole).toEqual(all.map((_, i) => i >= first));
    expect([first > 2, first < 12]).toEqual([true, true]);
    const told = warnings.filter((one) => one.includes('instructions'));
    expect(told).toHaveLength(1);
    const handles = [...String(told[0]).matchAll(/m\d+/g)].map(([handle]) => handle);
    expect(handles).toHaveLength(first);
    for (const handle of handles) {
      const [message] = (await window.recall(handle)).messages;
      expect(
        all.slice(0, first).some((words, i) => message && bare(message) === bare(instruct(format, words, i))),
      ).toBe(true);
    }
  });

  test('they leave less room than pins do, and OVER_BUDGET names them', async () => {
    const history = task(format, [long('<mode>'), long('<limits>')]);
    const window = new ConversationWindow<Wire>(
      { max_messages: 0, max_tokens: 800 },
      { dialect: dialectOf(format), logger: { warn() {} } },
    );
    const asked = history.with(0, say(format, 'user', text(1_500, 0)));
    const error = await window.fit(asked).catch((error: unknown) => error);
    expect(isHoldfastError(error) && JSON.stringify(error.details.parts)).toContain('"part":"instruction"');
  });

  test('undo, redo and a restored state keep them', async () => {
    const history = task(format, [long('<mode>'), long('<limits>')]);
    const window = windowOf(format, 'fold');
    const { messages } = await window.fit(history);
    await window.undo();
    await window.redo();
    expect(isSameJson((await window.fit(history)).messages, messages)).toBe(true);
    const state = JSON.parse(JSON.stringify(window.state()));
    const again = new ConversationWindow<Wire>({ max_messages: 60, max_tokens: 8_000 }, { state });
    expect(isSameJson((await again.fit(history)).messages, messages)).toBe(true);
  });

  test('every promise holds with them', async () => {
    const { isDeterministic, isIdempotent, isAppendOnly, givesBack, leavesInputAlone, restores, acceptsOffset } =
      promises;
    const property = fc.asyncProperty(instructedScenarios(format), async (scenario) => {
      for (const promise of [
        isDeterministic,
        isIdempotent,
        isAppendOnly,
        givesBack,
        leavesInputAlone,
        restores,
        acceptsOffset,
      ])
        expect((await promise(scenario)).slice(0, 2), promise.name).toEqual([]);
    });
    await fc.assert(property, run);
  });
});
