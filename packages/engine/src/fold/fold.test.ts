import { describe, expect, test, vi } from 'vitest';
import { CONTENT_FORMATS, type Wire } from '../../test/histories.ts';
import { isNoteText, lost, recount } from '../../test/promises.ts';
import { agent, assistant, failure, lines, turn, user } from '../../test/read-turns.ts';
import {
  anthropic,
  type ConversationHistoryConfig,
  ConversationWindow,
  type HoldfastError,
  isHoldfastError,
  type Receipt,
  type Strategy,
  type WindowEvent,
} from '../index.ts';

describe.each(CONTENT_FORMATS)('a fold in %s', (format) => {
  const config = { max_tokens: 6_000, max_messages: 0, reserve: 500 };

  function addsUp(receipt: Receipt, reserve: number, oldNote: number): void {
    expect(receipt).toMatchObject({ reserve, previousNoteTokens: oldNote });
    const sum = (key: 'before' | 'after') => receipt.turns.reduce((total, one) => total + one.tokens[key], 0);
    const after = reserve + sum('after') + receipt.noteTokens;
    const before = reserve + sum('before') + receipt.previousNoteTokens;
    for (const [size, parts] of [
      [receipt.after.tokens, after],
      [receipt.before.tokens, before],
    ] as const) {
      expect(size).toBeLessThanOrEqual(parts); // each part is rounded up by itself
      expect(size).toBeGreaterThanOrEqual(parts - receipt.turns.length - 1);
    }
    expect(receipt.kept + receipt.masked + receipt.dropped).toBe(receipt.turns.length);
    for (const verdict of ['keep', 'mask', 'drop'] as const) {
      const count = { keep: receipt.kept, mask: receipt.masked, drop: receipt.dropped }[verdict];
      expect(receipt.turns.filter((one) => one.verdict === verdict)).toHaveLength(count);
    }
  }

  test('has a receipt whose numbers add up, and says so in an event', async () => {
    const events: WindowEvent[] = [];
    const window = new ConversationWindow<Wire>(config, { dialect: format, onEvent: (event) => events.push(event) });
    const first = await window.fit(agent(format, 20));
    expect(first.receipt).toBeDefined();
    expect(events).toEqual([{ type: 'fold-end', receipt: first.receipt }]);
    const second = await window.fit(agent(format, 40));
    expect(second.receipt?.fold).toBe(2);
    expect(second.metrics).toMatchObject({
      folds: 2,
      totalMessages: 81,
      estimatedTokens: second.receipt?.after.tokens,
    });
    expect(second.receipt?.after.messages).toBe(second.messages.length);
    addsUp(first.receipt as Receipt, 500, 0);
    addsUp(second.receipt as Receipt, 500, first.receipt?.noteTokens ?? 0);
  });

  test('every turn of the receipt that changed comes back by its handle', async () => {
    const history = agent(format, 20);
    const window = new ConversationWindow<Wire>(config, { dialect: format });
    const { receipt } = await window.fit(history);
    const changed = receipt?.turns.filter(({ verdict }) => verdict !== 'keep') ?? [];
    expect(changed.length).toBeGreaterThan(0);
    for (const { from, to, handle = '' } of changed) {
      expect((await window.recall(handle)).messages).toEqual(history.slice(from, to + 1));
    }
  });

  test('leaves one note before the newest turn, never last, of at most 4,000 tokens', async () => {
    const window = new ConversationWindow<Wire>({ ...config, max_tokens: 30_000 }, { dialect: format });
    const head = format === 'anthropic' ? [] : [{ role: 'system', content: 'be brief' }];
    for (const turns of [120, 200, 300]) {
      const { messages, receipt } = await window.fit([...head, ...agent(format, turns)]);
      const at = messages.findIndex((message) => isNoteText(message, receipt?.note));
      // The newest turn is a call and its result.
      expect(messages.length - at).toBe(3);
      expect(messages.filter((message) => isNoteText(message, receipt?.note))).toHaveLength(1);
      expect(messages[at]?.role).toBe('user'); // an assistant message with calls comes next
      expect(receipt?.noteTokens).toBeLessThanOrEqual(4_000);
      expect(receipt?.noteTokens).toBe(recount(format, [messages[at] as Wire], window.state().calibration));
    }
  });

  test('speaks as the assistant when a user message comes next', async () => {
    const history = Array.from({ length: 60 }, (_, i) =>
      i % 2 === 0 ? user(`question ${i}`) : assistant(`answer ${i}`),
    );
    const window = new ConversationWindow<Wire>({ max_messages: 20, strategy: 'sliding' }, { dialect: format });
    for (let n = 21; n <= 60; n++) {
      const { messages, receipt } = await window.fit(history.slice(0, n));
      if (!receipt) continue;
      const at = messages.findIndex((message) => isNoteText(message, receipt.note));
      expect(at).toBe(1);
      expect(messages[at]?.role).toBe(messages[at + 1]?.role === 'user' ? 'assistant' : 'user');
    }
  });

  test('counts the note as one message', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 10, target: 1 }, { dialect: format });
    for (let n = 1; n < 40; n++) {
      const { messages, metrics } = await window.fit(agent(format, n, 1));
      expect(messages.length).toBeLessThanOrEqual(10);
      expect(metrics.preservedMessages).toBe(messages.length);
      expect(metrics.totalMessages).toBe(2 * n + 1);
    }
  });

  test('masks the results of a newest turn that is too large, the largest first', async () => {
    const history = [...agent(format, 2, 5), ...turn(format, 9, lines(60, 1), lines(600, 2), lines(10, 3))];
    const window = new ConversationWindow<Wire>({ max_tokens: 3_000, max_messages: 0 }, { dialect: format });
    const { messages, receipt } = await window.fit(history);
    const shown = JSON.stringify(messages.slice(-3));
    expect(shown).toContain('value_1_59');
    expect(shown).toContain('value_3_9');
    expect(shown).not.toContain('value_2_300');
    expect(receipt?.turns.at(-1)?.verdict).toBe('mask');
    expect(await lost(window as never, history, messages, receipt?.note)).toEqual([]);
  });

  test.each([1, 2])(
    'keeps results that the model has not seen whole when %i messages of the user follow',
    async (n) => {
      const unseen = [
        ...turn(format, 99, lines(300, 99)),
        ...Array.from({ length: n }, () => user('Look at docs, too.')),
      ];
      const window = new ConversationWindow<Wire>({ max_tokens: 20_000, max_messages: 0 }, { dialect: format });
      const history = [...agent(format, 12, 250), ...unseen];
      const { messages, receipt } = await window.fit(history);
      expect(receipt?.dropped).toBeGreaterThan(5);
      expect(messages).toEqual(expect.arrayContaining(unseen));
      const later = Array.from({ length: 12 }, (_, i) => turn(format, 100 + i, lines(250, i))).flat();
      const seen = await window.fit([...history, ...later]);
      expect(JSON.stringify(seen.messages)).not.toContain('value_99_150');
    },
  );

  test('masks results that the model has not seen only if they do not fit', async () => {
    const history = [...agent(format, 4, 5), ...turn(format, 9, lines(600, 2)), user('Look at docs, too.')];
    const window = new ConversationWindow<Wire>({ max_tokens: 3_000, max_messages: 0 }, { dialect: format });
    const { messages, receipt, metrics } = await window.fit(history);
    expect(metrics.estimatedTokens).toBeLessThanOrEqual(3_000);
    expect(JSON.stringify(messages)).not.toContain('value_2_300');
    expect(await lost(window as never, history, messages, receipt?.note)).toEqual([]);
  });

  test('masks a newest turn further when more room is needed later', async () => {
    const history = [...agent(format, 2, 5), ...turn(format, 9, lines(600, 2), lines(600, 3), lines(600, 4))];
    const window = new ConversationWindow<Wire>({ max_tokens: 1_200, max_messages: 0 }, { dialect: format });
    const { metrics } = await window.fit(history);
    window.observe({ prompt_tokens: metrics.estimatedTokens + 400 });
    expect((await window.fit(history)).metrics.estimatedTokens).toBeLessThanOrEqual(1_200);
  });

  test('masks older results when one more of medium size would not fit', async () => {
    const history = [user('go'), ...turn(format, 1, ...Array.from({ length: 5 }, (_, i) => lines(10, i)))];
    const window = new ConversationWindow<Wire>({ max_tokens: 350, max_messages: 0 }, { dialect: format });
    expect((await window.fit(history)).metrics.estimatedTokens).toBeLessThanOrEqual(350);
  });

  test('names each part if the floor exceeds the budget, and leaves the window unchanged', async () => {
    const events: WindowEvent[] = [];
    const window = new ConversationWindow<Wire>(
      { max_tokens: 1_000, max_messages: 0, reserve: 200 },
      { dialect: format, onEvent: (event) => events.push(event) },
    );
    const history = [user('Fix it'), assistant('Which one?')];
    const { messages } = await window.fit(history.slice(0, 1));
    const before = JSON.stringify(window.state());
    const { code, details, message } = await failure(window.fit([...history, user('this one: '.repeat(600))]));
    expect(code).toBe('OVER_BUDGET');
    expect(message).toMatch(/newest user message \d+/);
    const { floor, max, parts } = details as {
      floor: { tokens: number };
      max: { tokens: number };
      parts: { part: string; tokens: number }[];
    };
    expect(parts.map(({ part }) => part)).toEqual(
      expect.arrayContaining(['reserve', 'first user message', 'newest user message']),
    );
    expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(floor.tokens);
    expect(floor.tokens).toBeGreaterThan(max.tokens);
    expect(JSON.stringify(window.state())).toBe(before);
    events.length = 0;
    expect((await window.fit([...history, user('this one')])).messages).toEqual([
      ...messages,
      history[1],
      user('this one'),
    ]);
    expect(events).toEqual([]);
  });

  test('works within the smallest budgets, or refuses', async () => {
    for (let max = 20; max < 700; max += 7) {
      const window = new ConversationWindow<Wire>({ max_tokens: max, max_messages: 0 }, { dialect: format });
      const fitted = await window
        .fit([user('go'), ...agent(format, 5, 2).slice(1)])
        .catch((error: HoldfastError) => error);
      if (isHoldfastError(fitted)) expect(fitted, `at ${max} tokens`).toMatchObject({ code: 'OVER_BUDGET' });
      else expect(recount(format, fitted.messages, window.state().calibration)).toBeLessThanOrEqual(max);
    }
  });
});

