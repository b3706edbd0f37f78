import type { ExecutionOptions, ExecutionResult, Provider, Tool } from '@holdfast/agent';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  type CrewEvent,
  CrewExecutor,
  type CrewInput,
  type CrewMessage,
  MAX_CONTENT_CHARS,
  usageTable,
} from '../src/index.ts';
import { ALONE, APIS, crewModel, crewOn, lastWords, talk } from './crew-model.ts';

const CIRCLE: CrewInput = {
  entry: 'ping',
  provider: { model: 'claude-sonnet-5' },
  agents: { ping: { role: 'Ping.', hand_offs: ['pong'] }, pong: { role: 'Pong.', hand_offs: ['ping'] } },
};
const circle = () =>
  crewModel({ ping: () => ({ text: 'over [ROUTE_PONG]' }), pong: () => ({ text: 'back [ROUTE_PING]' }) });

test('stops circular hand-offs at the limit, with advice', async () => {
  const result = await crewOn(await circle(), CIRCLE).execute('go');
  expect(result).toMatchObject({ status: 'stopped', limit: 'hand_offs', handOffs: 10, rounds: 11 });
  expect(result.reason).toBe(
    'reached the limit of 10 hand-offs: raise limits.max_hand_offs, or check whether agents hand over in a circle',
  );
  expect(result.history).toHaveLength(12);
});

test('stops at the limits of rounds and time', async () => {
  const rounds = await crewOn(await circle(), { ...CIRCLE, limits: { max_rounds: 4 } }).execute('go');
  expect(rounds).toMatchObject({ status: 'stopped', limit: 'rounds', rounds: 4 });
  const slow = await crewModel({ clerk: () => new Promise(() => {}) });
  const time = await crewOn(slow, { ...ALONE, limits: { max_seconds: 0.2 } }).execute('go');
  expect(time).toMatchObject({
    status: 'stopped',
    limit: 'time',
    reason: 'reached the limit of 0.2 s: raise limits.max_seconds',
  });
});

test('reports each retried request, and the last one in the result', async () => {
  const lines: string[] = [];
  const provider: Provider = {
    name: 'busy',
    execute: (_, { signal, onEvent } = {}) =>
      new Promise((resolve) => {
        onEvent?.({ type: 'request-retry', category: 'overloaded', waitMs: 7.25 });
        const result = { success: false, output: '', error: 'cut off', filesChanged: [], iterationComplete: false };
        signal?.addEventListener('abort', () => resolve({ ...result, errorCategory: 'cancelled' }));
      }),
  };
  const logger = { debug() {}, info() {}, warn: (line: string) => void lines.push(line) };
  const crew = new CrewExecutor({ ...ALONE, limits: { max_seconds: 0.05 } }, { provider: () => provider, logger });
  const { reason } = await crew.execute('go');
  expect(reason).toBe(
    'reached the limit of 0.05 s: raise limits.max_seconds; the last request of clerk failed: overloaded',
  );
  expect(lines).toEqual(['clerk: request failed (overloaded), retrying in 7 ms', `request stopped: ${reason}`]);
});

test('agents share the cost limit: passing it stops the crew, and finished work is kept', async () => {
  const model = await crewModel({
    lead: () => ({ text: '[ROUTE_ALL]' }),
    one: () => ({ text: 'I work. '.repeat(50), calls: [{ name: 'look', input: {} }] }),
    two: () => ({ text: 'I work. '.repeat(50), calls: [{ name: 'look', input: {} }] }),
  });
  const look: Tool = { name: 'look', description: 'Looks', input_schema: { type: 'object' }, run: () => 'more' };
  const crew: CrewInput = {
    entry: 'lead',
    provider: { model: 'claude-sonnet-5' },
    limits: { max_cost: 0.05 },
    agents: {
      lead: { role: 'Lead.', hand_offs: ['all'] },
      one: { role: 'One.', tools: ['look'] },
      two: { role: 'Two.', tools: ['look'] },
    },
    groups: { all: { agents: ['one', 'two'], join: 'lead' } },
  };
  const kept: CrewMessage[] = [];
  const result = await crewOn(model, crew, { tools: [look] }).execute('go', [], {
    onAppend: (some) => void kept.push(...some),
  });
  expect(result).toMatchObject({ status: 'stopped', limit: 'cost' });
  expect(result.reason).toMatch(/^spent \$0\.05\d\d of \$0\.05: raise limits\.max_cost$/);
  const { one, two } = result.usage.agents;
  expect(one?.requests).toBeGreaterThan(1);
  expect(two?.requests).toBeGreaterThan(1);
  expect(result.usage.crew.cost).toBeGreaterThanOrEqual(0.05);
  expect(result.usage.crew.cost).toBeLessThan(0.06);
  expect(kept).toEqual(result.history);
  const table = usageTable(result.usage);
  expect(table.split('\n')).toHaveLength(5);
  expect(table).toMatch(/^agent +rounds +requests +calls +context +folds +sent +cached +said +cost +unbounded\n/);
  expect(table).toMatch(/\ncrew +3 /);
});

