import { describe, expect, test, vi } from 'vitest';
import { agentHistory, isModels, sentViews, type ToolScript, text } from '../../test/agent-histories.ts';
import { CONTENT_FORMATS, dialectOf, type Wire } from '../../test/histories.ts';
import { violationsOf } from '../../test/promises.ts';
import { openaiChat } from '../dialects/openai-chat/dialect.ts';
import { type ConversationHistoryConfig, ConversationWindow, type Turn } from '../index.ts';
import { NO_LOAD } from '../size/tokens.ts';
import { budgetOf } from '../window/core.ts';
import { createCore } from '../window/create-core.ts';

/** What it would judge of a history of so many messages and tokens, all in turns of two messages. */
function judged(messages: number, tokens: number, given: ConversationHistoryConfig = {}) {
  const core = createCore({ strategy: 'two-tier', ...given }, { dialect: openaiChat(), languages: [] });
  const [strategy] = core.strategies;
  if (!strategy) throw new Error('no strategy');
  const said = { ...NO_LOAD, messages, chars: 3 * (tokens - 4.5 * messages) };
  const budget = budgetOf(core, { ...core.memory, said });
  const turns = Array.from(
    { length: messages / 2 },
    (_, i): Turn => ({
      from: 2 * i,
      messages: 2,
      tokens: tokens / (messages / 2),
      role: 'assistant',
      results: [],
      argument_tokens: 0,
      words: false,
      kept: i === 0 || i === messages / 2 - 1,
      recent: 2 * i + 2 > messages - core.config.preserve_last_n,
      latest: i === messages / 2 - 1,
      focus: 0,
    }),
  );
  return { strategy, due: strategy.due({ messages, tokens }, budget), ...strategy.judge(turns, budget) };
}

describe('two-tier thresholds', () => {
  test('up to 80,000 tokens nothing happens', () => {
    expect(judged(40, 80_000).due).toBe(false);
    expect(judged(40, 80_001).due).toBe(true);
  });

  test('tier 1, up to 120,000 tokens of history: heuristic', () => {
    expect(judged(40, 100_000).note).toBe('digest');
    expect(judged(40, 120_000).note).toBe('digest');
  });

  test('tier 2, over 120,000 tokens of history: summary', () => expect(judged(40, 120_001).note).toBe('summary'));

  test('tier 2 needs more than 8 messages', () => {
    expect(judged(8, 200_000).note).toBe('digest');
    expect(judged(10, 200_000).note).toBe('summary');
  });

  test('tier_thresholds moves both', () => {
    const tiers = { tier_thresholds: [1_000, 2_000] } as const;
    expect(judged(40, 1_001, tiers)).toMatchObject({ due: true, note: 'digest' });
    expect(judged(40, 2_001, tiers)).toMatchObject({ due: true, note: 'summary' });
  });

  test('asks for the six sections in at most 2000 tokens', () =>
    expect(judged(40, 90_000).strategy.summary).toMatchObject({ sections: true, max_tokens: 2_000 }));

  test('a lower max_tokens takes precedence over the first threshold', () =>
    expect(judged(40, 30_000, { max_tokens: 25_000 }).due).toBe(true));
});

const script = (i: number): ToolScript => {
  if (i % 3 === 0) return { name: 'Bash', input: { command: `npm test -- part${i}` }, result: text(9_000, i) };
  return { name: i % 3 === 1 ? 'Read' : 'Edit', input: { file_path: `src/part_${i}.ts` }, result: text(9_000, i) };
};