test('cache prices decide when to fold, and invalid prices are refused', async () => {
  const folds = async (prices: { write: number; read: number }) => {
    const window = new ConversationWindow<Wire>(
      { max_tokens: 30_000, max_messages: 0 },
      { dialect: 'openai-chat', prices },
    );
    const history = agent('openai-chat', 200);
    let count = 0;
    for (let n = 2; n <= history.length; n++) {
      if (history[n]?.role !== 'assistant') continue;
      if ((await window.fit(history.slice(0, n))).receipt) count++;
    }
    return count;
  };
  expect(await folds({ write: 1.25, read: 0.5 })).toBeGreaterThan(await folds({ write: 1.25, read: 0.01 }));
  for (const prices of [
    { write: 0, read: 1 },
    { write: 1, read: -1 },
    { write: Number.NaN, read: 1 },
  ])
    expect(() => new ConversationWindow({}, { prices })).toThrow(/prices: expected write above 0/);
});

describe('the end of a small window', () => {
  const talk = (messages: number) =>
    Array.from({ length: messages }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: `words ${i}` }));
  const folds = async (config: ConversationHistoryConfig) => {
    const warnings: string[] = [];
    const logger = { warn: (message: string) => warnings.push(message) };
    const window = new ConversationWindow<object>(config, { logger });
    const history = talk(201);
    for (let end = 1; end <= history.length; end += 2) {
      const { messages } = await window.fit(history.slice(0, end));
      expect(messages.length).toBeLessThanOrEqual(config.max_messages ?? 100);
    }
    return { folds: window.state().folds, warnings };
  };

  test.each([10, 20, 25])('by default leaves room for the next turns: at most %i messages', async (max_messages) => {
    const found = await folds({ max_messages });
    expect(found.folds).toBeLessThanOrEqual(Math.ceil(4 * (200 / max_messages)));
    expect(found.warnings).toEqual([]);
  });

  test.each(['fold', 'sliding'] as const)(
    'warns once about what %s cannot keep, and does not retry on every call',
    async (strategy) => {
      const found = await folds({ max_messages: 20, preserve_last_n: 50, strategy });
      expect(found.folds).toBeLessThan(50);
      expect(found.warnings).toEqual([
        expect.stringMatching(/preserve_last_n \(1 \+ 50\) reach max_messages \(20\).*last 6/),
      ]);
    },
  );

  test('keeps a tail that fits', async () => {
    const window = new ConversationWindow<object>({ max_messages: 20, preserve_last_n: 12 });
    const history = talk(41);
    const { messages } = await window.fit(history);
    expect(messages.slice(-12)).toEqual(expect.arrayContaining(history.slice(-11)));
  });

  test('sliding goes down to its token target, so that the next call does not fold again', async () => {
    const window = new ConversationWindow<object>({ max_messages: 0, max_tokens: 6_000, strategy: 'sliding' });
    const history = Array.from({ length: 81 }, (_, i) => ({ ...talk(81)[i], content: `${i} ${'abc '.repeat(750)}` }));
    for (let end = 1; end <= history.length; end += 2) await window.fit(history.slice(0, end));
    expect(window.state().folds).toBeLessThan(30);
  });
});

