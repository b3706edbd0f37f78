import { readFileSync } from 'node:fs';
import type { Logger, Tool } from '@holdfast/agent';
import { type OpenaiChatMessage, validateOpenaiChat } from 'holdfast/rules';
import { Registry } from 'prom-client';
import { describe, expect, test, vi } from 'vitest';
import {
  type CrewEvent,
  CrewExecutor,
  type CrewInput,
  type CrewMessage,
  createCrewMetrics,
  readCrew,
} from '../src/index.ts';
import { ALONE, APIS, agentOf, crewModel, crewOn, lastWords, talk } from './crew-model.ts';

const quiet = { provider: () => ({ name: 'none', execute: () => Promise.reject(new Error('nobody is asked')) }) };
const open = (crew: Partial<CrewInput> = {}, parts = {}) =>
  new CrewExecutor({ ...ALONE, ...crew }, { ...quiet, ...parts });

/** Every append with its place and sizes, as the stream tells them. */
type Append = Extract<CrewEvent, { type: 'history-append' }>;

async function appendsOf(events: AsyncIterable<CrewEvent>) {
  const all: CrewEvent[] = [];
  for await (const event of events) all.push(event);
  const result = all.findLast((event) => event.type === 'result')?.result;
  if (!result) throw new Error('no result');
  return { appends: all.filter((event): event is Append => event.type === 'history-append'), result, events: all };
}

function logging() {
  const lines: string[] = [];
  const logger: Logger = { debug() {}, info: (line) => void lines.push(line), warn() {} };
  return { lines, logger };
}

const look: Tool = {
  name: 'look',
  description: 'Looks',
  input_schema: { type: 'object', properties: {} },
  run: () => 'seen',
};

/** Goes through every place: input, answer, tools, parallel, hand-off. */
const ALL_PLACES: CrewInput = {
  entry: 'lead',
  max_messages_per_request: 6,
  agents: {
    lead: { role: 'Lead.', hand_offs: ['checks', 'clerk'] },
    cpu: { role: 'CPU.', tools: ['look'] },
    net: { role: 'Net.' },
    clerk: { role: 'Clerk.', tools: ['look'], terminal: true },
  },
  groups: { checks: { agents: ['cpu', 'net'], join: 'lead' } },
};

const places = () => {
  let looked = 0;
  return crewModel({
    lead: (prompt) =>
      lastWords(prompt).startsWith('[cpu]')
        ? { text: 'On.', calls: [{ name: 'hand_off', input: { to: 'clerk', message: 'look' } }] }
        : { text: 'First all. [ROUTE_CHECKS]' },
    cpu: () => ({ text: 'fine' }),
    net: () => ({ text: 'fine, too' }),
    clerk: () => (looked++ < 4 ? { text: 'I look.', calls: [{ name: 'look', input: {} }] } : { text: 'All is well.' }),
  });
};

describe('AC 1: Default MaxMessagesPerRequest = 50 messages', () => {
  test('an executor starts with 50', () => {
    expect(open().max_messages_per_request).toBe(50);
    expect(readCrew('entry: a\nagents: { a: { role: x } }', 'crew.yml').config.max_messages_per_request).toBe(50);
  });

  test('the configuration overrides it, for the crew and for one agent', async () => {
    const text =
      'entry: a\nmax_messages_per_request: 80\nagents: { a: { role: x, max_messages_per_request: 5, terminal: true } }';
    const { config } = readCrew(text, 'crew.yml');
    expect(config).toMatchObject({ max_messages_per_request: 80, agents: { a: { max_messages_per_request: 5 } } });
    const sizes: number[] = [];
    const model = await crewModel({ a: ({ messages }) => ({ text: `heard ${sizes.push(messages.length)}` }) });
    const crew = crewOn(model, config);
    expect(crew.max_messages_per_request).toBe(80);
    const { history } = await crew.execute('on', talk(200));
    expect(history.length).toBeGreaterThan(70);
    expect(sizes[0]).toBeLessThanOrEqual(5);
  });

  test('an executor can have its own limit, at the start and later', () => {
    const crew = open({ max_messages_per_request: 80 }, { max_messages_per_request: 30 });
    expect(crew.max_messages_per_request).toBe(30);
    crew.max_messages_per_request = 20;
    expect(crew.pruneHistory(talk(100)).length).toBeLessThanOrEqual(20);
    expect(open().max_messages_per_request).toBe(50);
  });

  test('TestMaxMessagesPerRequestConfiguration, validation: it must be more than 0', () => {
    for (const limit of [0, -1, 1.5, Number.NaN]) {
      expect(() => open({ max_messages_per_request: limit })).toThrow(
        /max_messages_per_request is .*: expected a whole number/,
      );
      expect(() => open({}, { max_messages_per_request: limit })).toThrow(/expected a whole number/);
      expect(() => {
        open().max_messages_per_request = limit;
      }).toThrow(/expected a whole number/);
    }
    const text = 'entry: a\nagents:\n  a:\n    role: x\n    max_messages_per_request: 0\n';
    expect(() => readCrew(text, 'crew.yml')).toThrow(
      'crew.yml:5:31: agents.a.max_messages_per_request is 0: expected a whole number, 1 or more',
    );
  });
});

