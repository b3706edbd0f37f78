import { randomBytes } from 'node:crypto';
import { openConversations, postgres, type SessionStore, type WireMessage } from '@holdfast/sessions';
import { anthropic } from 'holdfast';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../sessions/test/postgres-server.ts';
import type {
  CallList,
  FoldDetail,
  MessagePage,
  SearchResult,
  SentRequest,
  SessionList,
  View,
} from '../src/api/types.ts';
import { get, newInspector } from './ask.ts';
import { newStore, writeSession } from './write-session.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

async function postgresStore(): Promise<SessionStore> {
  const store = await postgres({ url: server?.url ?? '', schema: `s${randomBytes(6).toString('hex')}` });
  onTestFinished(() => store.close());
  return store;
}

const LINES = Array.from({ length: 20 }, (_, i) => 30 + (i % 4) * 10);

describe.skipIf(!server)('on Postgres', () => {
  test('a session shows the same as on SQLite', async () => {
    const answers = [];
    for (const store of [await newStore(), await postgresStore()]) {
      const session = await writeSession(store, { id: 'same' });
      await session.say(...LINES);
      await session.travel('undo');
      await session.rewind(19);
      await session.say(50, 50);
      const inspector = newInspector({ store });
      const { calls, folds } = await get<CallList>(inspector, 'sessions/same/calls');
      const read = [calls.map(({ time: _, ...call }) => call), folds.map(({ time: _, ...fold }) => fold)] as unknown[];
      for (const call of [3, 12, calls.length]) {
        read.push(await get<View>(inspector, `sessions/same/view?call=${call}`));
        const page = await get<MessagePage>(inspector, `sessions/same/messages?call=${call}&limit=200`);
        read.push(page.messages.map(({ time: _, ...message }) => message));
        const { time: _, ...request } = await get<SentRequest>(inspector, `sessions/same/requests/${call}`);
        read.push(request);
      }
      const { time: _, ...fold } = await get<FoldDetail>(inspector, 'sessions/same/folds/1');
      const { hits } = await get<SearchResult>(inspector, 'sessions/same/search?q=value_3_1');
      read.push(fold, hits[0]?.index);
      answers.push(read);
    }
    expect(answers[1]).toEqual(answers[0]);
  });

  test('lists, sorts and searches', async () => {
    const store = await postgresStore();
    for (const id of ['a', 'b']) await writeSession(store, { id });
    const inspector = newInspector({ store });
    const first = await get<SessionList>(inspector, 'sessions?limit=1&facets=1');
    expect(first).toMatchObject({ total: 2, kinds: ['chat'], sessions: [{ id: 'b' }] });
    const rest = await get<SessionList>(inspector, `sessions?limit=1&cursor=${first.next}`);
    expect(rest.sessions.map(({ id }) => id)).toEqual(['a']);
    const found = await get<SessionList>(inspector, 'sessions?query=login&sort=cost');
    expect(found.sessions.map(({ id }) => id).sort()).toEqual(['a', 'b']);
  });
});

test('a conversation of an agent framework is shown like any other', async () => {
  const store = await newStore();
  const dialect = anthropic<WireMessage>();
  const conversations = openConversations<WireMessage>({ store, kind: 'integration' });
  onTestFinished(() => conversations.close());
  const messages: WireMessage[] = [{ role: 'user', content: 'Read all parts' }];
  let sent = 0;
  for (let n = 0; n < 20; n++) {
    const bounds = { max_tokens: 6_000, limit: 200_000, reserve: 500 };
    const fitted = await conversations.fit({ owner: 'me', dialect, model: 'claude-opus-5-5', messages, bounds });
    expect(fitted.problem).toBeUndefined();
    sent = fitted.messages.length;
    await fitted.answered({ input_tokens: 3_000, output_tokens: 10 }, { input: 3_000, output: 10 }, 0.01);
    const input = { file_path: `f${n}.ts` };
    const content = `part ${n} `.repeat(300);
    messages.push(
      { role: 'assistant', content: [{ type: 'tool_use', id: `c${n}`, name: 'Read', input }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${n}`, content }] },
    );
  }
  const inspector = newInspector({ store });
  const [row] = (await get<SessionList>(inspector, 'sessions?kind=integration')).sessions;
  expect(row).toMatchObject({ kind: 'integration', title: 'Read all parts' });
  const { calls, folds } = await get<CallList>(inspector, `sessions/${row?.id}/calls`);
  expect(folds.length).toBeGreaterThan(0);
  expect(calls.at(-1)).toMatchObject({ budget: 6_000, sent });
  const view = await get<View>(inspector, `sessions/${row?.id}/view?call=${calls.length}`);
  expect(view.sent).toBe(sent);
  expect(view.note?.lines.some(({ handles }) => handles[0]?.handle.includes('@'))).toBe(true);
});
