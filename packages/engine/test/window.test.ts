import { describe, expect, test, vi } from 'vitest';
import {
  anthropic,
  type ConversationHistoryConfig,
  ConversationWindow,
  detectDialect,
  type HoldfastError,
  isHoldfastError,
  memoryArchive,
  type Receipt,
  type Strategy,
  type WindowEvent,
  type WindowState,
} from '../src/index.ts';
import { toAiSdk } from './convert-ai-sdk.ts';
import { FORMATS, type Format, type Wire } from './histories.ts';
import { bare, isNoteText, lost, recount, violationsOf } from './promises.ts';

const user = (content: string): Wire => ({ role: 'user', content });
const assistant = (content: string): Wire => ({ role: 'assistant', content });

/** A turn of one call for each output. */
function turn(format: Format, n: number, ...outputs: string[]): Wire[] {
  if (format === 'ai-sdk') return toAiSdk(turn('openai-chat', n, ...outputs), 'openai-chat');
  const ids = outputs.map((_, i) => `call${n}_${i}`);
  const input = { file_path: `src/part_${n}.ts` };
  if (format === 'anthropic') {
    return [
      { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'Read', input })) },
      { role: 'user', content: ids.map((id, i) => ({ type: 'tool_result', tool_use_id: id, content: outputs[i] })) },
    ];
  }
  if (format === 'openai-responses') {
    return [
      ...ids.map((call_id) => ({ type: 'function_call', call_id, name: 'Read', arguments: JSON.stringify(input) })),
      ...ids.map((call_id, i) => ({ type: 'function_call_output', call_id, output: outputs[i] })),
    ];
  }
  const tool_calls = ids.map((id) => ({
    id,
    type: 'function',
    function: { name: 'Read', arguments: JSON.stringify(input) },
  }));
  return [
    { role: 'assistant', content: null, tool_calls },
    ...ids.map((id, i) => ({ role: 'tool', tool_call_id: id, content: outputs[i] })),
  ];
}

const lines = (n: number, salt: number) =>
  Array.from({ length: n }, (_, i) => `${i}: const value_${salt}_${i} = compute(${i});`).join('\n');

function agent(format: Format, turns: number, size = 40): Wire[] {
  return [
    user('Fix the parser in src/parse.ts'),
    ...Array.from({ length: turns }, (_, i) => turn(format, i, lines(size, i))).flat(),
  ];
}