test('keeps an answer that passed the cost limit; if it was the last, the request is complete', async () => {
  const limits = { max_cost: 0.000_001 };
  const provider = { model: 'claude-sonnet-5' };
  const last = await crewModel({ clerk: () => ({ text: 'It is in src.' }) });
  expect(await crewOn(last, { ...ALONE, provider, limits }).execute('where?')).toMatchObject({
    status: 'complete',
    output: 'It is in src.',
    history: [{ content: 'where?' }, { content: 'It is in src.', name: 'clerk' }],
  });
  expect(await crewOn(await circle(), { ...CIRCLE, limits }).execute('go')).toMatchObject({
    status: 'stopped',
    limit: 'cost',
    rounds: 1,
    history: [{ content: 'go' }, { content: 'over [ROUTE_PONG]', name: 'ping' }],
  });
});

test('fails if max_cost is set and the price of a model is unknown', async () => {
  const model = await crewModel(
    { clerk: () => ({ text: 'ok' }) },
    { models: { mystery: { api: 'anthropic', window: 100_000, max_output: 64_000, thinking: 'none' } as never } },
  );
  const crew: CrewInput = { ...ALONE, limits: { max_cost: 1 }, agents: { clerk: { role: 'x', model: 'mystery' } } };
  expect(await crewOn(model, crew).execute('go')).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('the price of a model is unknown'),
  });
});

test('a failing model fails the request with its error; a cancelled request says so', async () => {
  const model = await crewModel({ clerk: () => ({ stop: 'refusal', text: 'no' }) });
  expect(await crewOn(model, ALONE).execute('go')).toMatchObject({
    status: 'failed',
    reason: 'clerk: the model refused to answer: no',
    history: [{ content: 'go' }],
  });
  const cancel = new AbortController();
  const slow = await crewModel({
    clerk: () => {
      cancel.abort();
      return new Promise(() => {});
    },
  });
  expect(await crewOn(slow, ALONE).execute('go', [], { signal: cancel.signal })).toMatchObject({ status: 'cancelled' });
});

test('a provider that throws fails its turn, and the rest of its group continues', async () => {
  const model = await crewModel({
    lead: (prompt) => ({ text: lastWords(prompt).includes('(it broke)') ? 'Done.' : '[ROUTE_ALL]' }),
    two: () => ({ text: 'Found.' }),
  });
  const throwing: Provider = { name: 'broken', execute: () => Promise.reject(new Error('it broke')) };
  const crew: CrewInput = {
    entry: 'lead',
    agents: { lead: { role: 'Lead.', hand_offs: ['all'] }, one: { role: 'One.' }, two: { role: 'Two.' } },
    groups: { all: { agents: ['one', 'two'], join: 'lead' } },
  };
  const provider = (agent: string) => (agent === 'one' ? throwing : (APIS.anthropic?.(model) as Provider));
  const result = await new CrewExecutor(crew, { provider }).execute('go');
  expect(result).toMatchObject({ status: 'complete', output: 'Done.' });
  expect(result.history[2]).toMatchObject({ name: 'all', content: '[one] (it broke)\n\n[two] Found.' });
  expect(await new CrewExecutor(ALONE, { provider: () => throwing }).execute('go')).toMatchObject({
    status: 'failed',
    reason: 'clerk: it broke',
  });
});

/** Two at once: the first answers, the second works until it is stopped. */
const GROUP: CrewInput = {
  entry: 'lead',
  agents: { lead: { role: 'Lead.', hand_offs: ['all'] }, one: { role: 'One.' }, two: { role: 'Two.' } },
  groups: { all: { agents: ['one', 'two'], join: 'lead' } },
};
const done = { success: true, output: 'Found.', filesChanged: [], iterationComplete: true };
const cut = { ...done, success: false, output: '', error: 'cut off', errorCategory: 'cancelled' } as const;
const untilStopped = (signal: AbortSignal | undefined) =>
  new Promise<typeof cut>((resolve) => {
    signal?.addEventListener('abort', () => resolve(cut));
    if (signal?.aborted) resolve(cut);
  });
