import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { SOAK } from '../../../../scripts/soak.ts';
import { agentHistory, sentViews, text, toolTurn } from '../../test/agent-histories.ts';
import { CONTENT_FORMATS, dialectOf, scenarios, type Wire } from '../../test/histories.ts';
import { counting, violationsOf } from '../../test/promises.ts';
import { type ConversationHistoryConfig, ConversationWindow, type Dialect } from '../index.ts';
import { turnStarts } from '../turns/read-turns.ts';

const numRuns = Number(process.env.HOLDFAST_RUNS ?? (SOAK ? 3_000 : 80));
const plain = (count: number, chars = 20): Wire[] =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: text(chars, i) }));
const quiet = { warn() {} };
const open = (config: ConversationHistoryConfig = {}, dialect?: Dialect<Wire>) =>
  new ConversationWindow<Wire>({ strategy: 'rolling', ...config }, { logger: quiet, ...(dialect ? { dialect } : {}) });

describe('AC 1: default of 50 messages', () => {
  test('is applied, and can be overridden for each window', async () => {
    expect((await open().fit(plain(49))).messages).toHaveLength(49);
    expect((await open().fit(plain(51))).messages.length).toBeLessThanOrEqual(50);
    expect((await open({ max_messages: 80 }).fit(plain(79))).messages).toHaveLength(79);
    expect(open().pruneHistory(plain(52)).trimmed).toHaveLength(50);
    expect(open({ max_messages: 10 }).pruneHistory(plain(52)).trimmed).toHaveLength(10);
  });

  test('validation: must be more than 0', () => {
    expect(() => open({ max_messages: 0 })).toThrow(
      /max_messages is 0, but rolling .*: expected a whole number, 1 or more/,
    );
    expect(() => open({ max_messages: -1 })).toThrow(/max_messages is -1/);
    expect(() => open({ max_messages: 0, strategy: ['fold', 'rolling'] })).toThrow(/max_messages is 0/);
  });
});

describe.each(CONTENT_FORMATS)('the limit in a loop, in %s', (format) => {
  const history = agentHistory(format, 150, (i) => ({ result: `result ${i}` }));

  test('AC 2: no view has more, whatever is appended', async () => {
    const views = await sentViews(open({}, dialectOf(format)), history);
    for (const view of views) {
      expect(view.length).toBeLessThanOrEqual(50);
      expect(violationsOf(format, view)).toEqual([]);
    }
    expect(Math.max(...views.map(({ length }) => length))).toBeGreaterThanOrEqual(49);
  });

  test('AC 3: oldest first out, the recent preserved, in order, the request in front, and no note', async () => {
    const { messages, receipt } = await open({}, dialectOf(format)).fit(history);
    expect(messages[0]).toBe(history[0]);
    expect(messages.slice(1)).toEqual(history.slice(-(messages.length - 1)));
    expect(receipt?.note).toBeUndefined();
    expect(messages.length).toBeGreaterThan(20);
  });

  test('AC 5: the metrics report what was removed', async () => {
    const { metrics, messages } = await open({}, dialectOf(format)).fit(history);
    expect(metrics).toMatchObject({
      totalMessages: 302,
      preservedMessages: messages.length,
      evictedMessages: 302 - messages.length,
      folds: 1,
    });
  });

  test('AC 6: input is not changed, and a saved state can be resumed', async () => {
    const before = JSON.stringify(history);
    const window = open({}, dialectOf(format));
    const { messages } = await window.fit(history);
    expect(JSON.stringify(history)).toBe(before);
    const state = JSON.parse(JSON.stringify(window.state()));
    const resumed = new ConversationWindow<Wire>({ strategy: 'rolling' }, { dialect: dialectOf(format), state });
    expect((await resumed.fit(history)).messages).toEqual(messages);
  });
});