describe.each(['execute', 'executeStream'] as const)(
  'AC 2, TestExecuteWithHistoryLimit: PruneHistory() enforces the limit after each append, in %s',
  (path) => {
    test.each(Object.keys(APIS))(
      '%s: with several agents, tools and a group the history never exceeds it, and nobody notices',
      async (api) => {
        const model = await places();
        const appends: Append[] = [];
        const crew = crewOn(
          model,
          ALL_PLACES,
          { tools: [look], onEvent: (event) => void (event.type === 'history-append' && appends.push(event)) },
          api,
        );
        const history = talk(30);
        const result =
          path === 'execute'
            ? await crew.execute('go', history)
            : (await appendsOf(crew.executeStream('go', history))).result;
        expect(result).toMatchObject({ status: 'complete', output: 'All is well.' });
        expect(result.history.length).toBeLessThanOrEqual(6);
        expect(appends.length).toBeGreaterThan(6);
        for (const { after } of appends) expect(after).toBeLessThanOrEqual(6);
        expect(appends[0]).toMatchObject({ before: 30, grown: 31 });
        expect(appends.some(({ grown }) => grown > 6)).toBe(true);
        // What goes over the wire keeps to it, too, and is valid: the stand-in refuses what is not.
        expect(model.requests.filter(({ verdict }) => verdict !== 'answered')).toEqual([]);
        for (const { body } of model.requests) {
          const { messages, input } = (body ?? {}) as { messages?: { role: string }[]; input?: unknown[] };
          const sent = messages?.filter(({ role }) => role !== 'system' && role !== 'developer') ?? input ?? [];
          expect(sent.length).toBeLessThanOrEqual(6);
        }
      },
    );
  },
);

test.each(Object.keys(APIS))(
  'AC 2, the exception: %s, a newest turn longer than the limit stays whole, and the work continues',
  async (api) => {
    const model = await crewModel({
      clerk: ({ results }) =>
        results.length === 0
          ? { calls: Array.from({ length: 60 }, () => ({ name: 'look', input: {} })) }
          : { text: `${results.length} seen` },
    });
    const crew: CrewInput = { entry: 'clerk', agents: { clerk: { role: 'Look.', tools: ['look'], terminal: true } } };
    const { appends, result } = await appendsOf(
      crewOn(model, crew, { tools: [look] }, api).executeStream('go', talk(80)),
    );
    expect(result).toMatchObject({ status: 'complete', output: '60 seen' });
    expect(result.usage.crew).toMatchObject({ requests: 2, calls: 60 });
    expect(appends.map(({ after }) => after)).toEqual([49, 62, 2]);
    expect(model.requests.filter(({ verdict }) => verdict !== 'answered')).toEqual([]);
  },
);

describe('AC 3: Oldest messages discarded first (rolling window)', () => {
  test('at the limit, the oldest messages go and the rest keep their order', async () => {
    const model = await crewModel({ clerk: () => ({ text: 'ok' }) });
    const crew = crewOn(model, { ...ALONE, max_messages_per_request: 10 });
    const history = talk(10);
    const result = await crew.execute('newest', history);
    expect(result.history).toEqual([
      ...history.slice(-8),
      { role: 'user', content: 'newest' },
      { role: 'assistant', name: 'clerk', content: 'ok' },
    ]);
  });

  test('TestPruneHistoryOrder: whatever the length, the end of the history stays', () => {
    for (let count = 1; count < 130; count++) {
      const history = talk(count);
      const kept = open({ max_messages_per_request: 50 }).pruneHistory(history);
      expect(kept).toEqual(history.slice(history.length - kept.length));
      expect(kept.length).toBeGreaterThanOrEqual(Math.min(count, 49));
      expect(kept[0]?.role).toBe('user');
    }
  });
});