/** Reads of about a hundred tokens each. */
function reads(count: number): object[] {
  const history: object[] = [{ role: 'user', content: 'Read everything.' }];
  for (let i = 0; i < count; i++) {
    const call = {
      id: `c${i}`,
      type: 'function',
      function: { name: 'read', arguments: `{"path":"src/part_${i}.ts"}` },
    };
    history.push({ role: 'assistant', content: null, tool_calls: [call] });
    history.push({ role: 'tool', tool_call_id: `c${i}`, content: `export const value_${i} = ${i};\n`.repeat(12) });
  }
  return history;
}

test('a strategy without a note is not charged for one', async () => {
  const strategy: Strategy = {
    due: (size, { max }) => size.messages > max.messages,
    judge: (turns) => ({ verdicts: turns.map(({ kept }) => (kept ? 'keep' : 'drop')), note: 'none' }),
  };
  const [, call, result] = reads(1);
  const [, , , later, answer] = reads(2);
  const history = [
    { role: 'user', content: 'First.' },
    call,
    result,
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'Next.' },
    later,
    answer,
  ] as object[];
  const { messages, metrics } = await new ConversationWindow<object>({ max_messages: 4, strategy }).fit(history);
  expect(messages).toEqual([history[0], ...history.slice(4)]);
  expect(metrics.preservedMessages).toBe(4);
});