test('AC 7: of 500 messages at most 50 are sent, a tenth of the tokens', async () => {
  const history = plain(501, 600);
  const { messages, metrics } = await open().fit(history);
  expect(messages.length).toBeLessThanOrEqual(50);
  expect(metrics.estimatedTokens).toBeLessThan(0.1 * (501 * (600 / 3 + 4.5)));
});

describe('PruneHistory', () => {
  test('empty, below and at the limit: unchanged', () => {
    for (const count of [0, 1, 49, 50]) {
      const { trimmed, evicted, metrics } = open().pruneHistory(plain(count));
      expect(trimmed).toEqual(plain(count));
      expect(evicted).toEqual([]);
      expect(metrics).toMatchObject({ totalMessages: count, preservedMessages: count, evictedMessages: 0 });
    }
  });

  test('over the limit: the last N, the oldest out, in order', () => {
    const history = plain(61);
    const { trimmed, evicted, metrics } = open().pruneHistory(history);
    expect(trimmed).toEqual(history.slice(12)); // 49: from 11 on it would begin with the assistant, and one more with the user
    expect(evicted).toEqual(history.slice(0, 12));
    expect(metrics).toEqual({
      totalMessages: 61,
      preservedMessages: 49,
      evictedMessages: 12,
      estimatedTokens: open().estimateTokens(trimmed),
    });
  });

  test('an explicit limit overrides the configured one', () => {
    expect(open().pruneHistory(plain(60), 20).trimmed).toEqual(plain(60).slice(40));
    expect(new ConversationWindow<Wire>({ max_messages: 0 }).pruneHistory(plain(300)).trimmed).toHaveLength(300);
  });

  test('limits of 0 or less only warn', () => {
    for (const limit of [0, -1, Number.NaN]) {
      const warn = vi.fn();
      const window = new ConversationWindow<Wire>({ strategy: 'rolling' }, { logger: { warn } });
      expect(window.pruneHistory(plain(60), limit)).toMatchObject({ trimmed: plain(60), evicted: [] });
      expect(warn).toHaveBeenCalledOnce();
      expect(warn.mock.calls[0]?.[0]).toContain(`limit is ${limit},`);
    }
  });

  test('a limit of 1 keeps the newest turn and what must precede it', () => {
    expect(open().pruneHistory(plain(61), 1).trimmed).toEqual(plain(61).slice(-1));
    expect(open().pruneHistory(plain(60), 1).trimmed).toEqual(plain(60).slice(-2));
  });

  test('can be called after each message', () => {
    let history: Wire[] = [];
    for (const message of plain(300)) {
      history = open().pruneHistory([...history, message]).trimmed;
      expect(history.length).toBeLessThanOrEqual(50);
      expect(history.at(-1)).toEqual(message);
    }
    expect(open().pruneHistory(history).trimmed).toEqual(history);
  });

  test('leading system messages stay and count', () => {
    const system = { role: 'system', content: 'be brief' };
    const { trimmed, evicted } = open().pruneHistory([system, ...plain(61)], 10);
    expect(trimmed).toEqual([system, ...plain(61).slice(-9)]);
    expect(evicted).toEqual(plain(61).slice(0, 52));
    expect(open().pruneHistory([system, system, system], 1).trimmed).toHaveLength(3);
  });

  test('accepts any input', () => {
    const odd = [{}, null, { role: 'user', content: 7 }, 'text', { role: 'tool' }] as unknown as Wire[];
    const { trimmed, evicted } = open().pruneHistory(odd, 2);
    expect(trimmed.length + evicted.length).toBe(5);
  });
});

