import { eachEntry, requestAt, verifySession } from '@holdfast/sessions';
import { expect, test } from 'vitest';
import { newStore } from '../../sessions/test/new-store.ts';
import { type CrewEvent, createCrewSession, readCrewSession, runInSession } from '../src/index.ts';
import { ALONE, crewModel, crewOn } from './crew-model.ts';

async function all(events: AsyncIterable<CrewEvent>): Promise<CrewEvent[]> {
  const list: CrewEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

test('a session keeps every message and the cost, and verifies', async () => {
  const { store } = await newStore();
  const model = await crewModel({ clerk: ({ messages }) => ({ text: `${messages.length} heard` }) });
  const crew = crewOn(model, { ...ALONE, provider: { model: 'claude-sonnet-5' }, max_messages_per_request: 4 });
  const { id } = await createCrewSession(store);
  for (let i = 0; i < 6; i++) await all(runInSession(crew, store, id, `words ${i}`));
  const { info, history, turn } = await readCrewSession(crew, store, id);
  expect(info).toMatchObject({ title: 'words 0', messages: 12, provider: 'crew', dialect: 'openai-chat' });
  expect(info.cost).toBeGreaterThan(0);
  expect(history).toHaveLength(12);
  expect(history.at(-1)).toMatchObject({ role: 'assistant', name: 'clerk', content: '3 heard' });
  expect(turn).toEqual({ type: 'end', agent: 'clerk' });
  expect((await verifySession(store, id)).problems).toEqual([]);
  const sent = model.requests.filter(({ path }) => path === '/v1/messages').map(({ body }) => JSON.stringify(body));
  const kept: string[] = [];
  for await (const { seq } of eachEntry(store, id, { types: ['request'] }))
    kept.push((await requestAt(store, id, seq)).body);
  expect(kept).toEqual(sent);
});

test('refuses the second of two writers to one session, without mixing their messages', async () => {
  const { store } = await newStore();
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let asked = () => {};
  const first = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const model = await crewModel({
    clerk: async ({ messages }) => {
      const words = messages.at(-1)?.text ?? '';
      if (words.includes('slow') && !words.includes('quick')) {
        asked();
        await gate;
      }
      return { text: `done: ${words.split('\n').at(-1)}` };
    },
  });
  const { id } = await createCrewSession(store);
  const slow = all(runInSession(crewOn(model, ALONE), store, id, 'slow'));
  const refused = expect(slow).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
  await first;
  // Another process would do this: the session's own lock is one process's.
  const quick = await all(runInSession(crewOn(model, ALONE), store, id, 'quick'));
  expect(quick.at(-1)).toMatchObject({ result: { status: 'complete', output: 'done: quick' } });
  open();
  await refused;
  const { history } = await readCrewSession(crewOn(model, ALONE), store, id);
  expect(history.map(({ content }) => content)).toEqual(['slow', 'quick', 'done: quick']);
});

test('resumes an interrupted request without an input, and refuses if there is none', async () => {
  const { store } = await newStore();
  const model = await crewModel({ clerk: ({ messages }) => ({ text: `heard ${messages.at(-1)?.text}` }) });
  const crew = crewOn(model, ALONE);
  const { id } = await createCrewSession(store);
  await expect(all(runInSession(crew, store, id, undefined))).rejects.toThrow('waits for the user: pass an input');
  const info = await store.info(id);
  await store.append(
    id,
    [{ type: 'message', message: { role: 'user', content: 'before the crash' } }],
    info?.last ?? 0,
  );
  const events = await all(runInSession(crew, store, id, undefined));
  expect(events.at(-1)).toMatchObject({ result: { status: 'complete', output: 'heard before the crash' } });
  await expect(all(runInSession(crew, store, 'none', 'x'))).rejects.toMatchObject({ code: 'UNKNOWN_SESSION' });
});