async function failure(promise: Promise<unknown> | (() => unknown)): Promise<HoldfastError> {
  try {
    await (typeof promise === 'function' ? promise() : promise);
  } catch (error) {
    if (isHoldfastError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('configuration', () => {
  test('by default a hundred messages are the limit, and there is none of tokens', async () => {
    const history = Array.from({ length: 100 }, (_, i) =>
      i % 2 === 0 ? user('x'.repeat(9_000)) : assistant('y'.repeat(9_000)),
    );
    const window = new ConversationWindow<Wire>();
    expect(await window.fit(history)).toMatchObject({
      messages: history,
      metrics: { totalMessages: 100, evictedMessages: 0, folds: 0 },
    });
    const { messages, receipt } = await window.fit([...history, user('one more')]);
    expect(receipt).toMatchObject({ fold: 1, reason: 'messages', strategy: 'fold' });
    expect(messages.length).toBeLessThanOrEqual(100);
  });

  test.each([
    ['max_messages', -1],
    ['max_messages', 1.5],
    ['max_messages', '40'],
    ['max_tokens', Number.NaN],
    ['reserve', -5],
    ['preserve_first_n', -1],
    ['preserve_last_n', 0.5],
    ['limit', null],
    ['target', 0],
    ['target', 1.1],
    ['strategy', 'guess'],
    ['strategy', []],
    ['strategy', {}],
    ['max_mesages', 40],
  ])('%s: %j is refused by name', async (key, value) => {
    const { code, message, details } = await failure(
      () => new ConversationWindow({ [key]: value } as ConversationHistoryConfig),
    );
    expect(code).toBe('BAD_CONFIG');
    expect(message).toContain(key);
    expect(details).toMatchObject({ key });
  });

  test('a reserve that leaves no room is refused', async () => {
    const { code, details } = await failure(() => new ConversationWindow({ max_tokens: 1_000, reserve: 1_000 }));
    expect([code, details.key]).toEqual(['BAD_CONFIG', 'reserve']);
  });

  test('an unknown dialect is refused', async () => {
    const { code, message } = await failure(() => new ConversationWindow({}, { dialect: 'cohere' as 'anthropic' }));
    expect(code).toBe('BAD_CONFIG');
    expect(message).toContain('cohere');
  });

  test('limit alone bounds the tokens', async () => {
    const window = new ConversationWindow<Wire>({ limit: 4_000 }, { dialect: 'anthropic' });
    const { metrics, receipt } = await window.fit(agent('anthropic', 30));
    expect(receipt?.reason).toBe('tokens');
    expect(metrics.estimatedTokens).toBeLessThanOrEqual(4_000);
  });
});

describe('detectDialect()', () => {
  test('tells the formats apart', () => {
    expect(detectDialect(agent('anthropic', 1)).name).toBe('anthropic');
    expect(detectDialect(agent('openai-chat', 1)).name).toBe('openai-chat');
    expect(detectDialect([{ role: 'developer', content: 'be brief' }]).name).toBe('openai-chat');
    expect(detectDialect([user('hi')]).name).toBe('openai-chat');
  });

  test('a window finds out by itself, also when the first messages are plain', async () => {
    const history = agent('anthropic', 30);
    const window = new ConversationWindow<Wire>({ max_messages: 20 });
    for (let n = 1; n <= history.length; n += 2) {
      const { messages } = await window.fit(history.slice(0, n));
      expect(violationsOf('anthropic', messages)).toEqual([]);
    }
    expect(window.state().dialect).toBe('anthropic');
  });

  test('a restored window stays with its format, whatever part of the history it is given', async () => {
    const history = agent('anthropic', 30);
    const before = new ConversationWindow<Wire>({ max_messages: 20 });
    await before.fit(history);
    const after = new ConversationWindow<Wire>({ max_messages: 20 }, { state: before.state() });
    await after.fit([assistant('done'), user('thanks')], { offset: history.length });
    expect(after.state().dialect).toBe('anthropic');
  });
});

describe.each(FORMATS)('a fold in %s', (format) => {
  const config = { max_tokens: 6_000, max_messages: 0, reserve: 500 };

  function addsUp(receipt: Receipt, reserve: number, oldNote: number): void {
    expect(receipt).toMatchObject({ reserve, previous_note_tokens: oldNote });
    const sum = (key: 'before' | 'after') => receipt.turns.reduce((total, one) => total + one.tokens[key], 0);
    const after = reserve + sum('after') + receipt.note_tokens;
    const before = reserve + sum('before') + receipt.previous_note_tokens;
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
    addsUp(second.receipt as Receipt, 500, first.receipt?.note_tokens ?? 0);
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

  test('leaves one note right before the newest turn, never last, at most 2,000 tokens', async () => {
    const window = new ConversationWindow<Wire>({ ...config, max_tokens: 30_000 }, { dialect: format });
    const head = format === 'anthropic' ? [] : [{ role: 'system', content: 'be brief' }];
    for (const turns of [120, 200, 300]) {
      const { messages, receipt } = await window.fit([...head, ...agent(format, turns)]);
      const at = messages.findIndex((message) => isNoteText(message, receipt?.note));
      // The newest turn is a call and its result.
      expect(messages.length - at).toBe(3);
      expect(messages.filter((message) => isNoteText(message, receipt?.note))).toHaveLength(1);
      expect(messages[at]?.role).toBe('user'); // an assistant message with calls comes next
      expect(receipt?.note_tokens).toBeLessThanOrEqual(2_000);
      expect(receipt?.note_tokens).toBe(recount(format, [messages[at] as Wire], window.state().calibration));
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

  test('masks a newest turn further when more room is needed later', async () => {
    const history = [...agent(format, 2, 5), ...turn(format, 9, lines(600, 2), lines(600, 3), lines(600, 4))];
    const window = new ConversationWindow<Wire>({ max_tokens: 1_200, max_messages: 0 }, { dialect: format });
    const { metrics } = await window.fit(history);
    window.observe({ prompt_tokens: metrics.estimatedTokens + 400 });
    expect((await window.fit(history)).metrics.estimatedTokens).toBeLessThanOrEqual(1_200);
  });

  test('masks what one result of middling size more would break', async () => {
    const history = [user('go'), ...turn(format, 1, ...Array.from({ length: 5 }, (_, i) => lines(10, i)))];
    const window = new ConversationWindow<Wire>({ max_tokens: 350, max_messages: 0 }, { dialect: format });
    expect((await window.fit(history)).metrics.estimatedTokens).toBeLessThanOrEqual(350);
  });

  test('names each part when the floor is over budget, and leaves the window as it was', async () => {
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

  test('works in the smallest of budgets, or refuses', async () => {
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

describe('compact()', () => {
  const history = agent('anthropic', 40);
  const config = { max_tokens: 200_000, target: 0.05, max_messages: 0 };

  test('folds down to the target now', async () => {
    const window = new ConversationWindow<Wire>(config, { dialect: 'anthropic' });
    const receipt = await window.compact(history);
    expect(receipt).toMatchObject({ fold: 1, reason: 'compact' });
    expect(receipt.after.tokens).toBeLessThan(receipt.before.tokens / 2);
    expect((await window.fit(history)).metrics.estimatedTokens).toBe(receipt.after.tokens);
  });

  test('with preview says what it would do and does nothing', async () => {
    const events: WindowEvent[] = [];
    const window = new ConversationWindow<Wire>(config, {
      dialect: 'anthropic',
      onEvent: (event) => events.push(event),
    });
    const preview = await window.compact(history, { preview: true });
    const { messages, metrics } = await window.fit(history);
    expect(messages).toEqual(history);
    expect(metrics.folds).toBe(0);
    expect(events).toEqual([]);
    expect(await window.compact(history)).toEqual(preview);
  });

  test('keeps what the focus names longer', async () => {
    const kept = async (focus?: string) => {
      const window = new ConversationWindow<Wire>(config, { dialect: 'anthropic' });
      const { turns } = await window.compact(history, focus === undefined ? {} : { focus });
      return turns.find(({ from }) => from === 7)?.verdict;
    };
    expect(await kept()).toBe('drop');
    expect(await kept('src/part_3.ts')).not.toBe('drop');
  });

  test('says that nothing changed when there is nothing to fold', async () => {
    const window = new ConversationWindow<Wire>(config, { dialect: 'anthropic' });
    const receipt = await window.compact([user('hi')]);
    expect(receipt).toMatchObject({ fold: 0, masked: 0, dropped: 0 });
    expect(receipt.before).toEqual(receipt.after);
  });
});

describe('observe()', () => {
  const big = [user('word '.repeat(4_000))];

  test.each([
    [
      'Anthropic: the sum of three fields',
      { input_tokens: 5, cache_creation_input_tokens: 3_000, cache_read_input_tokens: 6_995, output_tokens: 7 },
    ],
    ['Anthropic without a cache', { input_tokens: 10_000, cache_creation_input_tokens: null, output_tokens: 7 }],
    [
      'OpenAI chat',
      {
        prompt_tokens: 10_000,
        completion_tokens: 7,
        total_tokens: 10_007,
        prompt_tokens_details: { cached_tokens: 9_000 },
      },
    ],
    ['OpenAI responses', { input_tokens: 10_000, input_tokens_details: { cached_tokens: 9_000 }, output_tokens: 3 }],
    ['a whole response', { model: 'm', usage: { prompt_tokens: 10_000 } }],
  ])('understands %s', async (_, usage) => {
    const window = new ConversationWindow<Wire>({}, { dialect: 'anthropic' });
    expect((await window.fit(big)).metrics.estimated).toBe(true);
    window.observe(usage);
    const { metrics } = await window.fit(big);
    expect(metrics.estimated).toBe(false);
    expect(Math.abs(metrics.estimatedTokens - 10_000)).toBeLessThanOrEqual(1);
  });

  test('never changes the present view', async () => {
    const history = agent('anthropic', 20);
    const window = new ConversationWindow<Wire>({ max_tokens: 200_000 }, { dialect: 'anthropic' });
    const { messages } = await window.fit(history);
    window.observe({ input_tokens: 50_000 });
    const again = await window.fit(history);
    expect(again.messages).toEqual(messages);
    expect(again.receipt).toBeUndefined();
  });

  test('makes the next fold due when more is sent than was thought', async () => {
    const history = agent('anthropic', 20);
    const window = new ConversationWindow<Wire>({ max_tokens: 30_000, max_messages: 0 }, { dialect: 'anthropic' });
    expect((await window.fit(history)).receipt).toBeUndefined();
    window.observe({ input_tokens: 29_900 });
    const { receipt, metrics } = await window.fit([...history, ...turn('anthropic', 99, lines(20, 99))]);
    expect(receipt?.estimated).toBe(false);
    expect(metrics.estimatedTokens).toBeLessThanOrEqual(30_000);
  });

  test('learns from prompts larger than the budget: dense text, with tools outside the messages', async () => {
    const config = { max_tokens: 20_000, max_messages: 0, strategy: 'sliding' } as const;
    const window = new ConversationWindow<Wire>(config, { dialect: 'anthropic' });
    const prompts: { real: number; gauge: number }[] = [];
    const history = agent('anthropic', 15, 80);
    for (let i = 0; i < 12; i++) {
      const { messages, metrics } = await window.fit(history);
      const real = 3_000 + Math.ceil(JSON.stringify(messages).length * 0.95);
      prompts.push({ real, gauge: metrics.estimatedTokens });
      window.observe({ prompt_tokens: real });
      history.push(...turn('anthropic', 100 + i, lines(20, i)));
    }
    expect(prompts[0]?.real).toBeGreaterThan(2 * config.max_tokens);
    for (const { real, gauge } of prompts.slice(2)) {
      expect(real).toBeLessThanOrEqual(config.max_tokens);
      expect(Math.abs(gauge - real) / real).toBeLessThan(0.15);
    }
  });

  test('names what is outside the messages when that alone is over budget', async () => {
    const warn = vi.fn();
    const config = { max_tokens: 8_000 };
    const window = new ConversationWindow<Wire>(config, { dialect: 'anthropic', logger: { warn } });
    await window.fit([user('go')]);
    window.observe({ input_tokens: 50_000 });
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('raise it'));
    const error = await failure(window.fit([user('go')]));
    expect(error.code).toBe('OVER_BUDGET');
    expect(error.message).toMatch(/reserve 49\d{3}/);
  });

  test('forgets what it learned when the model changes, and says so', async () => {
    const events: WindowEvent[] = [];
    const window = new ConversationWindow<Wire>({}, { dialect: 'anthropic', onEvent: (event) => events.push(event) });
    await window.fit(big);
    window.observe({ model: 'old', usage: { input_tokens: 4_000 } });
    window.observe({ model: 'old', usage: { input_tokens: 4_100 } });
    expect(events).toEqual([]);
    window.observe({ model: 'new', usage: { input_tokens: 9_000 } });
    expect(events).toEqual([{ type: 'calibration-reset', model: 'new' }]);
    expect(window.state().calibration.model).toBe('new');
    expect(Math.abs((await window.fit(big)).metrics.estimatedTokens - 9_000)).toBeLessThanOrEqual(1);
  });

  test('warns about an object without prompt tokens', async () => {
    const warn = vi.fn();
    const window = new ConversationWindow<Wire>({}, { dialect: 'anthropic', logger: { warn } });
    await window.fit(big);
    for (const usage of [undefined, null, 7, {}, { completion_tokens: 3 }, { input_tokens: Number.NaN }])
      window.observe(usage);
    expect(warn).toHaveBeenCalledTimes(6);
    expect((await window.fit(big)).metrics.estimated).toBe(true);
  });
});

describe('recall()', () => {
  test('gives back messages, runs and single results', async () => {
    const history = [
      user('go'),
      ...turn('anthropic', 1, lines(300, 1), lines(300, 2)),
      ...agent('anthropic', 30).slice(1),
    ].map((message, i) =>
      i < 3 ? message : JSON.parse(JSON.stringify(message).replaceAll('call', 'later')),
    ) as Wire[];
    const window = new ConversationWindow<Wire>({ max_tokens: 5_000, max_messages: 0 }, { dialect: 'anthropic' });
    await window.fit(history);
    expect((await window.recall('m2')).messages).toEqual([history[2]]);
    expect(await window.recall('m2.1')).toMatchObject({ messages: [history[2]], content: lines(300, 2) });
    expect((await window.recall('m2-m8')).messages).toEqual(history.slice(2, 9));
    expect((await window.recall('m0-m60')).messages).toEqual(history.slice(0, 61));
  });

  test.each(['m999', 'm2.7', 'm0-m999', 'm5-m2', 'x7', '', 'm1~4'])('refuses %j', async (handle) => {
    const window = new ConversationWindow<Wire>({ max_tokens: 5_000, max_messages: 0 }, { dialect: 'anthropic' });
    await window.fit(agent('anthropic', 30));
    expect(await failure(window.recall(handle))).toMatchObject({ code: 'UNKNOWN_HANDLE', details: { handle } });
  });

  test('finds what an archive of its own holds', async () => {
    const archive = memoryArchive<Wire>();
    const put = vi.spyOn(archive, 'put');
    const history = agent('anthropic', 30);
    const window = new ConversationWindow<Wire>(
      { max_tokens: 5_000, max_messages: 0 },
      { dialect: 'anthropic', archive },
    );
    await window.fit(history);
    expect(put).toHaveBeenCalled();
    expect(await archive.get('m1')).toEqual(history[1]);
  });

  test('one archive for two conversations is refused before anything is lost', async () => {
    const archive = memoryArchive<Wire>();
    const config = { max_tokens: 5_000, max_messages: 0 };
    const history = agent('anthropic', 30);
    const other = history.map((message, i) =>
      i < 3 ? JSON.parse(JSON.stringify(message).replaceAll('value', 'other')) : message,
    );
    await new ConversationWindow<Wire>(config, { dialect: 'anthropic', archive }).fit(history);
    const error = await failure(new ConversationWindow<Wire>(config, { dialect: 'anthropic', archive }).fit(other));
    expect(error.code).toBe('STORE_CONFLICT');
  });

  test('an archive that fails fails the fold, and the next call tries again', async () => {
    const archive = { put: vi.fn().mockRejectedValueOnce(new Error('disk full')), get: () => undefined };
    const window = new ConversationWindow<Wire>(
      { max_tokens: 5_000, max_messages: 0 },
      { dialect: 'anthropic', archive },
    );
    const history = agent('anthropic', 30);
    await expect(window.fit(history)).rejects.toThrow('disk full');
    const { receipt, metrics } = await window.fit(history);
    expect(receipt?.fold).toBe(1);
    expect(metrics.estimatedTokens).toBeLessThanOrEqual(5_000);
  });
});

describe('state()', () => {
  test('of something else is refused', async () => {
    for (const state of [{}, { version: 2, view: [], turns: [] }, { version: 1 }, 'text', null, 7]) {
      const error = await failure(
        () => new ConversationWindow<Wire>({}, { state: state as unknown as WindowState<Wire> }),
      ).catch((reason: unknown) => reason);
      if (state === null) continue; // no state
      expect(error, JSON.stringify(state)).toMatchObject({ code: 'BAD_STATE' });
    }
  });

  test('of another dialect is refused', async () => {
    const window = new ConversationWindow<Wire>({}, { dialect: 'anthropic' });
    await window.fit(agent('anthropic', 1));
    const error = await failure(
      () => new ConversationWindow<Wire>({}, { dialect: 'openai-chat', state: window.state() }),
    );
    expect(error.code).toBe('BAD_STATE');
  });

  test('of a restored window is the same', async () => {
    const window = new ConversationWindow<Wire>({ max_tokens: 5_000, max_messages: 0 }, { dialect: 'anthropic' });
    await window.fit(agent('anthropic', 30));
    const state = JSON.parse(JSON.stringify(window.state()));
    expect(new ConversationWindow<Wire>({ max_tokens: 5_000, max_messages: 0 }, { state }).state()).toEqual(state);
  });

  test('stays small when the view is', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 40 }, { dialect: 'anthropic' });
    const history: Wire[] = [];
    for (let i = 0; i < 2_000; i++) {
      history.push(
        i % 2 === 0 ? user(`question ${i} about src/file_${i}.ts`) : assistant(`see parse_${i} in lib/part_${i}.ts`),
      );
      if (i % 5 === 0) await window.fit(history);
    }
    expect(JSON.stringify(window.state()).length).toBeLessThan(300_000);
  });
});

test('reset() forgets the conversation: the window takes another', async () => {
  const window = new ConversationWindow<Wire>({ max_tokens: 5_000, max_messages: 0 }, { dialect: 'anthropic' });
  await window.fit(agent('anthropic', 30));
  window.reset();
  const other = agent('anthropic', 30).map((message, i) =>
    i === 0 ? user('Something else') : JSON.parse(JSON.stringify(message).replaceAll('value_', 'other_')),
  );
  const { messages, receipt, metrics } = await window.fit(other);
  expect(receipt?.fold).toBe(1);
  expect(metrics.totalMessages).toBe(other.length);
  expect(await lost(window as never, other, messages, receipt?.note)).toEqual([]);
});

test('the user is said to have asked after work alone: in a plain talk every other turn is the user’s', async () => {
  const asked: boolean[] = [];
  const strategy = {
    due: (_: unknown, budget: { asked: boolean }) => asked.push(budget.asked) < 0,
    judge: () => ({ verdicts: [], note: 'none' as const }),
  };
  const window = new ConversationWindow<Wire>({ strategy }, { dialect: 'openai-chat' });
  const talk = [user('hello'), assistant('hi'), user('how are you?'), assistant('well')];
  const history = [
    ...talk,
    user('fix it'),
    ...agent('openai-chat', 1).slice(-2),
    assistant('done'),
    user('thanks'),
    assistant('ok'),
  ];
  for (const n of [1, 3, 5, 7, 9]) await window.fit(history.slice(0, n));
  await window.fit([...history, user('bye')]);
  expect(asked).toEqual([false, false, false, false, true, false]);
});

test('the note stands before thinking that stays: what is before the user’s last words providers let go', async () => {
  const think = (n: number) => ({ type: 'thinking', thinking: `thought ${n} `.repeat(5), signature: `s${n}` });
  const turns = (thoughts: boolean) =>
    Array.from({ length: 60 }, (_, n) => [
      {
        role: 'assistant',
        content: [
          ...(thoughts ? [think(n)] : []),
          { type: 'tool_use', id: `t${n}`, name: 'bash', input: { command: `ls ${n}` } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${n}`, content: `file ${n}\n`.repeat(40) }] },
    ]).flat();
  const place = async (thoughts: boolean) => {
    const dialect = anthropic<Wire>({ thinking: 'free' });
    const window = new ConversationWindow<Wire>({ max_tokens: 6_000, max_messages: 0 }, { dialect });
    const { messages, receipt } = await window.fit([user('look around'), ...turns(thoughts)] as Wire[]);
    const note = messages.findIndex(({ content }) => JSON.stringify(content).includes('[Note on the earlier'));
    const thinking = messages.findIndex(({ content }) => JSON.stringify(content).includes('"thinking"'));
    expect(receipt).toBeDefined();
    return { note, thinking, length: messages.length };
  };
  const without = await place(false);
  expect(without.length - without.note).toBe(3);
  const { note, thinking } = await place(true);
  expect(thinking).toBeGreaterThan(note);
});

test('prices of the cache decide when fold is due, and what are no prices is refused', async () => {
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
    expect(() => new ConversationWindow({}, { prices })).toThrow(/prices: give write above 0/);
});

describe('an edited history', () => {
  const config = { max_messages: 12, target: 0.5 };
  const chat = (count: number, tag = '') =>
    Array.from({ length: count }, (_, i) =>
      i % 2 === 0 ? user(`question ${i} ${tag}`) : assistant(`answer ${i} ${tag}`),
    );

  async function folded(): Promise<{
    window: ConversationWindow<Wire>;
    history: Wire[];
    events: WindowEvent[];
    edges: number[];
  }> {
    const events: WindowEvent[] = [];
    const window = new ConversationWindow<Wire>(config, {
      dialect: 'openai-chat',
      onEvent: (event) => events.push(event),
    });
    const history = chat(61);
    const edges: number[] = [];
    for (let n = 1; n <= history.length; n++) if ((await window.fit(history.slice(0, n))).receipt) edges.push(n);
    events.length = 0;
    return { window, history, events, edges };
  }

  test('that lost as many messages as lie between two folds is noticed', async () => {
    const { window, history, events, edges } = await folded();
    const [early = 0, late = 0] = edges.slice(-2);
    const edited = [...history.slice(0, 4), ...history.slice(4 + late - early)];
    const { messages } = await window.fit(edited);
    expect(events[0]?.type).toBe('history-rewritten');
    const fresh = await new ConversationWindow<Wire>(config, { dialect: 'openai-chat' }).fit(edited);
    const said = new Set(edited.map(bare));
    for (const message of messages)
      if (!String(message.content).startsWith('[Note on')) expect(said.has(bare(message)), bare(message)).toBe(true);
    expect(messages.length).toBeGreaterThan(0);
    expect(fresh.messages.length).toBeGreaterThan(0);
  });

  test('after which it folds again has a note whose handles all work', async () => {
    const { window, history, edges } = await folded();
    const early = edges.at(-3) ?? 0;
    const edited = [...history.slice(0, early + 2), ...chat(20, 'anew')].slice(0, early + 15);
    let note: string | undefined;
    let messages: Wire[] = [];
    for (let n = early + 3; n <= edited.length; n++) {
      const fitted = await window.fit(edited.slice(0, n));
      note = fitted.receipt?.note ?? note;
      messages = fitted.messages;
    }
    expect(note).toBeDefined();
    expect(
      await lost(
        window as never,
        [],
        messages.filter(({ content }) => content !== note),
        note,
      ),
    ).toEqual([]);
  });

  test('that was cut to less than what was folded is decided afresh', async () => {
    const { window, history, events, edges } = await folded();
    for (const length of [Math.max(...edges) - 1, (edges.at(-2) ?? 0) - 2, 3]) {
      events.length = 0;
      const cut = [...history.slice(0, length - 1), user('another way')];
      const { messages } = await window.fit(cut);
      expect(events[0]?.type, `cut to ${length}`).toBe('history-rewritten');
      expect(messages[0]).toEqual(cut[0]);
      expect(messages.at(-1)).toEqual(cut.at(-1));
      expect(
        window.state().turns.reduce((sum, { count }) => sum + count, 0),
        `cut to ${length}`,
      ).toBe(messages.length - (messages.length < cut.length ? 1 : 0));
    }
  });

  test('that is given in part is refused, with what to do', async () => {
    const { window, history, edges } = await folded();
    const covered = edges.at(-1) ?? 0;
    const edited = history.with(covered - 1, user('other words'));
    const error = await failure(window.fit(edited.slice(covered - 1), { offset: covered - 1 }));
    expect(error).toMatchObject({ code: 'INVALID_HISTORY', details: { rule: 'edited-history' } });
    expect(error.message).toContain('whole history');
  });

  test('an offset beyond what was seen is refused', async () => {
    const window = new ConversationWindow<Wire>(config, { dialect: 'openai-chat' });
    expect(await failure(window.fit([user('hi')], { offset: 3 }))).toMatchObject({ code: 'INVALID_HISTORY' });
  });

  test('takes thinking away that was bound to the words before the edit', async () => {
    const thinking = (n: number): Wire => ({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: `s${n}` },
        { type: 'text', text: `answer ${n}` },
      ],
    });
    const history = [user('one'), thinking(1), user('two'), thinking(3), user('three')];
    const window = new ConversationWindow<Wire>({}, { dialect: 'anthropic' });
    expect((await window.fit(history)).messages).toEqual(history);
    const { messages } = await window.fit(history.with(2, user('two, or rather three')));
    expect(JSON.stringify(messages)).toContain('"s1"');
    expect(JSON.stringify(messages)).not.toContain('"s3"');
    const [first] = (await window.recall('m3')).messages;
    expect(JSON.stringify(first)).toContain('"s3"');
  });

  test('takes thinking away that was bound to what was folded', async () => {
    const thinking = (n: number): Wire => ({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: `s${n}` },
        { type: 'text', text: `answer ${n}` },
      ],
    });
    const history = Array.from({ length: 41 }, (_, i) => (i % 2 === 0 ? user(`question ${i}`) : thinking(i)));
    const window = new ConversationWindow<Wire>({ max_messages: 12, target: 0.5 }, { dialect: 'anthropic' });
    const made = new Map<string, string>();
    for (let n = 1; n <= history.length; n += 2) {
      const { messages } = await window.fit(history.slice(0, n));
      made.set(`s${n}`, messages.map(bare).join());
    }
    const { messages } = await window.fit([...history.slice(0, 29), user('Let us go back to here')]); // as after a rewind
    for (const [i, message] of messages.entries()) {
      const [first] = message.content as { signature?: string }[];
      if (first?.signature)
        expect(messages.slice(0, i).map(bare).join(), first.signature).toBe(made.get(first.signature));
    }
  });
});

describe('a strategy of one’s own', () => {
  const history = agent('anthropic', 12, 3);
  const everything: Strategy = {
    name: 'everything',
    due: ({ messages }) => messages > 10,
    judge: (turns) => ({ verdicts: turns.map(() => 'drop'), note: 'none' }),
  };

  test('decides when a fold is due and what goes; what must stay, stays', async () => {
    const window = new ConversationWindow<Wire>({ strategy: everything }, { dialect: 'anthropic' });
    expect((await window.fit(history.slice(0, 9))).receipt).toBeUndefined();
    const { messages, receipt } = await window.fit(history);
    expect(messages).toEqual([history[0], ...history.slice(-2)]);
    expect(receipt).toMatchObject({ strategy: 'everything', note_tokens: 0 });
    expect(receipt?.note).toBeUndefined();
  });

  test('in a list, the severest verdict wins', async () => {
    const nothing: Strategy = {
      name: 'nothing',
      due: () => false,
      judge: (turns) => ({ verdicts: turns.map(() => 'keep'), note: 'marker' }),
    };
    const window = new ConversationWindow<Wire>({ strategy: [nothing, everything] }, { dialect: 'anthropic' });
    const { messages, receipt } = await window.fit(history);
    expect(receipt).toMatchObject({ strategy: 'nothing+everything' });
    expect(messages).toHaveLength(4); // first, marker, newest turn
  });

  test.each([0, 1, 40])('that gives %i verdicts is an error, not a guess', async (count) => {
    const wrong: Strategy = {
      ...everything,
      judge: () => ({ verdicts: Array.from({ length: count }, () => 'drop' as const), note: 'none' }),
    };
    const window = new ConversationWindow<Wire>({ strategy: wrong }, { dialect: 'anthropic' });
    const error = await failure(window.fit(history));
    expect(error.message).toMatch(/verdict/);
  });

  test('that keeps too much is brought inside the budget', async () => {
    const lazy: Strategy = {
      name: 'lazy',
      due: () => false,
      judge: (turns) => ({ verdicts: turns.map(() => 'keep'), note: 'marker' }),
    };
    const window = new ConversationWindow<Wire>(
      { strategy: lazy, max_tokens: 2_000, max_messages: 10 },
      { dialect: 'anthropic' },
    );
    for (let n = 1; n <= history.length; n += 2) {
      const { messages, metrics } = await window.fit(history.slice(0, n));
      expect(metrics.estimatedTokens).toBeLessThanOrEqual(2_000);
      expect(messages.length).toBeLessThanOrEqual(10);
      expect(violationsOf('anthropic', messages)).toEqual([]);
    }
  });

  test('sees only what it may judge by', async () => {
    const seen: string[][] = [];
    const curious: Strategy = {
      ...everything,
      judge(turns, budget) {
        seen.push(Object.keys(turns[0] ?? {}));
        return everything.judge(turns, budget);
      },
    };
    await new ConversationWindow<Wire>({ strategy: curious }, { dialect: 'anthropic' }).fit(history);
    expect(seen[0]?.sort()).toEqual([
      'focus',
      'from',
      'kept',
      'latest',
      'messages',
      'recent',
      'role',
      'tokens',
      'words',
    ]);
  });
});

test('a signal that was aborted stops a fit before it begins', async () => {
  const window = new ConversationWindow<Wire>({}, { dialect: 'anthropic' });
  await expect(window.fit([user('hi')], { signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop');
  expect(window.state().seen).toBe(0);
});

describe('cache markers', () => {
  const marked = (text: string): Wire => ({
    role: 'user',
    content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }],
  });

  test('more than four from the start: the newest four are carried', async () => {
    const history = Array.from({ length: 13 }, (_, i) =>
      i % 2 === 0 ? marked(`question ${i}`) : assistant(`answer ${i}`),
    );
    const window = new ConversationWindow<Wire>({}, { dialect: 'anthropic' });
    const { messages } = await window.fit(history);
    expect(messages.map((message) => JSON.stringify(message).includes('cache_control'))).toEqual(
      history.map((_, i) => i % 2 === 0 && i >= 6),
    );
  });

  test('that the caller took back from folded messages do not come before those of another lifetime', async () => {
    const mark = (text: string, ttl: string): Wire => ({
      role: 'user',
      content: [{ type: 'text', text, cache_control: { type: 'ephemeral', ttl } }],
    });
    const chat = (ttl: string, marks: readonly number[], count: number) =>
      Array.from({ length: count }, (_, i) => {
        if (i % 2 === 1) return assistant(`answer ${i}`);
        return marks.includes(i)
          ? mark(`question ${i}`, ttl)
          : { role: 'user', content: [{ type: 'text', text: `question ${i}` }] };
      });
    const window = new ConversationWindow<Wire>({ max_messages: 20 }, { dialect: 'anthropic' });
    expect((await window.fit(chat('5m', [0, 20], 21))).receipt).toBeDefined();
    const { messages } = await window.fit(chat('1h', [20, 22], 23));
    expect(violationsOf('anthropic', messages)).toEqual([]);
  });

  test('more than four in what a fold leaves: the newest four are carried', async () => {
    const history = Array.from({ length: 61 }, (_, i) =>
      i % 2 === 0 ? marked(`question ${i}`) : assistant(`answer ${i}`),
    );
    const window = new ConversationWindow<Wire>({ max_messages: 40 }, { dialect: 'anthropic' });
    const { messages, receipt } = await window.fit(history);
    expect(receipt).toBeDefined();
    expect(messages.filter((message) => JSON.stringify(message).includes('cache_control'))).toEqual(
      [54, 56, 58, 60].map((i) => history[i]),
    );
  });
});

test('a system message inside an Anthropic conversation keeps its place between user and assistant', async () => {
  const history: Wire[] = [user('go')];
  for (let i = 0; i < 30; i++) {
    history.push(
      ...turn('anthropic', i, lines(20, i)),
      { role: 'system', content: `The time is ${i}.` },
      assistant(`so far ${i}`),
      user(`more ${i}`),
    );
  }
  for (const strategy of ['fold', 'sliding'] as const) {
    const window = new ConversationWindow<Wire>(
      { max_tokens: 3_000, max_messages: 0, strategy },
      { dialect: 'anthropic' },
    );
    for (let n = 1; n <= history.length; n += 5) {
      const { messages } = await window.fit(history.slice(0, n));
      expect(violationsOf('anthropic', messages)).toEqual([]);
    }
  }
});

/** Nine edits and a plan, then many reads that are each too long for all to stay. */
function longPast(): object[] {
  const history: object[] = [{ role: 'user', content: 'Rename the limits.' }];
  for (let i = 0; i < 120; i++) {
    const [name, input] =
      i === 4
        ? ['todo_write', { todos: [{ content: 'measure it', status: 'pending' }] }]
        : i < 10
          ? ['edit_file', { path: `src/early${i}.ts`, old_string: 'a', new_string: 'b' }]
          : ['read_file', { path: `src/f${i}.ts` }];
    const call = { id: `c${i}`, type: 'function', function: { name, arguments: JSON.stringify(input) } };
    history.push({ role: 'assistant', content: null, tool_calls: [call] });
    history.push({ role: 'tool', tool_call_id: `c${i}`, content: i < 10 ? 'edited' : `${'x y z '.repeat(500)}${i}` });
  }
  return history;
}

test('a cold start tells of old changes and counts every call, as a window does that was there all the time', async () => {
  const history = longPast();
  const config = { max_messages: 0, max_tokens: 20_000, strategy: ['fold', 'two-tier'] } as const;
  const grown = new ConversationWindow<object>({ ...config, tier_thresholds: [8_000, 1_000_000] });
  for (let end = 1; end <= history.length; end += 2) await grown.fit(history.slice(0, end));
  const cold = new ConversationWindow<object>({ ...config, tier_thresholds: [8_000, 1_000_000] });
  await cold.fit(history);
  const facts = (window: ConversationWindow<object>) => {
    const { changed = [], tools = [], todos = [] } = window.state().log.at(-1)?.digest ?? {};
    const edits = tools.find(([name]) => name === 'edit_file')?.[1];
    return { changed: changed.map(([file]) => file), edits, todos };
  };
  expect(facts(cold)).toEqual(facts(grown));
  expect(facts(cold)).toMatchObject({ edits: 9, changed: { length: 9 }, todos: [['measure it', 9]] });
  const { digest, covered = 0 } = cold.state().log.at(-1) ?? {};
  const kept = (cold.state().log.at(-1)?.kept ?? []).filter(({ from }) => from > 0).length;
  const calls = digest?.tools.reduce((sum, [, uses]) => sum + uses, 0) ?? 0;
  expect(calls + kept).toBeGreaterThanOrEqual((covered - 1) / 2);
});

test('notes hold no half of a surrogate pair, wherever a text is cut', async () => {
  for (const pad of [715, 716, 717, 718]) {
    const history: object[] = [{ role: 'user', content: 'Go.' }];
    for (let i = 0; i < 12; i++) {
      const words = `u${i}${' '.repeat(pad)}😀 and so on ${'lorem ipsum '.repeat(60)}`;
      history.push({ role: 'assistant', content: words }, { role: 'user', content: words });
    }
    const { messages } = await new ConversationWindow<object>({ max_messages: 8, max_tokens: 3_000 }).fit(history);
    expect(messages.length).toBeLessThan(history.length);
    // JSON text has half a pair as an escape.
    expect(JSON.stringify(messages)).not.toMatch(/\\ud[89a-f]/i);
  }
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
    'what %s cannot keep is told once, and not tried at each call',
    async (strategy) => {
      const found = await folds({ max_messages: 20, preserve_last_n: 50, strategy });
      expect(found.folds).toBeLessThan(50);
      expect(found.warnings).toEqual([
        expect.stringMatching(/preserve_last_n \(1 \+ 50\) reach max_messages \(20\).*last 6/),
      ]);
    },
  );

  test('a tail that can be kept is kept', async () => {
    const window = new ConversationWindow<object>({ max_messages: 20, preserve_last_n: 12 });
    const history = talk(41);
    const { messages } = await window.fit(history);
    expect(messages.slice(-12)).toEqual(expect.arrayContaining(history.slice(-11)));
  });

  test('sliding goes down to its target of tokens, so that the next call does not fold again', async () => {
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

test.each([1 / 4, 1, 2, 10])(
  'no view is over budget by a caller’s own counter of %d tokens a character',
  async (rate) => {
    const tokens = (text: string) => Math.ceil(text.length * rate);
    for (const max_tokens of [800, 1_337, 5_000, 20_000]) {
      const window = new ConversationWindow<object>({ max_messages: 0, max_tokens }, { tokens });
      const history = reads(60);
      for (let end = 1; end <= history.length; end += 2) {
        const fitted = await window.fit(history.slice(0, end)).catch((error: unknown) => error as HoldfastError);
        if (isHoldfastError(fitted)) {
          expect(fitted.code).toBe('OVER_BUDGET');
          break;
        }
        const { messages, metrics } = fitted as Awaited<ReturnType<typeof window.fit>>;
        expect(metrics.estimatedTokens).toBeLessThanOrEqual(max_tokens);
        const texts = messages.map((message) => {
          const { content, tool_calls: calls } = message as {
            content: string | null;
            tool_calls?: { function: object }[];
          };
          return `${content ?? ''}${(calls ?? []).map((call) => Object.values(call.function).join('')).join('')}`;
        });
        expect(texts.reduce((sum, text) => sum + tokens(text), 0)).toBeLessThanOrEqual(max_tokens);
      }
    }
  },
);

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

test('where the newest message was all thinking, no note stands last, and none is counted', async () => {
  const thinking = { role: 'assistant', content: [{ type: 'thinking', thinking: 'x'.repeat(9_000), signature: 's' }] };
  const window = new ConversationWindow<object>(
    { max_tokens: 1_000, max_messages: 0 },
    { dialect: 'anthropic' as never },
  );
  const { messages, metrics, receipt } = await window.fit([{ role: 'user', content: 'q' }, thinking], { rest: true });
  expect(messages).toEqual([{ role: 'user', content: 'q' }]);
  expect([metrics.preservedMessages, receipt?.note]).toEqual([1, undefined]);
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

test('keys that the strategy does not read are told of, once for a conversation', () => {
  const warnings: string[] = [];
  const logger = { warn: (message: string) => warnings.push(message) };
  const config = { max_history_messages: 10, tier_thresholds: [1_000, 2_000] as const };
  const window = new ConversationWindow({ ...config, strategy: 'governed' }, { logger });
  expect(warnings).toEqual(['tier_thresholds does nothing without strategy: two-tier']);
  new ConversationWindow({ ...config, strategy: 'governed' }, { logger, state: window.state() });
  new ConversationWindow({ ...config, strategy: ['two-tier', 'governed'] }, { logger });
  expect(warnings).toHaveLength(1);
  new ConversationWindow({ tool_output_trim_chars: 100 }, { logger });
  expect(warnings.at(-1)).toBe('tool_output_trim_chars does nothing without strategy: governed');
});

test('a table of numbers that no call used does not fill the note', async () => {
  const history: object[] = [{ role: 'user', content: 'Add them up.' }];
  for (let i = 0; i < 6; i++) {
    const call = {
      id: `c${i}`,
      type: 'function',
      function: { name: 'read', arguments: `{"path":"src/table_${i}.txt"}` },
    };
    const words = 'All the rows that the report of the day has, with their sums and a word on each of them. '.repeat(
      40,
    );
    const rows = Array.from({ length: 2_000 }, (_, row) => 1_000 + row + 2_000 * i).join('\n');
    history.push({ role: 'assistant', content: words, tool_calls: [call] });
    history.push({ role: 'tool', tool_call_id: `c${i}`, content: rows });
  }
  const window = new ConversationWindow<object>({ max_messages: 0, max_tokens: 14_000 });
  await window.fit(history);
  const { note = '' } = window.state().log.at(-1) ?? {};
  const numbers = note.match(/\b\d{4,}\b/g) ?? [];
  expect(numbers.length).toBeGreaterThan(0);
  expect(numbers.length).toBeLessThanOrEqual(24);
});

test('the note never parts a system message from the turn that must follow it', async () => {
  const dialect = anthropic<object>();
  for (let reminder = 1; reminder < 12; reminder++) {
    const history: object[] = [{ role: 'user', content: 'Go.' }];
    for (let i = 0; i < 12; i++) {
      history.push({ role: 'assistant', content: [{ type: 'tool_use', id: `a${i}`, name: 'look', input: {} }] });
      history.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: `a${i}`, content: 'seen' }] });
      if (i === reminder) history.push({ role: 'system', content: 'Mind the rules.' });
    }
    for (const strategy of ['fold', 'sliding', 'rolling'] as const) {
      const { messages } = await new ConversationWindow<object>({ max_messages: 10, strategy }, { dialect }).fit(
        history,
      );
      expect(dialect.validate(messages, { part: false })).toEqual([]);
      expect(messages.length).toBeLessThanOrEqual(10);
    }
  }
});
