import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { createCallIds } from '../../../loop/received-call.ts';
import { createChatReader } from './answer.ts';

interface Delta {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** The calls that these deltas make, each in a chunk of its own. */
function callsOf(...deltas: readonly Delta[]) {
  const reader = createChatReader(() => {}, createCallIds([], /\S/));
  const chunk = (delta: object, finish_reason: string | null = null) =>
    ({ model: 'm', choices: [{ index: 0, delta, finish_reason }] }) as unknown as OpenAI.ChatCompletionChunk;
  for (const delta of deltas) reader.take(chunk({ tool_calls: [delta] }));
  reader.take(chunk({}, 'tool_calls'));
  return reader.answer(undefined).calls.map(({ id, name, input }) => [id, name, input]);
}

const read = (args: string) => ({ name: 'read', arguments: args });
const TWO = [
  ['a', 'read', { n: 1 }],
  ['b', 'read', { n: 2 }],
];

test('deltas without an index are distinguished by their ids', () => {
  expect(
    callsOf(
      { id: 'a', function: read('{"n"') },
      { function: { arguments: ':1}' } },
      { id: 'b', function: read('{"n":') },
      { function: { arguments: '2}' } },
    ),
  ).toEqual(TWO);
});

test('calls that all have index 0 are distinguished by their ids', () => {
  expect(
    callsOf({ index: 0, id: 'a', function: read('{"n":1}') }, { index: 0, id: 'b', function: read('{"n":2}') }),
  ).toEqual(TWO);
});

test('without index and id, a name after complete arguments starts the next call', () => {
  const calls = callsOf({ function: read('{"n":1}') }, { function: read('{"n":') }, { function: { arguments: '2}' } });
  expect(calls.map(([, name, input]) => [name, input])).toEqual(TWO.map(([, name, input]) => [name, input]));
});

test('an id or a name repeated in each delta does not start a new call', () => {
  expect(
    callsOf(
      { index: 0, id: 'a', function: read('') },
      { index: 0, id: 'a', function: read('{"n":') },
      { index: 0, id: 'other', function: { arguments: '1}' } },
    ),
  ).toEqual([['a', 'read', { n: 1 }]]);
});

test('interleaved deltas go to their own calls', () => {
  expect(
    callsOf(
      { index: 0, id: 'a', function: read('') },
      { index: 1, id: 'b', function: read('{"n":2') },
      { index: 0, function: { arguments: '{"n":1}' } },
      { index: 1, function: { arguments: '}' } },
    ),
  ).toEqual(TWO);
});

test('chunks without choices and choices without a delta are ignored', () => {
  const reader = createChatReader(() => {}, createCallIds([], /\S/));
  const chunks = [
    { model: 'm', usage: { prompt_tokens: 7 } },
    { model: 'm', choices: [{ delta: { content: 'Hi.' }, finish_reason: null }] },
    { model: 'm', choices: [{ finish_reason: 'stop' }] },
  ];
  for (const chunk of chunks) reader.take(chunk as unknown as OpenAI.ChatCompletionChunk);
  expect(reader.answer(undefined)).toMatchObject({ text: 'Hi.', stop: 'end' });
  expect(reader.report()).toMatchObject({ usage: { prompt_tokens: 7 } });
});
