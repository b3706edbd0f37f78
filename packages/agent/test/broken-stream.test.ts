import type { TokenUsage } from '@holdfast/models';
import { fixedAnswers, type StandIn } from '@holdfast/stand-in';
import { expect, test } from 'vitest';
import type { ApiOptions, ProviderEvent, Tool } from '../src/index.ts';
import { APIS, type ApiUnderTest, refused, standing } from './apis.ts';
import { answerWith, ownServer, STOPS } from './own-server.ts';

const counting = (ran: unknown[]): Tool => ({
  name: 'note',
  description: 'notes',
  input_schema: { type: 'object', properties: { n: { type: 'number' } } },
  run(input) {
    ran.push(input);
    return 'noted';
  },
});
const note = (n: number) => ({ id: `call_${n}`, name: 'note', input: { n } });
const LONG = { id: 'call_2', name: 'note', input: { n: 2, words: 'word '.repeat(40) } };

async function run(api: ApiUnderTest, server: Parameters<typeof standing>[0], options: ApiOptions = {}) {
  const standIn = await standing({ keep_bodies: 100, ...server });
  const ran: unknown[] = [];
  const events: ProviderEvent[] = [];
  const provider = api.provider(standIn, { model: api.models[0], thinking: true, tools: [counting(ran)] });
  const result = await provider.execute('Note one and two.', { onEvent: (event) => events.push(event), ...options });
  expect(refused(standIn)).toEqual([]);
  return { result, ran, events, standIn };
}

/** How many events of this answer come through before its second call is done. */
const AFTER = { anthropic: 16, gemini: 3, 'openai-chat': 6, 'openai-responses': 18 };

test.each(APIS)(
  '$name: a call that was complete when the stream broke runs once, and the conversation continues from it',
  async (api) => {
    for (const kind of ['mid-reset', 'early-end', 'malformed', 'error-event'] as const) {
      const script = fixedAnswers(
        { thinking: 'Two.', text: 'Noting.', calls: [note(1), LONG] },
        { calls: [LONG] },
        'Done.',
      );
      const { result, ran, events } = await run(api, { script, faults: [{ kind, after: AFTER[api.name] }] });
      expect(result, kind).toMatchObject({ success: true, output: 'Done.', requests: 3 });
      expect(ran, kind).toEqual([{ n: 1 }, LONG.input]);
      expect(events.filter(({ type }) => type === 'request-retry')).toEqual([]);
    }
  },
);

test.each(APIS)('$name: an answer that broke off without a complete call is requested again', async (api) => {
  for (const kind of ['mid-reset', 'early-end'] as const) {
    const script = fixedAnswers({ text: 'Noting.', calls: [note(1)] }, { text: 'Noting.', calls: [note(1)] }, 'Done.');
    const after = api.name === 'gemini' ? 1 : 3; // its calls come whole
    const { result, ran, events } = await run(api, { script, faults: [{ kind, after }] });
    expect(result, kind).toMatchObject({ success: true, output: 'Done.' });
    expect(ran, kind).toEqual([{ n: 1 }]);
    expect(events.filter(({ type }) => type === 'request-retry').length).toBe(1);
  }
});

test.each(APIS)('$name: a stream that goes silent is abandoned and requested again', async (api) => {
  const script = fixedAnswers('Never heard.', 'Heard.');
  const faults = [{ kind: 'slow', bytes: 200, pause_ms: 60_000 } as const];
  const { result } = await run(api, { script, faults }, { idle_timeout_ms: 200 });
  expect(result).toMatchObject({ success: true, output: 'Heard.' });
});

test.each(APIS)('$name: keep-alives count as activity', async (api) => {
  const faults = [{ kind: 'slow', bytes: 100_000, pause_ms: 40, keep_alives: 15 } as const];
  const { result, events } = await run(api, { script: fixedAnswers('Heard.'), faults }, { idle_timeout_ms: 300 });
  expect(result).toMatchObject({ success: true, output: 'Heard.' });
  expect(events.filter(({ type }) => type === 'request-retry')).toEqual([]);
});

test('anthropic: the prompt of an interrupted or cancelled answer is billed', async () => {
  const [api] = APIS as [ApiUnderTest];
  const script = fixedAnswers('Never heard to its end.', 'Heard.');
  const { result, standIn } = await run(api, { script, faults: [{ kind: 'mid-reset', after: 4 }] });
  expect(result).toMatchObject({ success: true, output: 'Heard.' });
  expect(promptsOf(result.tokenUsage)).toBe(billed(standIn));
  const stop = new AbortController();
  const stopped = await run(
    api,
    { script: fixedAnswers('Words. '.repeat(400)), faults: [{ kind: 'slow', bytes: 500, pause_ms: 20 }] },
    { signal: stop.signal, onEvent: ({ type }) => type === 'text-delta' && stop.abort() },
  );
  expect(stopped.result).toMatchObject({ success: false, errorCategory: 'cancelled' });
  expect(promptsOf(stopped.result.tokenUsage)).toBe(billed(stopped.standIn));
  expect(stopped.result.cost?.spent).toBeGreaterThan(0);
});

function promptsOf(usage: TokenUsage | undefined): number {
  return (usage?.inputTokens ?? 0) + (usage?.cacheReadTokens ?? 0) + (usage?.cacheWriteTokens ?? 0);
}

/** Tokens of all prompts that were answered, by the stand-in's own record. */
function billed({ requests }: StandIn): number {
  const fields = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];
  return requests.reduce((sum, { usage }) => fields.reduce((all, key) => all + Number(usage?.[key] ?? 0), sum), 0);
}

test.each([
  ...['0', '-1', 'NaN', '', 'soon', 'Wed, 21 Oct 2015 07:28:00 GMT'].map((value) => ({ header: 'retry-after', value })),
  { header: 'retry-after-ms', value: '0' },
])('a server that asks for no wait, as with $header: $value, is not asked again at once', async ({ header, value }) => {
  const [api] = APIS as readonly [ApiUnderTest];
  const server = await ownServer((nth, response) => {
    if (nth > 2) return answerWith(api, response, { text: 'Hello.', stop: STOPS[api.name].end });
    response.writeHead(429, { [header]: value }).end('{}');
  });
  const events: ProviderEvent[] = [];
  const options = { onEvent: (event: ProviderEvent) => events.push(event), max_wait_ms: 1_000 };
  const result = await api.provider(server, { model: api.models[0] }).execute('Greet.', options);
  expect(result.success).toBe(true);
  const waits = events.flatMap((event) => (event.type === 'request-retry' ? event.waitMs : []));
  expect(waits.map((wait) => Math.floor(wait / 375))).toEqual([1, 2]);
});

test.each(APIS)('$name: no wait is longer than the time left or the longest wait allowed', async (api) => {
  const faults = [{ kind: 'rate-limit', retry_after: 400 } as const];
  const waited = await run(api, { script: fixedAnswers('Hello.'), faults }, { max_wait_ms: 20 });
  expect(waited.result.success).toBe(true);
  expect(waited.events).toContainEqual(
    expect.objectContaining({ type: 'request-retry', category: 'rate_limit', waitMs: 20, attempt: 2 }),
  );
  const late = await run(
    api,
    { script: fixedAnswers('Hello.'), faults },
    { max_wait_ms: 600_000, time_limit_ms: 300_000 },
  );
  expect(late.result).toMatchObject({ success: false, errorCategory: 'rate_limit' });
  expect(late.events.filter(({ type }) => type === 'request-retry')).toEqual([]);
});