const playedBy = (play: (agent: string, options: ExecutionOptions) => Promise<ExecutionResult>) => ({
  provider: (agent: string): Provider => ({
    name: agent,
    execute: (_, options = {}) =>
      agent === 'lead' ? Promise.resolve({ ...done, output: '[ROUTE_ALL]' }) : play(agent, options),
  }),
});

test.each([
  ['cost', { max_cost: 0.5 }, 'spent $0.6000 of $0.5: raise limits.max_cost'],
  ['time', { max_seconds: 0.2 }, 'reached the limit of 0.2 s: raise limits.max_seconds'],
])('a limit (%s) reached during a group keeps the answers before it', async (limit, limits, why) => {
  let isFound = () => {};
  const first = new Promise<void>((resolve) => {
    isFound = resolve;
  });
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const parts = playedBy(async (agent, { signal, onEvent }) => {
    if (agent === 'one') return done;
    await first;
    if (limit === 'cost') onEvent?.({ type: 'usage-report', usage, cost: 0.6 });
    return untilStopped(signal);
  });
  const onEvent = (event: CrewEvent) => void (event.type === 'agent-end' && event.agent === 'one' && isFound());
  const kept: CrewMessage[] = [];
  const result = await new CrewExecutor({ ...GROUP, limits }, { ...parts, onEvent }).execute('go', [], {
    onAppend: (some) => void kept.push(...some),
  });
  expect(result).toMatchObject({ status: 'stopped', limit, reason: why });
  expect(result.history.at(-1)).toEqual({
    role: 'user',
    name: 'all',
    content: `[one] Found.\n\n[two] (not done: ${why})`,
  });
  expect(kept).toEqual(result.history);
  // A later request continues with what was found.
  const told: string[] = [];
  const join: Provider = {
    name: 'lead',
    execute(prompt) {
      told.push(prompt);
      return Promise.resolve({ ...done, output: 'All of it.' });
    },
  };
  const later = await new CrewExecutor(GROUP, { provider: () => join }).execute(undefined, result.history);
  expect(later).toMatchObject({ status: 'complete', agent: 'lead', output: 'All of it.' });
  expect(told).toEqual([expect.stringContaining('[one] Found.')]);
});

test('a group that was cancelled runs again as a whole', async () => {
  const cancel = new AbortController();
  const parts = playedBy((agent, { signal }) => (agent === 'one' ? Promise.resolve(done) : untilStopped(signal)));
  const onEvent = (event: CrewEvent) => void (event.type === 'agent-end' && event.agent === 'one' && cancel.abort());
  const result = await new CrewExecutor(GROUP, { ...parts, onEvent }).execute('go', [], { signal: cancel.signal });
  expect(result).toMatchObject({ status: 'cancelled', history: [{ content: 'go' }, { content: '[ROUTE_ALL]' }] });
  const again = playedBy((agent) => Promise.resolve({ ...done, output: `${agent} again` }));
  const { history } = await new CrewExecutor({ ...GROUP, limits: { max_rounds: 2 } }, again).execute(
    undefined,
    result.history,
  );
  expect(history.at(-1)).toMatchObject({ content: '[one] one again\n\n[two] two again' });
});

test('an unexpected error in a group stops the others and becomes the error of the request', async () => {
  const ends: string[] = [];
  const parts = playedBy(async (agent, { signal }) => {
    if (agent === 'one')
      return Object.defineProperty({ ...done }, 'tokenUsage', {
        get() {
          throw new Error('no result at all');
        },
      });
    const end = await untilStopped(signal);
    ends.push(`${agent} stopped`);
    return end;
  });
  await expect(new CrewExecutor(GROUP, parts).execute('go')).rejects.toThrow('no result at all');
  expect(ends).toEqual(['two stopped']);
});

