import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readTranscript } from './read-transcript.ts';
import type { Recording, TranscriptRemark } from './recording.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-transcripts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
async function read(content: string | Buffer): Promise<{ recordings: Recording[]; remarks: string[] }> {
  const path = join(folder, `${made++}.jsonl`);
  writeFileSync(path, content);
  const recordings: Recording[] = [];
  const remarks: TranscriptRemark[] = [];
  for await (const one of readTranscript(path, { name: 'log', onRemark: (remark) => void remarks.push(remark) }))
    recordings.push(one);
  return { recordings, remarks: remarks.map(({ line, reason, count }) => `${line}: ${reason} ×${count}`) };
}
const jsonl = (...values: unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** The conversation that all forms below tell. */
const CHAT = [
  { role: 'user', content: 'Look at a.ts' },
  {
    role: 'assistant',
    content: 'I will.',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a.ts"}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'alpha' },
  { role: 'assistant', content: 'Done.' },
];
const ANTHROPIC = [
  { role: 'user', content: 'Look at a.ts' },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I will.' },
      { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a.ts' } },
    ],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'alpha' }] },
  { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
];
const RESPONSES = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look at a.ts' }] },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I will.' }] },
  { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a.ts"}' },
  { type: 'function_call_output', call_id: 'c1', output: 'alpha' },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
];
const GEMINI = [
  { role: 'user', parts: [{ text: 'Look at a.ts' }] },
  {
    role: 'model',
    parts: [{ text: 'I will.' }, { functionCall: { id: 'c1', name: 'read', args: { path: 'a.ts' } } }],
  },
  { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'read', response: { output: 'alpha' } } }] },
  { role: 'model', parts: [{ text: 'Done.' }] },
];
const AI_SDK = [
  { role: 'user', content: 'Look at a.ts' },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I will.' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { path: 'a.ts' } },
    ],
  },
  {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'read', output: { type: 'text', value: 'alpha' } }],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
];
const UI_MESSAGES = [
  { id: '1', role: 'user', parts: [{ type: 'text', text: 'Look at a.ts' }] },
  {
    id: '2',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: 'text', text: 'I will.' },
      { type: 'tool-read', toolCallId: 'c1', state: 'output-available', input: { path: 'a.ts' }, output: 'alpha' },
      { type: 'step-start' },
      { type: 'text', text: 'Done.' },
    ],
  },
];

test('messages of each format, one per line, become the same conversation', async () => {
  for (const list of [CHAT, ANTHROPIC, RESPONSES, GEMINI, AI_SDK, UI_MESSAGES]) {
    const { recordings, remarks } = await read(jsonl(...list));
    expect(remarks).toEqual([]);
    expect(recordings).toHaveLength(1);
    expect(recordings[0]).toMatchObject({ name: 'log', form: 'messages', messages: CHAT });
  }
});

test('reads messages of the AI SDK 4, with a call inside the answer', async () => {
  const invocation = { state: 'result', toolCallId: 'c1', toolName: 'read', args: { path: 'a.ts' }, result: 'alpha' };
  const old = [
    { role: 'user', content: 'Look at a.ts' },
    { role: 'assistant', content: '', toolInvocations: [invocation] },
    { role: 'assistant', content: 'Done.', parts: [{ type: 'text', text: 'Done.' }] },
  ];
  const { recordings } = await read(jsonl(...old));
  expect(recordings[0]?.messages).toEqual([CHAT[0], { ...CHAT[1], content: null }, CHAT[2], CHAT[3]]);
});

test('reads a JSON list, one conversation per line, and an indented file', async () => {
  expect((await read(JSON.stringify(ANTHROPIC))).recordings[0]?.messages).toEqual(CHAT);
  expect((await read(JSON.stringify(CHAT, null, 2))).recordings[0]?.messages).toEqual(CHAT);
  const rows = jsonl({ model: 'm1', messages: CHAT }, { input: RESPONSES.slice(0, 4), output: RESPONSES.slice(4) });
  const { recordings } = await read(rows);
  expect(recordings.map(({ name, model }) => [name, model])).toEqual([
    ['log', 'm1'],
    ['log#2', undefined],
  ]);
  for (const { messages } of recordings) expect(messages).toEqual(CHAT);
});