test('a turn of a thousand parallel results is shortened in few steps', async () => {
  const ids = Array.from({ length: 1_000 }, (_, i) => `t${i}`);
  const results = ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: `${id} ${'word '.repeat(200)}` }));
  const history = [
    { role: 'user', content: 'All at once.' },
    { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} })) },
    { role: 'user', content: results },
  ];
  const plain = anthropic<object>();
  const masks = vi.fn(plain.maskResults);
  const dialect = { ...plain, maskResults: masks };
  const window = new ConversationWindow<object>({ max_messages: 0, max_tokens: 150_000 }, { dialect });
  const { metrics } = await window.fit(history);
  expect(metrics.estimatedTokens).toBeLessThanOrEqual(150_000);
  expect(metrics.estimatedTokens).toBeGreaterThan(125_000);
  expect(masks.mock.calls.length).toBeLessThan(60);
});

test('a turn that makes tools available is named as what no fold may touch', async () => {
  const reference = { type: 'tool_reference', tool_name: 'a'.repeat(3_000) };
  const search = { type: 'tool_use', id: 's', name: 'find_tools', input: {} };
  const window = new ConversationWindow<Wire>({ max_tokens: 500, max_messages: 0 }, { dialect: anthropic() });
  const { message } = await failure(
    window.fit([
      user('Go.'),
      { role: 'assistant', content: [search] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 's', content: [reference] }] },
      ...turn('anthropic', 1, 'done'),
    ]),
  );
  expect(message).toMatch(/turn that no fold may touch \d{3}/);
  expect(message).not.toContain('newest user message');
});