test.each(['rolling', 'fold'] as const)(
  'AC 2: system messages keep to the limit, too, and never crowd out the newest turns (%s)',
  async (strategy) => {
    const model = await crewModel({ clerk: () => ({ text: 'ok' }) });
    const crew = crewOn(model, { ...ALONE, strategy, max_messages_per_request: 20 });
    const system: CrewMessage[] = Array.from({ length: 300 }, (_, i) => ({ role: 'system', content: `rule ${i}` }));
    for (const before of [[], talk(2), talk(60)]) {
      const { status, history } = await crew.execute('newest', [...system, ...before]);
      expect(status).toBe('complete');
      expect(history.length).toBeLessThanOrEqual(20);
      expect(history.at(-2)).toEqual({ role: 'user', content: 'newest' });
      // The first rules stay, and half of the room is for what was said.
      expect(history[0]).toEqual(system[0]);
      const said = history.filter(({ role }) => role !== 'system');
      expect(said.length).toBeGreaterThanOrEqual(Math.min(before.length + 2, 10));
    }
    // By themselves, before and behind what was said.
    const rule = system.slice(0, 1);
    for (const history of [rule, [...rule, ...talk(1)], [...talk(2), ...rule]])
      expect(await crew.execute('q', history)).toMatchObject({ status: 'complete', output: 'ok' });
  },
);

describe('AC 4: All 8 append locations have pruning', () => {
  test.each(['execute', 'executeStream'] as const)(
    '%s: user input, answer, tool results, parallel results, hand-off',
    async (path) => {
      const appends: (Append & { readonly limit: number })[] = [];
      for (const limit of [1, 2, 3, 5, 6]) {
        const crew = crewOn(
          await places(),
          { ...ALL_PLACES, max_messages_per_request: limit },
          {
            tools: [look],
            onEvent: (event) => void (event.type === 'history-append' && appends.push({ ...event, limit })),
          },
        );
        const { status } =
          path === 'execute'
            ? await crew.execute('go', talk(40))
            : (await appendsOf(crew.executeStream('go', talk(40)))).result;
        expect(status).toBe('complete');
      }
      const pruned = appends.filter(({ grown, after }) => after < grown).map(({ place }) => place);
      expect(new Set(pruned)).toEqual(new Set(['input', 'answer', 'tools', 'parallel', 'hand-off']));
      for (const { limit, after, messages } of appends) {
        // What was just appended is never removed: the newest turn stays whole.
        expect(after).toBeGreaterThanOrEqual(messages.length);
        // Only a newest turn that is longer exceeds the limit: what was appended, and the user's words that it answers.
        expect(after).toBeLessThanOrEqual(Math.max(limit, messages.length + (messages[0]?.role === 'user' ? 0 : 1)));
      }
    },
  );
});

describe('AC 5: Metrics collected and logged', () => {
  test('each pruning is logged with both counts', async () => {
    const { lines, logger } = logging();
    const model = await crewModel({ clerk: () => ({ text: 'ok' }) });
    await crewOn(model, ALONE, { logger }).execute('more', talk(60));
    expect(lines).toEqual(['[HISTORY] Pruning from 61 to 49 messages']);
    open({}, { logger }).pruneHistory(talk(100));
    expect(lines[1]).toBe('[HISTORY] Pruning from 100 to 50 messages');
  });

  test('Prometheus has messages pruned, sizes before and after, tokens saved, cost against the unbounded run', async () => {
    const metrics = await createCrewMetrics();
    const model = await crewModel({ clerk: () => ({ text: 'ok' }) });
    const crew = crewOn(model, ALONE, { onEvent: metrics.observe });
    await crew.execute('more', talk(500, 400));
    const text = await metrics.registry.metrics();
    expect(text).toContain('holdfast_crew_requests_total{status="complete"} 1');
    expect(text).toMatch(/holdfast_crew_messages_pruned_sum 45\d/);
    expect(text).toMatch(/holdfast_crew_history_messages_bucket\{le="1000",when="before"\} 2/);
    expect(text).toContain('holdfast_crew_prunes_total{place="input"} 1');
    expect(Number(/holdfast_crew_tokens_saved_total\{agent="clerk"\} (\d+)/.exec(text)?.[1])).toBeGreaterThan(40_000);
    const dollars = (name: string) =>
      Number(new RegExp(`holdfast_crew_${name}\\{agent="clerk"\\} ([\\d.e-]+)`).exec(text)?.[1]);
    expect(dollars('cost_unbounded_dollars_total')).toBeGreaterThan(5 * dollars('cost_dollars_total'));
    expect(text).toContain('holdfast_crew_limit_near_total{what="history"} 1');
  });
});