describe.each(CONTENT_FORMATS)('PruneHistory in %s', (format) => {
  const dialect = dialectOf(format);

  test('a cut before an assistant turn keeps the newest user message in front', () => {
    const history = agentHistory(format, 40, (i) => ({ result: `result ${i}` }));
    const { trimmed, evicted } = open({}, dialect).pruneHistory(history, 9);
    expect(trimmed).toEqual([history[0], ...history.slice(-8)]);
    expect(evicted).toEqual(history.slice(1, -8));
    const later = [...history.slice(0, 20), { role: 'user', content: 'and the docs' }, ...history.slice(20)];
    expect(open({}, dialect).pruneHistory(later, 9).trimmed).toEqual([later[20], ...later.slice(-8)]);
  });

  test('only a newest turn that is longer than the limit exceeds it', () => {
    const calls = toolTurn(format, 'last', { result: 'ok' });
    const history = [...plain(19), ...calls];
    expect(open({}, dialect).pruneHistory(history, 1).trimmed).toEqual([history[18], ...calls]);
    expect(open({}, dialect).pruneHistory(history, 3).trimmed).toEqual(history.slice(-3));
  });

  test('whatever the history and the limit: valid, whole turns, newest kept, pure, done once', () => {
    const property = fc.property(scenarios(format), fc.integer({ min: 1, max: 40 }), ({ steps }, limit) => {
      const history = steps.flatMap(({ messages }) => messages); // frozen: a change would throw
      const { trimmed, evicted } = open({}, dialect).pruneHistory(history, limit);
      const rules = violationsOf(format, trimmed).map(({ rule }) => rule);
      expect(rules.filter((rule) => rule !== 'too-many-markers')).toEqual([]); // those of the history, as they came
      expect(trimmed.length + evicted.length).toBe(history.length);
      const newest = history.length - turnStarts(dialect, history).lastIndexOf(true);
      const leading = history.findIndex(({ role }) => role !== 'system' && role !== 'developer');
      expect(trimmed.length).toBeLessThanOrEqual(Math.max(limit, leading + 1 + newest));
      const first = trimmed.find(({ role }) => role !== 'system' && role !== 'developer');
      expect(first?.role).toBe('user');
      if (evicted.length > 0) expect(JSON.stringify(trimmed)).not.toMatch(/"(?:redacted_)?thinking"/);
      else expect(trimmed).toEqual(history);
      const kept = new Set(trimmed);
      const firstOut = history.findLastIndex((message) => evicted.includes(message) && !isThought(message));
      const older = history.slice(leading, Math.max(leading, firstOut)).filter((message) => kept.has(message));
      expect(older.length).toBeLessThanOrEqual(1); // the user message in front
      expect(open({}, dialect).pruneHistory(trimmed, limit).trimmed).toEqual(trimmed);
    });
    fc.assert(property, { numRuns, seed: 20261115 });
  });

  test('performance: pruning 1,000 messages reads each a few times, and twice as many twice as often', () => {
    const reads = (count: number) => {
      const counted = counting(dialect);
      const window = open({}, counted.dialect);
      const history = agentHistory(format, count / 2, (i) => ({ result: `result ${i}` }));
      for (let i = 0; i < 10; i++) window.pruneHistory(history);
      return counted.reads() / 10;
    };
    expect(reads(1_000)).toBeLessThan(3 * 1_000);
    expect(reads(2_000) / reads(1_000)).toBeLessThan(2.2);
  });
});

test('a system message behind the user’s stays with it', () => {
  const asked: Wire[] = [
    { role: 'user', content: 'go' },
    { role: 'system', content: 'be brief' },
  ];
  const answers = Array.from({ length: 20 }, (_, i) => toolTurn('anthropic', `c${i}`, { result: 'ok' })).flat();
  const { trimmed } = open({}, dialectOf('anthropic')).pruneHistory([...plain(10), ...asked, ...answers], 8);
  expect(trimmed).toEqual([...asked, ...answers.slice(-6)]);
  expect(violationsOf('anthropic', trimmed)).toEqual([]);
  const spoken = [...plain(10), ...asked, ...answers.slice(0, 2)];
  expect(open({}, dialectOf('anthropic')).pruneHistory(spoken, 3).trimmed).toEqual(spoken.slice(-4));
});

function isThought({ content }: Wire): boolean {
  return Array.isArray(content) && content.every(({ type }) => String(type).endsWith('thinking'));
}