test('joins the requests of one conversation, each longer than the one before', async () => {
  const log = (count: number, prompt_tokens: number) => ({
    request: { model: 'gpt-6-sol', messages: CHAT.slice(0, count) },
    response: { choices: [{ message: CHAT[count] }], usage: { prompt_tokens, completion_tokens: 1 } },
  });
  const other = { model: 'm2', messages: [{ role: 'user', content: 'Another.' }, CHAT[3]] };
  const { recordings, remarks } = await read(jsonl(log(1, 100), log(3, 140), other));
  expect(recordings.map(({ name, model, messages }) => [name, model, messages.length])).toEqual([
    ['log', 'gpt-6-sol', 4],
    ['log#2', 'm2', 2],
  ]);
  expect(recordings[0]).toMatchObject({
    messages: CHAT,
    prompts: [
      { answer: 1, tokens: 100 },
      { answer: 3, tokens: 140 },
    ],
  });
  expect(remarks).toEqual(['2: joined requests that repeat all messages of the previous one ×1']);
});

test('a recorder may state the format, the model and the usage of each call', async () => {
  const meta = {
    format: 'anthropic',
    model: 'claude-opus-5-5',
    usage_per_call: [
      { msg: 1, input_tokens: 3, cache_read_input_tokens: 100 },
      { msg: 3, input_tokens: 120 },
    ],
  };
  const { recordings } = await read(jsonl({ meta }, ...ANTHROPIC));
  const [one] = recordings;
  expect(one).toMatchObject({ model: 'claude-opus-5-5', messages: CHAT });
  expect(one?.prompts).toEqual([
    { answer: 1, tokens: 103 },
    { answer: 3, tokens: 120 },
  ]);
});

const codex = (type: string, payload: unknown, second = 0) => ({
  timestamp: `2026-01-02T03:04:0${second}.000Z`,
  type,
  payload,
});
const usage = (input_tokens: number) =>
  codex('event_msg', {
    type: 'token_count',
    info: { last_token_usage: { input_tokens, cached_input_tokens: 5, output_tokens: 1 } },
  });

test('Codex: items between events, with times and usage; a compaction ends a conversation', async () => {
  const { recordings, remarks } = await read(
    jsonl(
      codex('session_meta', { id: 's', base_instructions: { text: 'Be brief.' } }),
      codex('turn_context', { model: 'gpt-6-sol' }),
      codex('event_msg', { type: 'user_message', message: 'Look at a.ts' }),
      ...RESPONSES.slice(0, 3).map((item, n) => codex('response_item', item, n)),
      usage(100),
      ...RESPONSES.slice(3).map((item, n) => codex('response_item', item, 3 + n)),
      usage(140),
      codex('compacted', { message: 'Summary: a.ts was read.' }),
      codex('response_item', {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'On we go.' }],
      }),
    ),
  );
  expect(remarks).toEqual([]);
  const [first, second] = recordings;
  expect(first).toMatchObject({
    form: 'codex',
    model: 'gpt-6-sol',
    messages: [{ role: 'system', content: 'Be brief.' }, ...CHAT],
  });
  expect(first?.prompts).toEqual([
    { answer: 2, tokens: 100 },
    { answer: 4, tokens: 140 },
  ]);
  expect(first?.times[1]).toBe(Date.parse('2026-01-02T03:04:00.000Z'));
  expect(second?.messages.map(({ content }) => content)).toEqual(['Summary: a.ts was read.', 'On we go.']);
});

test('Codex: turns that the user rolled back are skipped', async () => {
  const say = (role: string, text: string) => codex('response_item', { type: 'message', role, content: text });
  const { recordings, remarks } = await read(
    jsonl(
      say('user', 'one'),
      say('assistant', 'uno'),
      say('user', 'two'),
      say('assistant', 'dos'),
      codex('event_msg', { type: 'thread_rolled_back', num_turns: 1 }),
      say('user', 'three'),
      say('assistant', 'tres'),
    ),
  );
  expect(recordings[0]?.messages.map(({ content }) => content)).toEqual(['one', 'uno', 'three', 'tres']);
  expect(remarks).toEqual(['5: skipped turns that the user rolled back ×1']);
});

