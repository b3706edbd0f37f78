import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openaiChat } from 'holdfast';
import { expect, test } from 'vitest';
import { databaseLines, eachMessage, exportSession, importSessions, isDatabase, verifySession } from '../src/index.ts';
import { collect, newFolder, newStore, said } from './new-store.ts';

async function exported() {
  const { store } = await newStore();
  const { id } = await store.create({ id: 'original' });
  await store.append(
    id,
    [said('first \ud800 \u0000'), { type: 'usage', tokens: { input: 3, output: 4 }, cost: 0.5 }],
    0,
  );
  await store.append(id, [said('second', 'assistant'), { type: 'rewind', to: 1 }, said('again', 'assistant')], 2);
  return { store, id, lines: await collect(exportSession(store, id)) };
}

test('an export comes back the same: numbers, times, hashes and counts', async () => {
  const { store, id, lines } = await exported();
  const { store: other } = await newStore();
  expect(await importSessions(other, lines)).toEqual([id]);
  expect(await other.info(id)).toEqual(await store.info(id));
  expect(await other.read(id)).toEqual(await store.read(id));
  expect((await verifySession(other, id)).problems).toEqual([]);
});

test('a taken id is refused, and another can be chosen', async () => {
  const { store, lines } = await exported();
  await expect(importSessions(store, lines)).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
  expect(await importSessions(store, lines, { id: 'copy' })).toEqual(['copy']);
  expect((await store.info('copy'))?.hash).toBe((await store.info('original'))?.hash);
});

test.each<[string, (lines: string[]) => string[], RegExp]>([
  [
    'a changed word',
    (lines) => lines.map((line) => line.replace('second', 'zecond')),
    /^line 4: entry 3 or one before it was changed/,
  ],
  ['a missing line', (lines) => lines.toSpliced(2, 1), /^line 3: expected entry 2, found 3/],
  [
    'a file that was cut off',
    (lines) => lines.slice(0, -1),
    /^line 5: it ends with entry 4 of 5: the file is truncated/,
  ],
  [
    'half a line',
    (lines) => [...lines.slice(0, -1), lines.at(-1)?.slice(0, 40) ?? ''],
    /^line 6: it is not a session entry/,
  ],
  [
    'a newer version',
    (lines) => [lines[0]?.replace('"version":1', '"version":2') ?? ''],
    /^line 1: it is an export of version 2/,
  ],
  ['nothing', () => [], /^line 1: there is nothing to import/],
  [
    'prose',
    () => ['Dear reader,', 'no JSON here.'],
    /neither a holdfast export nor a list of messages: line 1 is not JSON/,
  ],
])('%s is refused with its line, and nothing is imported', async (_, change, problem) => {
  const { lines } = await exported();
  const { store } = await newStore();
  await expect(importSessions(store, change(lines))).rejects.toThrow(problem);
  expect(await store.list()).toEqual([]);
});

const MODEL_MESSAGES = [
  {
    kind: 'request',
    parts: [
      { part_kind: 'system-prompt', content: 'Be brief.', timestamp: '2026-01-01T00:00:00Z' },
      { part_kind: 'user-prompt', content: 'What is in README.md?', timestamp: '2026-01-01T00:00:00Z' },
    ],
  },
  {
    kind: 'response',
    model_name: 'gemini-2.0-flash',
    usage: { input_tokens: 50, output_tokens: 7 },
    parts: [
      { part_kind: 'thinking', content: 'Let me look.' },
      { part_kind: 'text', content: 'I look.' },
      { part_kind: 'tool-call', tool_name: 'read_file', args: { path: 'README.md' }, tool_call_id: 'c1' },
      { part_kind: 'tool-call', tool_name: 'list', args: '{"dir":"."}', tool_call_id: 'c2' },
    ],
  },
  {
    kind: 'request',
    parts: [
      { part_kind: 'user-prompt', content: ['and', { kind: 'image-url', url: 'https://example.com/a.png' }] },
      { part_kind: 'tool-return', tool_name: 'read_file', content: '# Title', tool_call_id: 'c1' },
      { part_kind: 'retry-prompt', tool_name: 'list', content: [{ msg: 'bad dir' }], tool_call_id: 'c2' },
    ],
  },
  { kind: 'response', parts: [{ part_kind: 'text', content: 'A title.' }] },
];

