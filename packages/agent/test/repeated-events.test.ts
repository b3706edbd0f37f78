import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import type { Tool } from '../src/index.ts';
import { APIS, type ApiUnderTest, standing } from './apis.ts';
import { ownServer, stream } from './own-server.ts';

const [, , RESPONSES] = APIS as [ApiUnderTest, ApiUnderTest, ApiUnderTest];

const counting = (ran: string[]): Tool => ({
  name: 'count',
  description: 'counts',
  input_schema: { type: 'object' },
  run(input) {
    ran.push(JSON.stringify(input));
    return 'counted';
  },
});

const CALLS = [
  { name: 'count', input: { n: 1, text: 'the first of two' } },
  { name: 'count', input: { n: 2, text: 'and the second' } },
];

/** Runs two calls in one answer, in whose stream this event comes again behind that one. */
async function withRepeat(api: ApiUnderTest, at?: number, again?: number) {
  const ran: string[] = [];
  const standIn = await standing({
    script: ({ messages }) =>
      messages.some(({ results }) => results.length > 0) ? { text: 'Done.' } : { text: 'Counting.', calls: CALLS },
    faults: [
      { kind: 'repeated-event', ...(at === undefined ? {} : { at }), ...(again === undefined ? {} : { again }) },
    ],
  });
  const provider = api.provider(standIn, { model: api.models[1], tools: [counting(ran)] });
  const result = await provider.execute('Count.');
  return { result, ran };
}

const ALL = CALLS.map(({ input }) => JSON.stringify(input));

test.each(APIS)('$name: every event twice: no call runs twice', async (api) => {
  const { ran } = await withRepeat(api);
  expect(new Set(ran).size).toBe(ran.length);
  if (api.name === 'openai-responses') expect(ran).toEqual(ALL);
});

const EVENTS = 40;
const PAIRS = APIS.flatMap((api) =>
  Array.from({ length: EVENTS }, (_, at) =>
    Array.from({ length: SOAK ? EVENTS - at : 2 }, (_, gap) => ({ api, at, again: SOAK ? at + gap : at + gap * 7 })),
  ).flat(),
);

test.each(APIS)('$name: any event repeated, immediately or later: no call runs twice', async (api) => {
  for (const { at, again } of PAIRS.filter((pair) => pair.api === api)) {
    const { result, ran } = await withRepeat(api, at, again);
    expect(new Set(ran).size, `event ${at} again behind ${again}`).toBe(ran.length);
    expect(result, `event ${at} again behind ${again}`).toMatchObject({ success: true, output: 'Done.' });
    expect(ran, 'no call loses its arguments').not.toContain('{}');
    // A repeated piece of arguments looks like two pieces: such a call is refused, not run.
    if (api.name === 'openai-responses') expect(ran, `event ${at} again behind ${again}`).toEqual(ALL);
  }
});

const item = (n: number, more: object = {}) => ({
  type: 'function_call',
  id: `fc_${n}`,
  call_id: `call_${n}`,
  name: 'count',
  arguments: JSON.stringify({ n }),
  status: 'completed',
  ...more,
});
const done = (n: number, more: object = {}, place: object = { output_index: n }) => ({
  type: 'response.output_item.done',
  ...place,
  item: item(n, more),
});
const completed = (output: readonly object[]) => ({
  type: 'response.completed',
  response: { status: 'completed', model: 'm', output },
});
const both = [item(0), item(1)];

test.each<[string, readonly object[]]>([
  ['the end before the items', [completed(both), done(0), done(1)]],
  ['the end between the items', [done(0), completed(both), done(1)]],
  ['the end twice', [done(0), done(1), completed(both), completed(both)]],
  ['only the end, twice', [completed(both), completed(both)]],
  ['items in the wrong order, and again', [done(1), done(0), done(1), done(0), completed(both)]],
  ['items again with other numbers', [0, 1, 0, 1].map((n, at) => ({ ...done(n), sequence_number: 10 + at }))],
  ['items again with the same number', [0, 1, 0, 1].map((n) => ({ ...done(n), sequence_number: 7 }))],
  ['items without places', [done(0, {}, {}), done(1, {}, {}), done(0, {}, {}), completed([])]],
  [
    'items without ids',
    [done(0, { id: undefined }), done(1, { id: undefined }), done(0, { id: undefined }), completed([])],
  ],
  ['an item again, with a new id', [done(0), done(0, { id: 'fc_9' }), done(1), completed(both)]],
  ['an item again, at another place', [done(0), done(1), done(0, {}, { output_index: 2 }), completed(both)]],
  ['an item first in part', [done(0, { arguments: '{', status: 'incomplete' }), done(0), done(1), completed(both)]],
])('responses: %s: each call runs once', async (_, events) => {
  const ran: string[] = [];
  const server = await ownServer((nth, response) => (nth === 1 ? stream(response, events) : said(response)));
  await RESPONSES.provider(server, { model: 'gpt-6-sol', tools: [counting(ran)] }).execute('Count.');
  expect(ran.toSorted()).toEqual(['{"n":0}', '{"n":1}']);
});

test('responses: two calls with the same id both run', async () => {
  const ran: string[] = [];
  const twins = [done(0, { call_id: 'call' }), done(1, { call_id: 'call', id: 'fc_0' })];
  const server = await ownServer((nth, response) =>
    nth === 1 ? stream(response, [...twins, completed([])]) : said(response),
  );
  await RESPONSES.provider(server, { model: 'gpt-6-sol', tools: [counting(ran)] }).execute('Count.');
  expect(ran).toEqual(['{"n":0}', '{"n":1}']);
});

function said(response: ServerResponse): void {
  const content = [{ type: 'output_text', text: 'Done.' }];
  stream(response, [completed([{ type: 'message', role: 'assistant', status: 'completed', content }])]);
}
