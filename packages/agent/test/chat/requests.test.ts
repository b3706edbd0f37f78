import {
  eachEntry,
  exportSession,
  forkSession,
  importSessions,
  requestAt,
  requestNumber,
  type SessionStore,
  verifySession,
} from '@holdfast/sessions';
import type { Script } from '@holdfast/stand-in';
import { expect, test } from 'vitest';
import { APIS, type ApiUnderTest, refused } from '../apis.ts';
import { keptStore, talker, talkOf } from './chat-on-stand-in.ts';

const [ANTHROPIC] = APIS as readonly [ApiUnderTest];

async function bodiesIn(store: SessionStore, session: string): Promise<string[]> {
  const bodies: string[] = [];
  for await (const { seq } of eachEntry(store, session, { types: ['request'] }))
    bodies.push((await requestAt(store, session, seq)).body);
  return bodies;
}

async function linesOf(store: SessionStore, session: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportSession(store, session)) lines.push(line);
  return lines;
}

test.each(APIS)(
  'every request can be shown as it was sent: folds, undo, other system prompts, resume: $name',
  async (api) => {
    const talk = await talkOf(api, { max_messages: 0, max_tokens: 3_500 });
    const { store } = talk;
    let chat = await talk.open();
    for (let i = 0; i < 8; i++) await chat.say(`Please look ${i}`);
    await chat.uncompact();
    await chat.say('What was on page 3?');
    await chat.undo();
    await chat.say('Please look 9');
    chat = await talk.open(chat.session);
    await chat.say('Please look 10');
    // Thinking is bound to the system prompt: what is sent under another is without it.
    chat = await talk.open(chat.session, { system: 'Be long.', options: {} });
    await chat.say('Please look 11');
    await chat.compact();
    await chat.say('Thanks');
    chat = await talk.open(chat.session);
    await chat.say('Bye');
    expect(refused(talk.standIn)).toEqual([]);
    const session = chat.session ?? '';
    const sent = talk.sent().map((body) => JSON.stringify(body));
    expect(sent.length).toBeGreaterThan(20);
    expect(await bodiesIn(store, session)).toEqual(sent);
    expect((await chat.info())?.folds).toBeGreaterThan(0);
    expect((await verifySession(store, session)).problems).toEqual([]);
    const last = await requestAt(store, session, (await requestNumber(store, session, -1)) ?? 0);
    expect(last).toMatchObject({ body: sent.at(-1), masked: false, usage: { tokens: { output: expect.any(Number) } } });
    expect(await requestNumber(store, session, sent.length + 1)).toBeUndefined();

    // Copies have them too.
    const fork = await forkSession(store, session);
    expect(await bodiesIn(store, fork)).toEqual(sent);
    expect((await verifySession(store, fork)).problems).toEqual([]);
    const [copy = ''] = await importSessions(store, await linesOf(store, session), { id: 'copy' });
    expect(await bodiesIn(store, copy)).toEqual(sent);
  },
);

test('parts that requests share are stored once', async () => {
  const talk = await talkOf(ANTHROPIC, { max_messages: 0, max_tokens: 60_000 });
  const system = 'A long system prompt. '.repeat(50);
  let chat = await talk.open(undefined, { system });
  for (let i = 0; i < 6; i++) await chat.say(`Please look ${i}`);
  chat = await talk.open(chat.session, { system });
  await chat.say('Please look 7');
  const { store } = talk;
  let bytes = 0;
  const parts: string[] = [];
  for await (const { entry } of eachEntry(store, chat.session ?? '', { types: ['part', 'request'] })) {
    if (entry.type === 'part') parts.push(JSON.stringify(entry.value));
    else bytes += JSON.stringify(entry).length;
  }
  // The system prompt and the tools; the messages are in the log already.
  expect(parts).toHaveLength(2);
  expect(new Set(parts).size).toBe(2);
  const sent = talk.sent();
  expect(bytes / sent.length).toBeLessThan(1_000);
});

test.each(APIS)('each request has its own usage, also while summaries are written: $name', async (api) => {
  const isSummary = (tools: unknown) => tools === undefined;
  const script: Script = (prompt) =>
    prompt.tools.length === 0 ? { text: 'A summary of many words. '.repeat(40) } : talker(prompt);
  const talk = await talkOf(api, { max_messages: 0, max_tokens: 3_500, summarize_on_trim: true }, { script });
  const chat = await talk.open();
  for (let i = 0; i < 24; i++) {
    if (i === 6) talk.standIn.fail('early-end');
    await chat.say(`Please look ${i}`);
  }
  const session = await forkSession(talk.store, chat.session ?? '');
  const used: { readonly summary: boolean; readonly output: number }[] = [];
  let unknown = 0;
  for await (const { seq } of eachEntry(talk.store, session, { types: ['request'] })) {
    const { body, usage } = await requestAt(talk.store, session, seq);
    if (usage) used.push({ summary: isSummary(JSON.parse(body).tools), output: usage.tokens.output });
    else unknown++;
  }
  const summaries = used.filter(({ summary }) => summary);
  expect(summaries.length).toBeGreaterThan(1);
  for (const { summary, output } of used) expect(output > 150, `${output} ${summary}`).toBe(summary);
  expect(unknown).toBeLessThanOrEqual(2);
});

test('with masked keys, stored requests contain no keys, and their hashes match', async () => {
  const key = `sk-ant-api03-${'a1B2c3D4'.repeat(10)}`;
  const store = await keptStore({ mask_keys: true });
  const talk = await talkOf(ANTHROPIC, { max_messages: 0, max_tokens: 60_000 }, { store });
  const chat = await talk.open(undefined, { system: `Use the key ${key} for the server. ${'Be brief. '.repeat(30)}` });
  await chat.say(`My key is ${key}: look 1`);
  expect(JSON.stringify(talk.sent())).toContain(key);
  const session = chat.session ?? '';
  expect((await linesOf(store, session)).join('\n')).not.toContain(key);
  const request = await requestAt(store, session, (await requestNumber(store, session, 1)) ?? 0);
  expect(request).toMatchObject({ masked: true, body: expect.stringContaining('Use the key') });
  expect(request.body).not.toContain(key);
  expect((await verifySession(store, session)).problems).toEqual([]);
});

test('a changed request is detected', async () => {
  const talk = await talkOf(ANTHROPIC, { max_messages: 0, max_tokens: 60_000 });
  const chat = await talk.open();
  await chat.say('Hello');
  const session = chat.session ?? '';
  const lines = (await linesOf(talk.store, session)).map((line) => JSON.parse(line));
  const other = await keptStore();
  await other.create({ id: session });
  const entries = lines.slice(1).map(({ entry }) => (entry.type === 'part' ? { ...entry, value: 'other' } : entry));
  await other.append(session, entries, 0);
  const { problems } = await verifySession(other, session);
  expect(problems).toEqual([
    expect.stringMatching(/^entry \d+: its hash does not match/),
    expect.stringMatching(/^entry \d+: the request is not what was sent/),
  ]);
  const seq = (await requestNumber(other, session, 1)) ?? 0;
  await expect(requestAt(other, session, seq)).rejects.toMatchObject({ code: 'BAD_STORE' });
});
