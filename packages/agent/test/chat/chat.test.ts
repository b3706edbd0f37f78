import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  eachEntry,
  eachMessage,
  importSessions,
  messageText,
  type SessionEntry,
  type SessionStore,
  verifySession,
} from '@holdfast/sessions';
import type { Prompt, Script } from '@holdfast/stand-in';
import { anthropic, hashMessage, isHoldfastError } from 'holdfast';
import { describe, expect, test } from 'vitest';
import { firstLine } from '../../../../scripts/first-line.ts';
import type { ToolRequest } from '../../src/chat/index.ts';
import type { Tool } from '../../src/index.ts';
import { APIS, type ApiUnderTest, refused } from '../apis.ts';
import { keptStore, type Talk, talker, talkOf } from './chat-on-stand-in.ts';
import { look } from './look-tool.ts';

const CHILD = fileURLToPath(new URL('chat-child.ts', import.meta.url));
const [ANTHROPIC] = APIS as readonly [ApiUnderTest];
const ROOMY = { max_messages: 0, max_tokens: 60_000 };

const textOf = async (store: SessionStore, session = '') => {
  const texts: string[] = [];
  for await (const { message } of eachMessage(store, session)) texts.push(messageText(message));
  return texts;
};

/** A message of more levels than any reader can follow. */
const DEEP = `{"type":"message","message":{"role":"user","content":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;

describe('messages', () => {
  test.each(APIS)('every message is in the log when a request is sent: $name', async (api) => {
    const store = await keptStore();
    const missing: string[] = [];
    const talk = await talkOf(api, ROOMY, {
      store,
      async script(prompt) {
        const [info] = await store.list();
        const kept = (await textOf(store, info?.id)).join('\n');
        for (const { text, results } of prompt.messages)
          for (const said of [text, ...results.map((result) => result.text)])
            if (said !== '' && !kept.includes(said.trim())) missing.push(said);
        return talker(prompt);
      },
    });
    const chat = await talk.open();
    for (const prompt of ['Please look 1', 'And now look 2', 'Thanks']) await chat.say(prompt);
    expect(missing).toEqual([]);
    expect(talk.sent()).toHaveLength(5);
    expect((await textOf(store, chat.session)).length).toBeGreaterThanOrEqual(10);
    expect(await chat.info()).toMatchObject({ title: 'Please look 1', provider: api.name, model: api.models[0] });
  });

  test('a session is created with its first prompt, unless that was never sent', async () => {
    const talk = await talkOf(ANTHROPIC, ROOMY);
    const chat = await talk.open();
    expect(chat.session).toBeUndefined();
    expect((await chat.context()).messages).toBe(0);
    expect(await chat.say('   ')).toMatchObject({ success: false });
    expect([chat.session, await talk.store.list()]).toEqual([undefined, []]);
    await chat.say('Hello');
    expect(await talk.store.list()).toMatchObject([{ id: chat.session, messages: 2 }]);
  });

  test('a prompt too large for any window is withdrawn, and the conversation continues', async () => {
    const talk = await talkOf(ANTHROPIC, { max_messages: 0, max_tokens: 4_000 });
    const chat = await talk.open();
    await chat.say('Hello');
    const result = await chat.say('x '.repeat(40_000));
    expect(result).toMatchObject({ success: false, errorCategory: 'context_overflow' });
    expect((await chat.info())?.messages).toBe(2);
    expect(await chat.say('Still there?')).toMatchObject({ success: true });
  });

  test('an interrupt keeps the turn and the answer so far', async () => {
    const stop = new AbortController();
    const talk = await talkOf(ANTHROPIC, ROOMY, { script: () => ({ text: 'word '.repeat(20_000) }) });
    const chat = await talk.open();
    const result = await chat.say('Tell me everything', {
      signal: stop.signal,
      onEvent: ({ type }) => type === 'text-delta' && stop.abort(),
    });
    expect(result).toMatchObject({ success: false, errorCategory: 'cancelled' });
    const [prompt, answer] = await textOf(talk.store, chat.session);
    expect(prompt).toBe('Tell me everything');
    expect(answer).toMatch(/^word .*\n\n\[interrupted\]$/s);
    const again = await talk.open(chat.session);
    expect(await again.say('Shorter, please')).toMatchObject({ success: true });
    expect(JSON.stringify(talk.sent().at(-1))).toContain('[interrupted]');
    expect(refused(talk.standIn)).toEqual([]);
  });

  test('calls interrupted by a crash are reported, and the conversation stays valid', async () => {
    const store = await keptStore();
    const talk = await talkOf(ANTHROPIC, ROOMY, { store });
    const chat = await talk.open(undefined, { tools: [{ ...look, run: () => new Promise<string>(() => {}) }] });
    const asked = new Promise(
      (resolve) => void chat.say('Please look 3', { onEvent: ({ type }) => type === 'call-start' && resolve(0) }),
    );
    await asked;
    // The process is gone; another opens the session.
    const again = await talk.open(chat.session);
    expect(again.restored).toMatchObject({
      interrupted: 'the process ended during look: the model will be informed',
      turns: 2,
    });
    expect(await again.say('Once more')).toMatchObject({ success: true });
    expect(JSON.stringify(talk.sent().at(-1))).toContain('may have been done, in whole or in part');
    expect(refused(talk.standIn)).toEqual([]);
    expect((await verifySession(store, chat.session ?? '')).problems).toEqual([]);
  });

  test('a second writer is refused with both numbers and loses nothing; then it has the first one’s messages', async () => {
    const talk = await talkOf(ANTHROPIC, ROOMY);
    const one = await talk.open();
    await one.say('First');
    const two = await talk.open(one.session);
    await one.say('Second');
    const refusal = await two.say('Third').catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'STORE_CONFLICT' });
    expect(String(refusal)).toMatch(/ends with entry \d+, but this writer has seen \d+/);
    expect(await two.say('Third')).toMatchObject({ success: true });
    const kept = (await textOf(talk.store, one.session)).filter((_, i) => i % 2 === 0);
    expect(kept).toEqual(['First', 'Second', 'Third']);
    expect((await verifySession(talk.store, one.session ?? '')).problems).toEqual([]);
  });

  test('with mask_keys no key reaches the disk, and the window has what the log has', async () => {
    const key = `sk-ant-${'a1B2'.repeat(12)}`;
    const store = await keptStore({ mask_keys: true });
    const talk = await talkOf(
      ANTHROPIC,
      { max_messages: 0, max_tokens: 3_500 },
      { store, script: (prompt) => ({ ...talker(prompt), thinking: `the key is ${key}` }) },
    );
    let session: string | undefined;
    for (let i = 0; i < 12; i++) {
      const chat = await talk.open(session);
      expect(await chat.say(`Please look ${i}, the key is ${key}`)).toMatchObject({ success: true });
      ({ session } = chat);
    }
    for await (const { entry } of eachEntry(store, session ?? '')) expect(JSON.stringify(entry)).not.toContain(key);
    expect((await store.info(session ?? ''))?.folds).toBeGreaterThan(0);
    expect(refused(talk.standIn)).toEqual([]);
    expect((await verifySession(store, session ?? '')).problems).toEqual([]);
  });
});

test('an answer that ends in white space causes no error', async () => {
  const talk = await talkOf(
    ANTHROPIC,
    { max_messages: 8 },
    { script: ({ messages }) => ({ text: `${messages.length} \n` }) },
  );
  let chat = await talk.open();
  for (const prompt of ['One', 'Two', 'Three', 'Four']) {
    expect(await chat.say(prompt)).toMatchObject({ success: true });
    expect((await chat.context()).messages).toBeGreaterThan(1);
    await chat.compact();
    await chat.uncompact();
    chat = await talk.open(chat.session);
  }
  expect((await verifySession(talk.store, chat.session ?? '')).problems).toEqual([]);
});

/** A chat in the middle of a tool call, which ends with `go`. */
async function waiting(talk: Talk) {
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const asked: unknown[] = [];
  const slow: Tool = { ...look, repeatable: false, run: () => gate.then(() => 'done after all') };
  const chat = await talk.open(undefined, { tools: [slow] });
  const answer = chat.say('Please look 3', { onEvent: (event) => event.type === 'call-start' && asked.push(event) });
  await expect.poll(() => asked.length).toBe(1);
  return { chat, answer, go };
}

test.each(APIS)('opening a chat sends nothing, even if the window of its model is unknown: $name', async (api) => {
  const talk = await talkOf(api, { max_messages: 0, max_tokens: 3_500 });
  const chat = await talk.open();
  for (let i = 0; i < 6; i++) await chat.say(`Please look ${i}`);
  const before = talk.standIn.requests.length;
  const model = 'unknown-model';
  const speaker = { provider: api.provider(talk.standIn, { model }), name: api.name, model };
  const opened = await talk.open(chat.session, { speaker });
  expect(opened.restored?.messages).toBeGreaterThanOrEqual(24);
  expect(talk.standIn.requests).toHaveLength(before);
  await opened.context();
  expect(talk.standIn.requests.length).toBeGreaterThan(before);
});

test('opening a session that another process holds changes nothing in it', async () => {
  const talk = await talkOf(ANTHROPIC, ROOMY);
  const { chat, answer, go } = await waiting(talk);
  const other = await talk.open(chat.session);
  expect(other.restored?.interrupted).toContain('look');
  await other.context();
  go();
  expect(await answer).toMatchObject({ success: true });
  expect(JSON.stringify(talk.sent().at(-1))).toContain('done after all');
});

test('writing to a session while another process waits for a tool blocks neither', async () => {
  const talk = await talkOf(ANTHROPIC, ROOMY);
  const { chat, answer, go } = await waiting(talk);
  const other = await talk.open(chat.session);
  expect(await other.say('I could not wait')).toMatchObject({ success: true });
  go();
  expect(await answer).toMatchObject({ success: false });
  expect(await chat.say('And now?')).toMatchObject({ success: true });
  expect(refused(talk.standIn)).toEqual([]);
  expect((await verifySession(talk.store, chat.session ?? '')).problems).toEqual([]);
});

describe('tools', () => {
  const write: Tool = { ...look, name: 'look', repeatable: false, run: () => 'written' };

  test('those that change something ask first; the model learns about a refusal', async () => {
    const talk = await talkOf(ANTHROPIC, ROOMY);
    const asked: ToolRequest[] = [];
    const answers = [{ refused: 'not on a Sunday' }, 'once', { always: { tool: 'look' } }] as const;
    const chat = await talk.open(undefined, {
      tools: [write],
      approve: async (call) => answers[asked.push(call) - 1] ?? { refused: 'asked too often' },
    });
    for (const page of [1, 2, 3, 4]) await chat.say(`Please look ${page}`);
    expect(asked.map(({ name, input }) => [name, input])).toEqual([1, 2, 3].map((page) => ['look', { page }]));
    const said = JSON.stringify(talk.sent().at(-1));
    expect(said).toContain('Not run: the user refused it: not on a Sunday');
    expect(said.split('written')).toHaveLength(4);
  });

  test('those that only read do not ask', async () => {
    const talk = await talkOf(ANTHROPIC, ROOMY);
    const chat = await talk.open(undefined, { approve: () => Promise.reject(new Error('asked')) });
    await chat.say('Please look 1');
    expect(JSON.stringify(talk.sent().at(-1))).toContain('the word is w97');
  });

  test('the model finds folded messages by words and by handle, and only those of its session', async () => {
    const talk = await talkOf(
      ANTHROPIC,
      { max_messages: 0, max_tokens: 3_500 },
      {
        script(prompt) {
          const asked = prompt.messages.at(-1);
          const recall = /^recall (\{.*\})$/.exec(asked?.text ?? '')?.[1];
          return recall && prompt.results.length === 0
            ? { calls: [{ name: 'recall', input: JSON.parse(recall) }] }
            : talker(prompt);
        },
      },
    );
    const other = await talk.open();
    await other.say('Please look 1');
    const chat = await talk.open();
    for (let i = 2; i < 16; i++) await chat.say(`Please look ${i}`);
    const sent = () => JSON.stringify(talk.sent().at(-1));
    await chat.say('recall {"words":"w205"}');
    expect(sent()).toMatch(/\[m2, lines \d+ to \d+\]\\npage 2, line \d+/);
    await chat.say('recall {"handle":"m2"}');
    expect(sent()).toContain('page 2, line 39');
    await chat.say('recall {"words":"w107"}');
    expect(sent()).toContain('Nothing in this session contains w107');
    await chat.say('recall {}');
    expect(sent()).toContain('pass `handle`, or `words`');
    expect((await chat.recall('w205')).hits.map(({ index }) => index)).toContain(2);
    expect((await chat.recall('m2')).message?.index).toBe(2);
  });
});

describe('undo', () => {
  test('goes back to before a turn, sends what was sent then, and keeps everything in the log', async () => {
    const talk = await talkOf(ANTHROPIC, ROOMY);
    const chat = await talk.open();
    await chat.say('Please look 1');
    await chat.say('Please look 2');
    const before = talk.sent().at(-1) as { messages: unknown[] };
    expect(await chat.undo()).toEqual({ prompt: 'Please look 2', messages: 4, folds: 0 });
    await chat.say('Please look 2');
    expect(talk.sent().at(-1)).toEqual(before);
    expect(await chat.undo()).toMatchObject({ messages: 4 });
    expect(await chat.undo()).toMatchObject({ prompt: 'Please look 1' });
    expect(await chat.undo()).toBeUndefined();
    let messages = 0;
    for await (const { entry } of eachEntry(talk.store, chat.session ?? '')) if (entry.type === 'message') messages++;
    expect(messages).toBe(12);
  });

  test('redo brings turns back as they were, without a request, until the next prompt', async () => {
    const talk = await talkOf(ANTHROPIC, ROOMY);
    const chat = await talk.open();
    await chat.say('Please look 1');
    await chat.say('Please look 2');
    const all = await chat.said(10);
    const requests = talk.sent().length;
    expect(await chat.redo()).toBeUndefined();
    await chat.undo();
    await chat.undo();
    expect(await chat.redo()).toEqual({ prompt: 'Please look 1', messages: 4 });
    expect(await chat.redo()).toEqual({ prompt: 'Please look 2', messages: 4 });
    expect(await chat.redo()).toBeUndefined();
    // As new messages, under new names.
    expect(await chat.said(10)).toEqual(all.map((one) => ({ ...one, handle: expect.any(String) })));
    expect(talk.sent()).toHaveLength(requests);
    const before = talk.sent().at(-1) as { messages: unknown[] };
    await chat.say('Please look 3');
    const { messages } = talk.sent().at(-1) as { messages: { role: string }[] };
    expect(messages.length).toBeGreaterThan(before.messages.length);
    expect(JSON.stringify(messages)).toContain('Please look 2');
    await chat.undo();
    await chat.say('Please look 4');
    expect(await chat.redo()).toBeUndefined();
  });

  test.each(['sssCsuUu', 'sssCusUr', 'ssssCsCuUUrsu', 'ssUUddsUds', 'sssCUdCsUUdd'])(
    'verify finds no problem after %s',
    async (deeds) => {
      const talk = await talkOf(ANTHROPIC, ROOMY);
      const chat = await talk.open();
      for (const [at, deed] of [...deeds].entries()) {
        if (deed === 's') await chat.say(`Please look ${at}`);
        else if (deed === 'C') await chat.compact();
        else if (deed === 'u') await chat.uncompact();
        else if (deed === 'r') await chat.recompact();
        else if (deed === 'd') await chat.redo();
        else await chat.undo();
        expect((await verifySession(talk.store, chat.session ?? '')).problems).toEqual([]);
      }
    },
  );

  test('reports which folds it undid or redid', async () => {
    const talk = await talkOf(ANTHROPIC, ROOMY);
    const chat = await talk.open();
    for (let i = 0; i < 4; i++) await chat.say(`Please look ${i}`);
    await chat.compact();
    expect(await chat.undo()).toMatchObject({ folds: 1 });
    await chat.compact();
    await chat.say('Please look 9');
    await chat.uncompact();
    expect(await chat.undo()).toMatchObject({ folds: -1 });
    expect(await chat.info()).toMatchObject({ folds: 1 });
  });

  test('pins of remaining messages are kept', async () => {
    const talk = await talkOf(ANTHROPIC, ROOMY);
    const chat = await talk.open();
    await chat.say('One');
    await chat.say('Two');
    await chat.pin(0);
    await chat.pin(2);
    await chat.undo();
    expect((await chat.said(10)).map(({ pinned }) => pinned)).toEqual([true, false]);
    await chat.say('Another');
    expect((await chat.said(10)).map(({ pinned }) => pinned)).toEqual([true, false, false, false]);
  });

  test('a fork is independent of its original', async () => {
    const talk = await talkOf(ANTHROPIC, { max_messages: 0, max_tokens: 3_500 });
    const chat = await talk.open();
    for (let i = 0; i < 10; i++) await chat.say(`Please look ${i}`);
    for (let i = 0; i < 4; i++) await chat.undo();
    await chat.say('Please look 20');
    const first = await talk.open(await chat.fork());
    const fork = await talk.open(await first.fork());
    expect(fork.session).not.toBe(chat.session);
    await chat.say('Here');
    await fork.say('There');
    const [one, other] = talk.sent().slice(-2) as { messages: unknown[] }[];
    expect(other?.messages.slice(0, -1)).toEqual(one?.messages.slice(0, -1));
    expect((await verifySession(talk.store, fork.session ?? '')).problems).toEqual([]);
  });

  test('a pin survives folds and restarts', async () => {
    const talk = await talkOf(ANTHROPIC, { max_messages: 0, max_tokens: 3_500 });
    let chat = await talk.open();
    await chat.say('Hello');
    await chat.say('The word of the day is quagmire');
    expect(await chat.pin()).toMatchObject({ index: 2, pinned: true });
    for (let i = 0; i < 12; i++) {
      await chat.say(`Please look ${i}`);
      chat = await talk.open(chat.session);
    }
    expect(JSON.stringify(talk.sent().at(-1))).toContain('quagmire');
    expect((await chat.said(100)).filter(({ pinned }) => pinned)).toMatchObject([{ index: 2, role: 'user' }]);
    expect((await chat.context()).parts.pins).toBeGreaterThan(0);
    await chat.unpin(2);
    await expect(chat.unpin(2)).rejects.toThrow('message 2 is not pinned');
    await expect(chat.pin(9_999)).rejects.toThrow('there is no message 9999');
  });
});

describe('resuming', () => {
  test('fold, kill, resume, undo: restores the exact view from before', async () => {
    const store = await keptStore();
    const model = 'claude-haiku-4-5';
    const talk = await talkOf(ANTHROPIC, {}, { store, model });
    const child = spawn(process.execPath, [
      '--conditions=@holdfast/source',
      CHILD,
      store.path,
      talk.standIn.url,
      model,
    ]);
    const { session, fold } = JSON.parse(await firstLine(child));
    expect(fold).toBe(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { messages: before } = talk.sent().at(-1) as { messages: unknown[] };
    /** Without cache markers, which move. */
    const plain = (messages: readonly unknown[]) => messages.map((message) => hashMessage(anthropic(), message));
    const chat = await talk.open(session, { options: { thinking: false } });
    expect(chat.restored).toMatchObject({ messages: 32, note: expect.stringContaining('taken out') });
    expect(await chat.uncompact()).toMatchObject({ reason: 'undo' });
    await chat.say('What now?');
    const { messages: after } = talk.sent().at(-1) as { messages: unknown[] };
    expect(plain(after.slice(0, before.length))).toEqual(plain(before));
    expect(after).toHaveLength(before.length + 2);
    expect(await chat.recompact()).toMatchObject({ reason: 'redo', fold: 1 });
  });

  test('reports turns, folded turns, tokens and the note', async () => {
    const talk = await talkOf(ANTHROPIC, { max_messages: 0, max_tokens: 3_500 });
    const chat = await talk.open();
    for (let i = 0; i < 12; i++) await chat.say(`Please look ${i}`);
    const { restored } = await talk.open(chat.session);
    const { folds } = await chat.context();
    expect(folds).toBeGreaterThan(1);
    const { turns = 0, folded = 0, messages, tokens, note } = restored ?? {};
    expect(messages).toBe(48);
    // A prompt, a call with its result and an answer are three turns; some are masked but still there.
    expect(turns + folded).toBeGreaterThanOrEqual(36);
    expect(tokens).toBe((await chat.context()).total);
    expect(note).toContain('w');
  });

  test.each([
    ['a message was changed', `UPDATE entry SET body = replace(body, 'page 5, line 7', 'page 5, line 8')`],
    ['the newest entries are gone', 'DELETE FROM entry WHERE seq > 40'],
    ['an entry is gone', 'DELETE FROM entry WHERE seq = 20'],
    ['an entry is not JSON', `UPDATE entry SET body = 'x' WHERE seq = 20`],
    ['an entry is truncated', 'UPDATE entry SET body = substr(body, 1, 20) WHERE seq = 20'],
    ['an entry lacks its fields', `UPDATE entry SET body = '{"type":"' || type || '"}' WHERE seq = 20`],
    ['an entry is of another type', `UPDATE entry SET body = '{"type":"pin","index":0}' WHERE seq = 20`],
    ['an entry is nested too deep', `UPDATE entry SET body = '${DEEP}', type = 'message' WHERE seq = 20`],
  ])('fails if %s, and names the entry', async (_, sql) => {
    const { DatabaseSync } = await import('node:sqlite');
    const store = await keptStore();
    const talk = await talkOf(ANTHROPIC, ROOMY, { store });
    const chat = await talk.open();
    for (let i = 0; i < 12; i++) await chat.say(`Please look ${i}`);
    const database = new DatabaseSync(store.path, { enableForeignKeyConstraints: false });
    const table = database
      .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%body%'`)
      .all()[0]?.name;
    expect(database.prepare(sql.replace('entry', String(table))).run().changes).toBeGreaterThan(0);
    database.close();
    const failure = await talk.open(chat.session).catch((error: unknown) => error);
    expect(isHoldfastError(failure) && failure.code).toBe('BAD_STORE');
    expect(String(failure)).toMatch(
      /(?:is inconsistent: .*entry \d+|entry 20 .*is broken: |ends with \d+).*holdfast sessions verify/s,
    );
  });

  test.each([
    ['as texts', (text: string): unknown => text],
    ['as blocks', (text: string): unknown => [{ type: 'text', text }]],
  ])('text imported %s can continue with any provider', async (_, content) => {
    for (const api of APIS.slice(0, 2)) {
      const talk = await talkOf(api, ROOMY);
      const list = [
        { role: 'user', content: content('Hello') },
        { role: 'assistant', content: content('Hi ') },
      ];
      const [id] = await importSessions(talk.store, [JSON.stringify(list)]);
      const chat = await talk.open(id);
      expect(await chat.say('And now?')).toMatchObject({ success: true });
      expect(refused(talk.standIn)).toEqual([]);
    }
  });

  test('a session of another wire format is refused with what to do', async () => {
    const talk = await talkOf(ANTHROPIC, ROOMY);
    const chat = await talk.open();
    await chat.say('Hello');
    const [, other] = APIS as readonly [ApiUnderTest, ApiUnderTest];
    const speaker = { provider: other.provider(talk.standIn), name: 'openai-api', model: other.models[0] };
    const wrong = /openai-api cannot .* held in the wire format anthropic: use --provider anthropic-api$/;
    await expect(talk.open(chat.session, { speaker })).rejects.toThrow(wrong);
    await expect(chat.use(speaker)).rejects.toThrow(wrong);
    expect(await chat.say('Still me?')).toMatchObject({ success: true });
    const { id } = await talk.store.create();
    const entries: SessionEntry[] = [
      { type: 'model', provider: 'imported', model: 'gemini', dialect: 'openai-chat' },
      { type: 'message', message: { role: 'user', content: 'Hello' } },
    ];
    await talk.store.append(id, entries, 0);
    await expect(talk.open(id)).rejects.toThrow(/openai-chat: use --provider openai-api$/);
  });

  test('a crew’s session stays the crew’s', async () => {
    const talk = await talkOf(APIS[1] as ApiUnderTest, ROOMY);
    const { id } = await talk.store.create();
    await talk.store.append(id, [{ type: 'model', provider: 'crew', model: 'crew', dialect: 'openai-chat' }], 0);
    await expect(talk.open(id)).rejects.toThrow(`belongs to a crew: holdfast crew run FILE "…" --session ${id}`);
    expect(await talk.store.info(id)).toMatchObject({ provider: 'crew', messages: 0 });
  });
});