test('an agent gets what fits of a long history: the whole input, the newest messages, and a mark', async () => {
  let told: readonly string[] = [];
  const model = await crewModel({
    clerk: ({ messages }) => {
      told = messages.map(({ text }) => text);
      return { text: 'ok' };
    },
  });
  const history = Array.from({ length: 20 }, (_, i): CrewMessage[] => [
    { role: 'user', content: `question ${i}` },
    { role: 'assistant', name: 'clarifier', content: `begin ${i} ${'word '.repeat(5_400)}end ${i}` },
  ]).flat();
  const later: CrewMessage[] = [...history, { role: 'assistant', name: 'clerk', content: 'Hm.' }, ...history];
  const input = `the newest input ${'! '.repeat(2_000)}`.trim();
  const haiku = { role: 'Answer.', terminal: true, model: 'claude-haiku-4-5' };
  for (const clerk of [haiku, { ...haiku, conversation: { max_tokens: 8_000 } }])
    for (const past of [history, later]) {
      const agents = { clerk, clarifier: { role: 'Ask.' } };
      const crew: CrewInput = { ...ALONE, agents, max_messages_per_request: 100 };
      const { status, reason } = await crewOn(model, crew).execute(input, past);
      expect({ status, reason }).toEqual({ status: 'complete', reason: undefined });
      const prompt = told.at(-1) ?? '';
      expect(prompt.endsWith(`end 19\n\n${input}`)).toBe(true);
      expect(/\d+ messages were left out here: there is no room/.test(prompt)).toBe(true);
    }
});

test.each([
  ['tokens', 4],
  ['messages', 1],
] as const)('an agent that has no room for the %s is asked %i times, whatever the error says', async (unit, times) => {
  const floor = { tokens: 10, messages: 10 };
  const prompts: number[] = [];
  const provider: Provider = {
    name: 'small',
    execute: async (prompt) => {
      prompts.push(prompt.length);
      const overBudget = { floor, max: { ...floor, [unit]: 9 } };
      return { success: false, output: '', error: 'no', overBudget, filesChanged: [], iterationComplete: false };
    },
  };
  const past: CrewMessage[] = [{ role: 'assistant', name: 'clarifier', content: 'word '.repeat(1_700) }];
  const crew = { ...ALONE, agents: { ...ALONE.agents, clarifier: { role: 'Ask.' } } };
  await new CrewExecutor(crew, { provider: () => provider }).execute('go', past);
  expect(prompts).toHaveLength(times);
  expect(prompts).toEqual(prompts.toSorted((a, b) => b - a));
});

test('shortens long answers of a group, but keeps each with its name', async () => {
  const outputs: Record<string, string> = { one: 'b'.repeat(150_000), two: `${'c'.repeat(150_000)} done` };
  const found = playedBy((agent) => Promise.resolve({ ...done, output: outputs[agent] ?? 'All is well.' }));
  const agents = { ...GROUP.agents, three: { role: 'Three.' } };
  const groups = { all: { agents: ['one', 'two', 'three'], join: 'lead' } };
  const crew = { ...GROUP, agents, groups, limits: { max_rounds: 4 } };
  const { history } = await new CrewExecutor(crew, found).execute('go');
  const content = history.at(-1)?.content ?? '';
  expect(content.length).toBeLessThanOrEqual(MAX_CONTENT_CHARS);
  const left = '… \\(\\d+ characters and more are left out here\\) …';
  const parts = new RegExp(
    `^\\[one\\] b+\\n${left}\\nb+\\n\\n\\[two\\] c+\\n${left}\\nc+ done\\n\\n\\[three\\] All is well\\.$`,
  );
  expect(parts.test(content)).toBe(true);
});

test('an answer in the history is complete even if the request is cancelled while it is saved', async () => {
  const cancel = new AbortController();
  const model = await crewModel({ clerk: () => ({ text: 'It is in src.' }) });
  const onAppend = ([message]: readonly CrewMessage[]) => void (message?.role === 'assistant' && cancel.abort());
  expect(await crewOn(model, ALONE).execute('where?', [], { signal: cancel.signal, onAppend })).toMatchObject({
    status: 'complete',
    output: 'It is in src.',
    history: [{ content: 'where?' }, { content: 'It is in src.' }],
  });
});

test('abandons a provider that ignores its signal, and ignores what it does later', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let deaf: ExecutionOptions = {};
  const provider: Provider = {
    name: 'deaf',
    execute: (_, options = {}) => {
      deaf = options;
      return new Promise(() => {});
    },
  };
  const events: string[] = [];
  const crew = new CrewExecutor(
    { ...ALONE, limits: { max_seconds: 5 } },
    { provider: () => provider, onEvent: ({ type }) => void events.push(type) },
  );
  const running = crew.execute('go');
  await vi.advanceTimersByTimeAsync(9_000);
  expect(await running).toMatchObject({ status: 'stopped', limit: 'time' });
  const count = events.length;
  deaf.onEvent?.({ type: 'text-delta', text: 'late' });
  await expect(deaf.onCheckpoint?.({ type: 'result', id: 'a', text: 'late', failed: false })).rejects.toThrow();
  expect(events).toHaveLength(count);
});