test('Holdfast sessions: entries, usage and rewinds', async () => {
  const entry = (seq: number, value: unknown) => ({ seq, time: 1_700_000_000_000 + seq, hash: 'x', entry: value });
  const message = (seq: number, one: unknown) => entry(seq, { type: 'message', message: one });
  const { recordings, remarks } = await read(
    jsonl(
      { holdfast: 'session', version: 1, id: 's', title: '', created: 0, last: 9 },
      entry(1, { type: 'model', provider: 'anthropic-api', model: 'claude-opus-5-5', dialect: 'anthropic' }),
      ...ANTHROPIC.slice(0, 3).map((one, n) => message(2 + n, one)),
      message(5, { role: 'assistant', content: [{ type: 'text', text: 'A wrong turn.' }] }),
      message(6, { role: 'user', content: 'No.' }),
      entry(7, { type: 'rewind', to: 3 }),
      message(8, ANTHROPIC[3]),
      entry(9, { type: 'usage', tokens: { input: 10, output: 1, cacheRead: 90 } }),
    ),
  );
  expect(remarks).toEqual([]);
  expect(recordings).toEqual([
    expect.objectContaining({
      form: 'holdfast',
      model: 'claude-opus-5-5',
      messages: CHAT,
      prompts: [{ answer: 3, tokens: 100 }],
    }),
  ]);
});

test('broken lines are reported by number, and the rest is read', async () => {
  const [ask, call, result, done] = CHAT.map((message) => JSON.stringify(message));
  const { recordings, remarks } = await read(
    [
      ask,
      '{"role":"assistant","content":"cut',
      call,
      '',
      'no JSON',
      result,
      '{"type":"surprise"}',
      '[]',
      '7',
      'null',
      done,
    ].join('\n'),
  );
  expect(recordings).toHaveLength(1);
  expect(recordings[0]?.messages).toEqual(CHAT);
  expect(remarks).toEqual([
    '2: skipped lines that are not JSON (cut off) ×1',
    '5: skipped lines that are not JSON ×1',
    '7: skipped lines of an unknown format ×4',
  ]);
});

test('a file with several formats yields a conversation for each', async () => {
  const { recordings, remarks } = await read(
    jsonl(...CHAT, codex('response_item', RESPONSES[0]), codex('response_item', RESPONSES[4])),
  );
  expect(recordings.map(({ form }) => form)).toEqual(['messages', 'codex']);
  expect(remarks).toEqual(['0: the file contains transcripts in several formats; each is read separately ×1']);
  const mixed = await read(
    jsonl(
      ...ANTHROPIC.slice(0, 3),
      ...CHAT.slice(1, 3).map((one) => JSON.parse(JSON.stringify(one).replaceAll('c1', 'c2'))),
      CHAT[3],
    ),
  );
  expect(mixed.recordings[0]?.messages).toHaveLength(6);
  expect(mixed.remarks).toEqual(['4: the format changes here from anthropic to openai-chat ×1']);
});

test('reads UTF-16, and replaces bytes that are not UTF-8 with a remark', async () => {
  const text = jsonl(...CHAT).replace('Done.', 'Fertig für heute: 終.');
  const utf16 = await read(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]));
  expect(utf16.recordings[0]?.messages.at(-1)?.content).toBe('Fertig für heute: 終.');
  expect(utf16.remarks).toEqual(['0: read the file as utf-16le ×1']);
  const bom = await read(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]));
  expect(bom.remarks).toEqual([]);
  expect(bom.recordings[0]?.messages).toHaveLength(4);
  const latin = await read(Buffer.from(jsonl(...CHAT).replace('Done.', 'Fertig für heute'), 'latin1'));
  expect(latin.recordings[0]?.messages.at(-1)?.content).toBe('Fertig f\ufffdr heute');
  expect(latin.remarks).toEqual(['4: replaced bytes that are not UTF-8 ×1']);
});

test('a line of 40 MB is skipped with a remark, and the rest is read', async () => {
  const [ask, call, result, done] = CHAT.map((message) => JSON.stringify(message));
  const long = JSON.stringify({ role: 'user', content: 'x'.repeat(40 * 2 ** 20) });
  const { recordings, remarks } = await read([ask, call, result, long, done].join('\n'));
  expect(recordings[0]?.messages).toEqual(CHAT);
  expect(remarks).toEqual(['4: skipped a line of 40 MB: the limit is 32 MB ×1']);
});

test('interrupted conversations are repaired, and one without an answer is skipped', async () => {
  const open = await read(jsonl(CHAT[0], CHAT[1], CHAT[3]));
  expect(open.recordings[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  expect(open.remarks).toEqual(['1: repaired a conversation that starts here: unanswered-call ×1']);
  const silent = await read(jsonl(CHAT[0]));
  expect(silent.recordings).toEqual([]);
  expect(silent.remarks).toEqual(['1: skipped a conversation that starts here: no model answered in it ×1']);
  expect(await read('')).toEqual({ recordings: [], remarks: [] });
});