const CHAT = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'What is in README.md?' },
  {
    role: 'assistant',
    content: 'I look.',
    tool_calls: [
      { id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path":"README.md"}' } },
      { id: 'c2', type: 'function', function: { name: 'list', arguments: '{"dir":"."}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'c1', content: '# Title' },
  { role: 'tool', tool_call_id: 'c2', content: '[{"msg":"bad dir"}]' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'and' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ],
  },
  { role: 'assistant', content: 'A title.' },
];

test('a session database with pydantic-ai messages becomes Chat Completions sessions that an API accepts', async () => {
  const path = join(newFolder(), 'co-cli.db');
  const db = new DatabaseSync(path);
  db.exec(`CREATE TABLE sessions (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, title TEXT,
    messages TEXT NOT NULL)`);
  const add = db.prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, ?)');
  add.run(
    '6b1f0c3e-1111-4222-8333-944445555666',
    1_700_000_000,
    1_700_000_100,
    'README',
    JSON.stringify(MODEL_MESSAGES),
  );
  add.run('second', 1_700_000_200, 1_700_000_300, null, JSON.stringify(MODEL_MESSAGES.slice(0, 1)));
  db.close();
  const { store } = await newStore();
  expect(isDatabase(path)).toBe(true);
  const [id, second] = await importSessions(store, databaseLines(path));
  expect(await store.info(id ?? '')).toMatchObject({
    id: '6b1f0c3e-1111-4222-8333-944445555666',
    title: 'README',
    created: 1_700_000_000_000,
    updated: 1_700_000_100_000,
    messages: 7,
    tokens: 57,
    model: 'gemini-2.0-flash',
    dialect: 'openai-chat',
  });
  const messages = (await collect(eachMessage(store, id ?? ''))).map(({ message }) => message);
  expect(messages).toEqual(CHAT);
  expect(openaiChat<(typeof messages)[number]>().validate(messages)).toEqual([]);
  expect((await store.info(second ?? ''))?.title).toBe('What is in README.md?');
  expect((await verifySession(store, id ?? '')).problems).toEqual([]);
});

test.each([
  ['a list', [JSON.stringify(CHAT, null, 2)].join('').split('\n'), 'openai-chat', 7],
  ['a line each', CHAT.map((one) => JSON.stringify(one)), 'openai-chat', 7],
  [
    'a recording of Anthropic',
    [
      '{"meta":{"format":"anthropic"}}',
      '{"role":"user","content":[{"type":"text","text":"go"}]}',
      '{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}',
      '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}',
    ],
    'anthropic',
    3,
  ],
])('messages as %s are imported unchanged', async (_, lines, dialect, count) => {
  const { store } = await newStore();
  const [id = ''] = await importSessions(store, lines);
  expect(await store.info(id)).toMatchObject({ messages: count, dialect });
});

test('an import replaces a session that was created but never written to', async () => {
  const { store } = await newStore();
  const { id } = await store.create();
  await store.append(id, [said('first')], 0);
  const lines: string[] = [];
  for await (const line of exportSession(store, id)) lines.push(line);
  const { store: other } = await newStore();
  await other.create({ id });
  expect(await importSessions(other, lines)).toEqual([id]);
  await expect(importSessions(other, lines)).rejects.toThrow(/already exists/);
});

test('foreign messages are masked if requested; an export stays unchanged', async () => {
  const key = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
  const { store } = await newStore();
  const thought = [
    { type: 'thinking', thinking: `it is ${key}`, signature: 'c2lnbmVk' },
    { type: 'text', text: 'I see it.' },
  ];
  const list = [
    { role: 'user', content: `my token is ${key}` },
    { role: 'assistant', content: thought },
    { role: 'user', content: [{ type: 'text', text: 'good' }] },
  ];
  const row = { id: 'row', title: key, messages: list };
  await importSessions(store, [JSON.stringify(list)], { id: 'masked', mask_keys: true });
  await importSessions(store, [JSON.stringify([row])], { mask_keys: true });
  const lines = [...(await collect(exportSession(store, 'masked'))), ...(await collect(exportSession(store, 'row')))];
  expect(lines.join('\n')).toContain('my token is [masked]');
  expect(lines.join('\n')).not.toContain(key);
  // A signature does not fit to thinking that was changed.
  expect(await collect(eachMessage(store, 'masked'))).toMatchObject([
    {},
    { message: { content: [{ type: 'text', text: 'I see it.' }] } },
    {},
  ]);
  await importSessions(store, [JSON.stringify(list)], { id: 'plain' });
  const { store: other } = await newStore();
  await importSessions(other, await collect(exportSession(store, 'plain')), { mask_keys: true });
  expect((await other.info('plain'))?.hash).toBe((await store.info('plain'))?.hash);
});