test("a window's own message limit can only lower the crew's, and 0 means none", async () => {
  const limits: unknown[] = [];
  const provider: Provider = {
    name: 'watched',
    takesHistory: true,
    execute: (_, { conversation } = {}) => {
      limits.push(conversation?.max_messages);
      return Promise.resolve(done);
    },
  };
  const of = (crew: number | undefined, agent: number | undefined): CrewInput => ({
    ...ALONE,
    max_messages_per_request: 10,
    conversation: crew === undefined ? {} : { max_messages: crew },
    agents: { clerk: { role: 'x', conversation: agent === undefined ? {} : { max_messages: agent } } },
  });
  for (const crew of [of(500, undefined), of(undefined, 500), of(0, undefined), of(4, 0), of(undefined, 5), of(6, 7)])
    await new CrewExecutor(crew, { provider: () => provider }).execute('go');
  expect(limits).toEqual([10, 10, 10, 10, 5, 7]);
});

test('accepts times with fractions of milliseconds', async () => {
  const found = playedBy((agent) => Promise.resolve({ ...done, output: agent }));
  for (const max_seconds of [16.1, 0.0001, 4.35]) {
    const groups = { all: { agents: ['one', 'two'], join: 'lead', max_seconds } };
    const crew: CrewInput = { ...GROUP, groups, limits: { max_rounds: 3 } };
    expect(await new CrewExecutor(crew, found).execute('go')).toMatchObject({ status: 'stopped', limit: 'rounds' });
  }
});

test('does not start a group that would pass the limit of rounds', async () => {
  const parts = playedBy((agent) => Promise.resolve({ ...done, output: agent }));
  const limits = { max_rounds: 2 };
  expect(await new CrewExecutor({ ...GROUP, limits }, parts).execute('go')).toMatchObject({
    status: 'stopped',
    limit: 'rounds',
    rounds: 1,
  });
});

test('a request whose reader stops reading is cancelled', async () => {
  let asked = 0;
  const slow = await crewModel({
    clerk: () => {
      asked++;
      return new Promise(() => {});
    },
  });
  const crew = crewOn(slow, ALONE);
  for await (const event of crew.executeStream('go')) if (event.type === 'view-ready') break;
  expect(asked).toBeLessThanOrEqual(1);
});

test('a failure to save ends the request with its error', async () => {
  const model = await crewModel({ clerk: () => ({ text: 'ok' }) });
  let appends = 0;
  const onAppend = () => {
    if (++appends === 2) throw new Error('the disk is gone');
  };
  await expect(crewOn(model, ALONE).execute('go', [], { onAppend })).rejects.toThrow('the disk is gone');
});

test.each(['fold', 'sliding', 'governed', 'two-tier'] as const)(
  '%s keeps the history within the limit, too, and calls with their results',
  async (strategy) => {
    let looked = 0;
    const model = await crewModel({
      clerk: () => (looked++ % 6 < 5 ? { calls: [{ name: 'look', input: {} }] } : { text: 'ok' }),
    });
    const look: Tool = {
      name: 'look',
      description: 'Looks',
      input_schema: { type: 'object' },
      run: () => 'seen '.repeat(40),
    };
    const sizes: number[] = [];
    const crew = crewOn(
      model,
      { ...ALONE, strategy, max_messages_per_request: 20, agents: { clerk: { role: 'x', tools: ['look'] } } },
      {
        tools: [look],
        onEvent: (event) => void (event.type === 'history-append' && sizes.push(event.after)),
      },
    );
    let history: readonly CrewMessage[] = talk(60, 100);
    for (let i = 0; i < 5; i++) {
      const result = await crew.execute(`again ${i}`, history);
      expect(result.status).toBe('complete');
      history = result.history;
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(20);
    const open = new Set<string>();
    for (const message of history) {
      if (message.role === 'assistant') for (const { id } of message.tool_calls ?? []) open.add(id);
      if (message.role === 'tool') expect(open.delete(message.tool_call_id)).toBe(true);
    }
    expect(open.size).toBe(0);
    expect(model.requests.filter(({ verdict }) => verdict !== 'answered')).toEqual([]);
  },
);
