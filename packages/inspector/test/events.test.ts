import { setImmediate as turn } from 'node:timers/promises';
import type { SessionInfo } from '@holdfast/sessions';
import { expect, onTestFinished, test } from 'vitest';
import type { ServerEvent } from '../src/api/types.ts';
import { sessionRow } from '../src/data/session-row.ts';
import { createEventHub } from '../src/events/event-hub.ts';
import { ask, newInspector } from './ask.ts';
import { newStore, writeSession } from './write-session.ts';

/** Reads the events of a stream until `enough` says so. */
async function read(response: Response, enough: (events: readonly ServerEvent[]) => boolean): Promise<ServerEvent[]> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error('no stream');
  const events: ServerEvent[] = [];
  for (let rest = ''; !enough(events); ) {
    const { value, done } = await reader.read();
    if (done) break;
    rest += value;
    for (let at = rest.indexOf('\n\n'); at >= 0; at = rest.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(rest.slice(0, at))?.[1];
      rest = rest.slice(at + 2);
      if (data !== undefined) events.push(JSON.parse(data) as ServerEvent);
    }
  }
  await reader.cancel();
  return events;
}

test('50 readers learn of everything that is written, and the store is checked once for all of them', async () => {
  const store = await newStore();
  const session = await writeSession(store);
  let [looks, atOnce, mostAtOnce] = [0, 0, 0];
  const list: typeof store.list = async (options) => {
    looks++;
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    // Time for the looks of other readers, if there were any.
    await turn();
    const found = await store.list(options);
    atOnce--;
    return found;
  };
  const counted = { ...store, list };
  const inspector = newInspector({ store: counted, pollMs: 20 });
  const streams = await Promise.all(
    Array.from({ length: 50 }, (_, i) => ask(inspector, `events${i % 2 === 0 ? `?session=${session.id}` : ''}`)),
  );
  const until = (last: number) => (events: readonly ServerEvent[]) =>
    events.some((event) =>
      event.type === 'session'
        ? event.last >= last
        : event.type === 'sessions' && (event.sessions[0]?.last ?? 0) >= last,
    );
  // The first look is what readers compare with.
  await expect.poll(() => looks).toBeGreaterThan(1);
  await session.say(...Array.from({ length: 10 }, () => 5));
  const { last = 0 } = (await store.info(session.id)) ?? {};
  const all = await Promise.all(streams.map((response) => read(response, until(last))));
  expect(all).toHaveLength(50);
  for (const [i, events] of all.entries())
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set([i % 2 === 0 ? 'session' : 'sessions']));
  // Not one look for each reader.
  expect(mostAtOnce).toBe(1);
  let known = -1;
  const isIdle = () => {
    const isSame = looks === known;
    known = looks;
    return isSame;
  };
  await expect.poll(isIdle).toBe(true);
});

test('a reader that takes nothing gets one event for many changes, and delays nobody', async () => {
  const store = await newStore();
  const session = await writeSession(store);
  const inspector = newInspector({ store, pollMs: 5 });
  const slow = await ask(inspector, `events?session=${session.id}`);
  const fast = await ask(inspector, `events?session=${session.id}`);
  const seen: ServerEvent[] = [];
  let isOver = false;
  const reading = read(fast, (events) => {
    seen.splice(0, seen.length, ...events);
    return isOver;
  });
  for (let i = 0; i < 30; i++) {
    const { length } = seen;
    await session.say(1);
    await expect.poll(() => seen.length).toBeGreaterThan(length);
  }
  const { last = 0 } = (await store.info(session.id)) ?? {};
  const late = await read(slow, (events) => events.some((event) => event.type === 'session' && event.last === last));
  expect(late.length).toBeLessThan(15);
  isOver = true;
  await session.say(1);
  await reading;
});

test('a reader that never takes anything is dropped, others stay', async () => {
  const store = await newStore();
  const rows = async (infos: readonly SessionInfo[]) => infos.map((info) => sessionRow(info, 0));
  const hub = createEventHub(store, { rows, pollMs: 2, heartbeatMs: 5, stallMs: 20 });
  onTestFinished(() => hub.close());
  const stalled = hub.open()?.getReader();
  const reading = hub.open();
  const taken = reading?.pipeTo(new WritableStream());
  // Heartbeats fill what it may leave unread; then it has a moment.
  await expect.poll(() => hub.readers).toBe(1);
  let chunks = 0;
  while (!(await stalled?.read())?.done) chunks++;
  expect(chunks).toBeLessThan(20);
  hub.close();
  await taken;
  expect(hub.readers).toBe(0);
});

test('readers learn that a session is no longer live', async () => {
  const store = await newStore();
  const session = await writeSession(store);
  let now = Date.now();
  const rows = async (infos: readonly SessionInfo[]) => infos.map((info) => sessionRow(info, now));
  const hub = createEventHub(store, { rows, pollMs: 2 });
  onTestFinished(() => hub.close());
  const streams = [hub.open(), hub.open(session.id)].map((stream) => new Response(stream));
  await session.say(1);
  const lives = ([first]: readonly ServerEvent[]) => first?.type === 'sessions' && first.sessions[0]?.live;
  const [list = new Response()] = streams;
  const seen: ServerEvent[] = [];
  const reading = Promise.all(
    streams.map((stream) =>
      read(stream, (events) => {
        if (stream === list) seen.splice(0, seen.length, ...events);
        return now > Date.now() && events.length > 1;
      }),
    ),
  );
  await expect.poll(() => lives(seen)).toBe(true);
  now += 3_600_000;
  const [all = [], own = []] = await reading;
  expect(all.at(-1)).toMatchObject({ type: 'sessions', sessions: [{ id: session.id, live: false }] });
  expect(own.at(-1)).toMatchObject({ type: 'session', session: session.id });
});

test('a deleted session is gone', async () => {
  const store = await newStore();
  const session = await writeSession(store);
  const inspector = newInspector({ store, pollMs: 5 });
  const response = await ask(inspector, `events?session=${session.id}`);
  await store.delete(session.id);
  const events = await read(response, (all) => all.some(({ type }) => type === 'gone'));
  expect(events.at(-1)).toEqual({ type: 'gone', session: session.id });
});

test('a HEAD request opens no stream', async () => {
  const inspector = newInspector({ store: await newStore() });
  const response = await ask(inspector, 'events', { method: 'HEAD' });
  expect([response.status, response.body]).toEqual([200, null]);
});