describe.each(CONTENT_FORMATS)('context management and message summarization in %s', (format) => {
  const open = (config: ConversationHistoryConfig = {}) =>
    new ConversationWindow<Wire>({ strategy: 'two-tier', ...config }, { dialect: dialectOf(format) });
  const history = agentHistory(format, 30, script); // 62 messages, some 90,000 tokens

  test('the last 8 messages stay intact, everything else except the request is in the note', async () => {
    const { messages, receipt } = await open().fit(history);
    expect(receipt?.reason).toBe('strategy');
    expect(messages.slice(-8)).toEqual(history.slice(-8));
    expect(messages).toHaveLength(10);
    expect(messages[0]).toEqual(history[0]);
    expect(receipt?.masked).toBe(0);
  });

  test('the heuristic summary shows tools used, files explored, commands run', async () => {
    const { receipt } = await open().fit(history);
    const note = receipt?.note ?? '';
    expect(note).toMatch(/## Tools used\nm\d+: "Read" ×9, "Bash" ×9, "Edit" ×8/);
    expect(note).toMatch(
      /## Commands run, and what failed\n(?:m\d+: "npm test -- part\d+"\n)*m\d+: "npm test -- part24"/,
    );
    expect(note).toMatch(/## Files, with what left the view\n(?:".*\n)*"src\/part_25\.ts": read m53\n/);
    expect(note).toContain('"src/part_23.ts": changed m48\n');
  });

  test('tools are counted over all folds', async () => {
    const window = open({ tier_thresholds: [20_000, 120_000] });
    await sentViews(window, history);
    const tools = window.state().log.at(-1)?.digest.tools ?? [];
    const dropped = window.state().log.at(-1)?.kept.length ?? 0;
    expect(window.state().folds).toBeGreaterThan(3);
    const used = tools.reduce((sum, [, uses]) => sum + uses, 0);
    expect(used).toBeGreaterThan(30 - dropped - 8);
    expect(used).toBeLessThanOrEqual(30);
  });

  test.each([
    ['more than 8 messages, the oldest of which is summed up', {}, 9, 1],
    ['no more than 8', {}, 8, 0],
    ['summarize_on_trim: false', { summarize_on_trim: false }, 9, 0],
  ] as const)('over 120,000 tokens with %s, the model is asked', async (_, config, messages, asked) => {
    const call = vi.fn(async () => 'All is well.');
    const parts = { dialect: dialectOf(format), summarizer: { call } };
    const window = new ConversationWindow<Wire>({ strategy: 'two-tier', ...config }, parts);
    const said = Array.from({ length: messages }, (_, i) => ({
      role: i % 2 === messages % 2 ? 'assistant' : 'user',
      content: text(60_000, i),
    }));
    const history = said[0]?.role === 'user' ? said : [{ role: 'user', content: 'go' }, ...said.slice(1)];
    const { receipt } = await window.fit(history);
    expect(call).toHaveBeenCalledTimes(asked);
    expect(receipt?.note?.includes('All is well.') ?? false).toBe(asked > 0);
  });

  test('with summarize_on_trim: false it asks no model in a whole long run', async () => {
    const call = vi.fn(async () => 'All is well.');
    const config = { strategy: 'two-tier', tier_thresholds: [8_000, 12_000], summarize_on_trim: false } as const;
    const window = new ConversationWindow<Wire>(config, { dialect: dialectOf(format), summarizer: { call } });
    await sentViews(window, history);
    expect(window.state().folds).toBeGreaterThan(5);
    expect(call).not.toHaveBeenCalled();
  });

  test('context does not overflow: every view is valid and within the first threshold', async () => {
    const window = open({ tier_thresholds: [24_000, 40_000] });
    let folds = 0;
    for (let n = 1; n <= history.length; n++) {
      if (isModels(history[n - 1])) continue;
      const { messages, metrics, receipt } = await window.fit(history.slice(0, n));
      if (receipt) folds++;
      expect(violationsOf(format, messages)).toEqual([]);
      expect(metrics.estimatedTokens).toBeLessThanOrEqual(24_000);
    }
    expect(folds).toBeGreaterThan(3);
    expect(folds).toBeLessThan(30); // and not at each of the 31 requests
  });

  test('keeps as many of the last 8 messages as fit the first threshold, and refuses none', async () => {
    const large = agentHistory(format, 6, (i) => ({ result: text(120_000, i) })); // 40,000 tokens each
    const { messages } = await open().fit(large);
    expect(messages.slice(-2)).toEqual(large.slice(-2));
    expect(messages.length).toBeLessThan(8);
    const huge = [{ role: 'user', content: text(300_000, 0) }];
    expect((await open().fit(huge)).messages).toEqual(huge);
  });

  test('the words of the user stay up to a share of the first threshold, not of an endless budget', async () => {
    const chat = Array.from({ length: 120 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: text(3_000, i),
    }));
    const { metrics } = await open().fit(chat.slice(0, 119));
    expect(metrics.estimatedTokens).toBeLessThan(30_000);
  });
});

test.each([[[80_000]], [[0, 5]], [[120_000, 80_000]], [[1.5, 2]], ['80000'], [null]])(
  'tier_thresholds %j is refused',
  (tier_thresholds) => {
    const config = { strategy: 'two-tier', tier_thresholds } as unknown as ConversationHistoryConfig;
    expect(() => new ConversationWindow(config)).toThrow(/tier_thresholds is .*: expected two whole numbers/);
  },
);