test.each([
  ['by a digest', {}],
  ['by a summary', { summarize_on_trim: true }],
] as const)(
  'compact() halves 50 short messages, %s, and says why it does nothing the second time',
  async (_, config) => {
    const script: Script = (prompt) => summaryOf(prompt) ?? talker(prompt);
    const summaryOf = ({ messages: [said], tools }: Prompt) =>
      tools.length === 0 && said?.text.includes('<conversation>') ? { text: 'The user said hello.' } : undefined;
    const talk = await talkOf(ANTHROPIC, { max_messages: 100, ...config }, { script });
    const chat = await talk.open();
    for (let i = 0; i < 25; i++) await chat.say(`Hello number ${i}`);
    const preview = await chat.compact({ preview: true });
    const receipt = await chat.compact();
    expect(receipt).toMatchObject({ fold: 1, before: preview.before });
    expect(receipt.before.messages).toBe(50);
    expect(receipt.after.messages).toBeLessThanOrEqual(25);
    const size = (tokens: number) => tokens - receipt.reserve;
    expect(size(receipt.after.tokens)).toBeLessThan(0.7 * size(receipt.before.tokens));
    expect(receipt.summary).toBe('summarize_on_trim' in config ? 'The user said hello.' : undefined);
    expect(await chat.compact()).toMatchObject({ fold: 0, why: 'nothing has been said since the last fold' });
    expect((await chat.context()).messages).toBe(receipt.after.messages);
    await chat.say('And now?');
    expect(refused(talk.standIn)).toEqual([]);
    expect((await verifySession(talk.store, chat.session ?? '')).problems).toEqual([]);
  },
);