test('AC 5: docs/crew.md lists exactly the existing metrics', async () => {
  const page = readFileSync(new URL('../../../docs/crew.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `holdfast_crew_'));
  const told = rows.flatMap((row) =>
    [...(row.split(' | ')[0] ?? '').matchAll(/`(?:holdfast_crew)?(_\w+)/g)].map(([, name]) => `holdfast_crew${name}`),
  );
  const registry = new Registry();
  await createCrewMetrics(registry);
  const names = registry.getMetricsAsArray().map(({ name }) => name);
  expect(told.sort()).toEqual(names.sort());
  // Rules that a reader may paste speak of nothing else.
  for (const [name] of page.matchAll(/holdfast_crew_\w+/g))
    expect(
      names.some((one) => one === name || `${one}_sum` === name || `${one}_count` === name || `${one}_bucket` === name),
      name,
    ).toBe(true);
});

describe('AC 6: No breaking changes to API', () => {
  test('the history is optional, and is copied, not changed', async () => {
    const model = await crewModel({ clerk: () => ({ text: 'ok' }) });
    const crew = crewOn(model, { ...ALONE, max_messages_per_request: 4 });
    expect(await crew.execute('hello')).toMatchObject({ status: 'complete', output: 'ok' });
    const history = talk(20);
    for (const message of history) Object.freeze(message);
    Object.freeze(history);
    const { history: after } = await crew.execute('hello', history);
    expect(history).toEqual(talk(20));
    expect(after[0]).not.toBe(history.find((message) => message.content === after[0]?.content));
  });

  test('pause and resume work after pruning, from the history alone', async () => {
    const crew: CrewInput = {
      ...ALONE,
      max_messages_per_request: 2,
      agents: { clerk: { role: 'Ask.', pause: true }, other: { role: 'Other.' } },
    };
    const model = await crewModel({ clerk: (prompt) => ({ text: `which, ${lastWords(prompt)}?` }) });
    let history: readonly CrewMessage[] = talk(10);
    for (const word of ['a', 'b', 'c']) {
      const result = await crewOn(model, crew).execute(word, history);
      expect(result).toMatchObject({ status: 'paused', agent: 'clerk', output: `which, ${word}?` });
      history = result.history;
    }
  });

  test('100 parallel requests are independent', async () => {
    const model = await crewModel({
      lead: (prompt) => ({ text: `${lastWords(prompt)} [ROUTE_CLERK]` }),
      clerk: ({ messages }) => ({ text: messages.map(({ text }) => text).join(' ') }),
    });
    const crew = crewOn(model, {
      entry: 'lead',
      agents: { lead: { role: 'Lead.', hand_offs: ['clerk'] }, clerk: { role: 'Clerk.', terminal: true } },
    });
    const shared: CrewMessage[] = [
      { role: 'user', content: 'all begin so' },
      { role: 'assistant', content: 'yes' },
    ];
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        crew.execute(
          `secret-${i}-end`,
          i % 2 === 0
            ? shared
            : [
                { role: 'user', content: `own-${i}-end` },
                { role: 'assistant', content: 'yes' },
              ],
        ),
      ),
    );
    for (const [i, { status, output, history }] of results.entries()) {
      expect(status).toBe('complete');
      const numbers = [...JSON.stringify([output, history]).matchAll(/(?:secret|own)-(\d+)-end/g)].map(([, n]) =>
        Number(n),
      );
      expect(new Set(numbers)).toEqual(new Set([i]));
      expect(history).toHaveLength(5);
    }
    expect(shared).toHaveLength(2);
  });
});

/** Prices of the model, so that the crew can tell what the pruned tokens would have cost. */
const priced = (api: string): Partial<CrewInput> => ({
  provider: api === 'anthropic' ? { model: 'claude-sonnet-5' } : { type: 'openai-api', model: 'gpt-5.2' },
});

describe('AC 7: Cost reduction verified', () => {
  test.each(Object.keys(APIS))(
    '%s: 500+ messages become at most 50, and a call at most a tenth of the tokens',
    async (api) => {
      const tokens = async (limit: number) => {
        const model = await crewModel({ clerk: () => ({ text: 'ok' }) });
        const { usage, history } = await crewOn(
          model,
          { ...ALONE, ...priced(api), max_messages_per_request: limit, conversation: { max_tokens: 0 } },
          {},
          api,
        ).execute('go', talk(520, 800));
        const { inputTokens, cacheReadTokens, cacheWriteTokens } = usage.crew.tokens;
        return { sent: inputTokens + cacheReadTokens + cacheWriteTokens, messages: history.length, usage };
      };
      const bounded = await tokens(50);
      const unbounded = await tokens(100_000);
      expect(bounded.messages).toBeLessThanOrEqual(50);
      expect(bounded.sent).toBeLessThan(0.1 * unbounded.sent);
      const share = (bounded.usage.crew.cost ?? 1) / (unbounded.usage.crew.cost ?? 0);
      console.log(
        `AC 7, ${api}: a call has ${(bounded.sent / unbounded.sent).toFixed(3)} of the tokens, and costs ${share.toFixed(3)} with the prices of the cache`,
      );
      // The first call of each writes its cache: later ones read it, and docs/crew.md tells what that does to the bill.
      expect(share).toBeLessThan(0.1);
      // The bounded run estimated the cost of the unbounded one, within a fifth.
      const { everything = 0 } = bounded.usage.crew;
      const { cost = 0 } = unbounded.usage.crew;
      expect(everything / cost).toBeGreaterThan(0.8);
      expect(everything / cost).toBeLessThan(1.2);
    },
  );
});

describe('AC 8: PruneHistory', () => {
  test('TestPruneHistory: empty, below, at and over the limit', () => {
    expect(open().pruneHistory([])).toEqual([]);
    for (const count of [1, 49, 50]) expect(open().pruneHistory(talk(count))).toEqual(talk(count));
    expect(open().pruneHistory(talk(51))).toEqual(talk(51).slice(2));
    expect(open().pruneHistory(talk(52))).toEqual(talk(52).slice(2));
  });

  test('edge cases: sizes 0, 1 and -1', () => {
    const warn = vi.fn();
    const crew = open({}, { logger: { debug() {}, info() {}, warn } });
    expect(crew.pruneHistory(talk(60), 0)).toEqual(talk(60));
    expect(crew.pruneHistory(talk(60), -1)).toEqual(talk(60));
    expect(warn).toHaveBeenCalledTimes(2);
    expect(crew.pruneHistory(talk(61), 1)).toEqual(talk(61).slice(-1));
    expect(crew.pruneHistory(talk(60), 1)).toEqual(talk(60).slice(-2));
  });

  test('multiple prune operations: 100 in one request without growth', () => {
    const crew = open();
    let history: CrewMessage[] = talk(1_000);
    for (let i = 0; i < 100; i++) {
      history = crew.pruneHistory([
        ...history,
        { role: 'user', content: `${i}` },
        { role: 'assistant', content: 'ok' },
      ]);
      expect(history.length).toBeLessThanOrEqual(50);
      expect(crew.pruneHistory(history)).toEqual(history);
    }
  });

  test('calls and results stay together; only a newest turn that is longer exceeds the limit', () => {
    const calls = (count: number, turn: number): CrewMessage[] => [
      {
        role: 'assistant',
        content: 'I look.',
        name: 'clerk',
        tool_calls: Array.from({ length: count }, (_, i) => ({
          id: `c${turn}_${i}`,
          type: 'function' as const,
          function: { name: 'look', arguments: '{}' },
        })),
      },
      ...Array.from(
        { length: count },
        (_, i): CrewMessage => ({ role: 'tool', tool_call_id: `c${turn}_${i}`, content: 'seen' }),
      ),
    ];
    const history: CrewMessage[] = [...talk(9), ...Array.from({ length: 20 }, (_, turn) => calls(3, turn)).flat()];
    for (let limit = 1; limit < 90; limit++) {
      const kept = open().pruneHistory(history, limit);
      expect(validateOpenaiChat(kept as OpenaiChatMessage[])).toEqual([]);
      expect(kept.length).toBeLessThanOrEqual(Math.max(limit, 5));
    }
    expect(open().pruneHistory([...talk(1), ...calls(70, 0)], 50)).toHaveLength(72);
  });

  test('TestExecuteStreamWithHistoryLimit: streaming events stay accurate while the history is pruned', async () => {
    const model = await places();
    const { appends, events, result } = await appendsOf(
      crewOn(model, ALL_PLACES, { tools: [look] }).executeStream('go', talk(40)),
    );
    // Sizes follow from each other, and the last is that of the result.
    for (const [i, { before, grown, messages }] of appends.entries()) {
      expect(before).toBe(i === 0 ? 40 : appends[i - 1]?.after);
      expect(grown).toBe(before + messages.length);
    }
    expect(appends.at(-1)?.after).toBe(result.history.length);
    expect(appends.reduce((sum, { grown, after }) => sum + grown - after, 0)).toBe(result.pruned);
    // The words of each turn are those of its end; calls are opened and closed by the same agent.
    for (const agent of ['lead', 'cpu', 'net', 'clerk']) {
      const own = events.filter((event) => 'agent' in event && event.agent === agent);
      const said = own.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');
      for (const event of own) if (event.type === 'agent-end') expect(said).toContain(event.output);
      const open = new Set<string>();
      for (const event of own) {
        if (event.type === 'call-start') open.add(event.id);
        if (event.type === 'call-end') expect(open.delete(event.id)).toBe(true);
      }
      expect(open.size).toBe(0);
    }
    expect(result.usage.crew.requests).toBe(model.requests.filter(({ path }) => path === '/v1/messages').length);
  });

  test('TestExecuteStreamWithHistoryLimit: the reported budget is within a tenth of what the provider counts', async () => {
    let looked = 0;
    const model = await crewModel({
      clerk: () => (looked++ < 12 ? { text: 'I look.', calls: [{ name: 'look', input: {} }] } : { text: 'Seen.' }),
    });
    const long: Tool = { ...look, run: () => 'a line of what was found; '.repeat(40) };
    const { events, result } = await appendsOf(
      crewOn(
        model,
        {
          ...ALONE,
          max_messages_per_request: 20,
          agents: { clerk: { role: 'Look.', tools: ['look'], terminal: true } },
        },
        { tools: [long] },
      ).executeStream('go', talk(40, 300)),
    );
    const told: { readonly estimated: boolean; readonly ratio: number }[] = [];
    let view: Extract<CrewEvent, { type: 'view-ready' }> | undefined;
    for (const event of events) {
      if (event.type === 'view-ready') view = event;
      if (event.type !== 'usage-report' || !view) continue;
      const { inputTokens, cacheReadTokens, cacheWriteTokens } = event.usage;
      const ratio = view.tokens / (inputTokens + cacheReadTokens + cacheWriteTokens);
      told.push({ estimated: view.estimated, ratio });
    }
    expect(told).toHaveLength(13);
    expect(told.map(({ estimated }) => estimated)).toEqual([true, ...Array(12).fill(false)]);
    for (const { ratio } of told.slice(1)) {
      expect(ratio).toBeGreaterThan(0.9);
      expect(ratio).toBeLessThan(1.1);
    }
    expect(result.usage.agents.clerk?.context).toMatchObject({ estimated: false, max: { messages: 20 } });
  });

  test('agentOf: the stand-in knows which agent asks', async () => {
    const seen = new Set<string>();
    const model = await crewModel({ clerk: (prompt) => ({ text: `${seen.add(agentOf(prompt)).size}` }) });
    await crewOn(model, ALONE).execute('hello');
    expect([...seen]).toEqual(['clerk']);
  });
});
