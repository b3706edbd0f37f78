import { describe, expect, test } from 'vitest';
import { callsPath, NEW_CALLS } from '../app/session/new-calls.ts';
import type {
  Call,
  CallList,
  FoldDetail,
  MessagePage,
  Recall,
  SearchResult,
  SentRequest,
  SessionDetail,
  View,
} from '../src/api/types.ts';
import { get, newInspector, refused } from './ask.ts';
import { newStore, writeSession } from './write-session.ts';

const LINES = Array.from({ length: 24 }, (_, i) => 20 + (i % 5) * 12);

async function folded() {
  const store = await newStore();
  const session = await writeSession(store);
  await session.say(...LINES);
  const inspector = newInspector({ store });
  const { calls, folds } = await get<CallList>(inspector, `sessions/${session.id}/calls`);
  return { store, session, inspector, calls, folds, path: `sessions/${session.id}` };
}

describe('a folded session', () => {
  test('has a gauge: for each call history, view, budget and the folds before it', async () => {
    const { calls, folds, session, inspector, path } = await folded();
    expect(calls).toHaveLength(LINES.length);
    expect(folds.length).toBeGreaterThan(1);
    expect(calls.map(({ call }) => call)).toEqual(LINES.map((_, i) => i + 1));
    expect(calls.flatMap((call) => call.folds)).toEqual(folds.map(({ fold }) => fold));
    for (const { call, fold } of folds.map((mark) => ({ ...mark })))
      expect(calls[(call ?? 0) - 1]?.folds).toContain(fold);
    for (const [i, call] of calls.entries()) {
      expect(call).toMatchObject({ budget: 6_000, messages: 2 * i + 1, requests: 1, sent: session.views[i]?.length });
      expect(call.viewTokens).toBeLessThanOrEqual(6_000);
    }
    expect(calls.at(-1)?.historyTokens).toBeGreaterThan(2 * (calls.at(-1)?.viewTokens ?? 0));
    const detail = await get<SessionDetail>(inspector, path);
    expect(detail).toMatchObject({
      kind: 'chat',
      calls: 24,
      messages: 49,
      budget: 6_000,
      viewMessages: calls.at(-1)?.sent,
      folder: '/home/you/shop',
      live: true,
    });
    expect(detail.costs.spent).toBeCloseTo(0.24);
    const since = calls[18]?.seq ?? 0;
    expect(await get<CallList>(inspector, `${path}/calls?since=${since}`)).toMatchObject({
      since,
      calls: calls.slice(19),
    });
  });

  test('shows for every call the view that was sent, message by message', async () => {
    const { session, inspector, path, calls } = await folded();
    for (const { call, messages: count } of calls) {
      const view = await get<View>(inspector, `${path}/view?call=${call}`);
      const { messages, total } = await get<MessagePage>(inspector, `${path}/messages?call=${call}&limit=200`);
      const sent = session.views[call - 1] ?? [];
      expect([view.messages, view.sent, total, messages.length]).toEqual([count, sent.length, count, count]);
      expect(view.runs.flatMap(({ from, to }) => [from, to]).at(-1)).toBe(count - 1);
      const shown = messages.filter(({ fate }) => fate.type !== 'folded');
      expect(shown.length + (view.note ? 1 : 0)).toBe(sent.length);
      const words = shown.map(({ parts, view: seen = parts }) => seen.map((part) => ('text' in part ? part.text : '')));
      const plain = sent.filter(({ content }) => content !== view.note?.text);
      for (const [i, message] of plain.entries())
        for (const text of words[i]?.filter((one) => one !== '') ?? [])
          expect(JSON.stringify(message)).toContain(JSON.stringify(text).slice(1, -1));
    }
  });

  test('has the exact request of every call', async () => {
    const { session, inspector, path } = await folded();
    for (const [i, messages] of session.views.entries()) {
      const { body, masked } = await get<SentRequest>(inspector, `${path}/requests/${i + 1}`);
      expect(JSON.parse(body)).toEqual({ model: 'claude-opus-5-5', max_tokens: 100, messages });
      expect(masked).toBe(false);
    }
    expect(await refused(inspector, `${path}/requests/99`)).toMatchObject({ status: 404 });
  });

  test('counts the requests since the newest answer', async () => {
    const { session, inspector, path } = await folded();
    const detail = () => get<SessionDetail>(inspector, path);
    expect(await detail()).not.toHaveProperty('unanswered');
    for (const unanswered of [1, 2, 3]) {
      await session.ask();
      expect(await detail()).toMatchObject({ unanswered });
    }
    await session.say(1);
    expect(await detail()).not.toHaveProperty('unanswered');
  });

  test('links each line of the note to messages that were folded', async () => {
    const { inspector, path, calls } = await folded();
    const view = await get<View>(inspector, `${path}/view?call=${calls.length}`);
    const { note } = view;
    const linked = note?.lines.filter(({ section, indexes }) => section !== undefined && indexes.length > 0) ?? [];
    expect(linked.length).toBeGreaterThan(3);
    const kept = new Set(view.runs.flatMap(({ type, from, to }) => (type === 'kept' ? [from, to] : [])));
    for (const { indexes, handles } of linked) {
      expect(handles.length).toBeGreaterThan(0);
      for (const index of indexes) expect(kept.has(index)).toBe(false);
    }
    expect(note?.before).toBe(view.runs.find(({ from }) => from === note?.before)?.from ?? note?.before);
  });

  test('says for each fold what was removed, what was shortened, and what stayed and why', async () => {
    const { inspector, path, folds } = await folded();
    for (const { fold } of folds) {
      const detail = await get<FoldDetail>(inspector, `${path}/folds/${fold}`);
      const count = (verdict: string) => detail.turns.filter((turn) => turn.verdict === verdict).length;
      expect([count('keep'), count('mask'), count('drop')]).toEqual([detail.kept, detail.masked, detail.dropped]);
      expect(detail.after.tokens).toBeLessThan(detail.before.tokens);
      for (const { verdict, why, title, handle } of detail.turns) {
        expect(title).not.toBe('');
        if (verdict === 'keep') expect(why).toMatch(/^(?:pinned|first|newest|room)$/);
        else expect(handle).toMatch(/^m\d/);
      }
      expect(detail.turns.at(-1)?.why).toBe('newest');
      expect(detail.noteAfter?.fold).toBe(fold);
      expect(detail.noteBefore?.fold).toBe(fold === 1 ? undefined : fold - 1);
    }
    expect(await refused(inspector, `${path}/folds/99`)).toMatchObject({ status: 404 });
  });

  test('brings back what was folded, by search and by handle', async () => {
    const { inspector, path, session } = await folded();
    const { hits } = await get<SearchResult>(inspector, `${path}/search?q=value_0_3`);
    expect(hits[0]).toMatchObject({ session: session.id, index: 2 });
    expect(['folded', 'shortened']).toContain(hits[0]?.fate);
    const { runs } = await get<View>(inspector, `${path}/view`);
    const run = runs.find(({ type }) => type === 'folded');
    const recall = await get<Recall>(inspector, `${path}/recall/${encodeURIComponent(run?.handle ?? '')}`);
    expect(recall.messages.map(({ index }) => index)).toEqual(
      Array.from({ length: (run?.to ?? 0) - (run?.from ?? 0) + 1 }, (_, i) => (run?.from ?? 0) + i),
    );
    const one = await get<Recall>(inspector, `${path}/recall/m2.0`);
    expect(one.messages[0]?.parts).toMatchObject([{ type: 'result', id: 'c0', failed: false }]);
    expect(await refused(inspector, `${path}/recall/nonsense`)).toMatchObject({ status: 404 });
    expect(await refused(inspector, `${path}/recall/m999`)).toMatchObject({ status: 404 });
  });
});

test('an undone fold is marked, and the view has its messages again', async () => {
  const { session, inspector, path, folds } = await folded();
  const before = await get<View>(inspector, `${path}/view`);
  expect(await session.travel('undo')).toBe(true);
  const after = await get<View>(inspector, `${path}/view`);
  expect(after.folds).toEqual(before.folds.slice(0, -1));
  expect(after.sent).toBeGreaterThan(before.sent);
  const marks = await get<CallList>(inspector, `${path}/calls`);
  expect(marks.folds.filter(({ undone }) => undone).map(({ fold }) => fold)).toEqual([folds.length]);
  expect(await session.travel('redo')).toBe(true);
  expect(await get<View>(inspector, `${path}/view`)).toEqual(before);
});

test('what is new, added to what was there, is the whole list: also after undo, redo and rewind', async () => {
  const { session, inspector, path } = await folded();
  const load = (query = '') => get<CallList>(inspector, callsPath(path) + query);
  let known = await load();
  const parts: boolean[] = [];
  for (const step of [
    () => session.say(10),
    () => session.say(200, 10),
    () => session.travel('undo'),
    () => session.travel('redo'),
    () => session.say(300, 5),
    () => session.pin(0),
    () => session.rewind(9),
    () => session.say(200, 200, 10),
  ]) {
    await step();
    const more = await load(NEW_CALLS.query(known));
    parts.push(more.calls.length < 9);
    known = NEW_CALLS.merge(known, more);
    expect({ ...known, since: 0 }).toEqual(await load());
  }
  expect(parts).toEqual([true, true, false, false, true, true, false, true]);
  expect(await load('&since=999999')).toEqual(await load());
});

test('a list for a small chart says how many calls there are, and the others can be read one by one', async () => {
  const { inspector, path, calls } = await folded();
  const few = await get<CallList>(inspector, `${path}/calls?most=10`);
  expect(few).toMatchObject({ total: calls.length });
  expect(few.calls.length).toBeLessThan(calls.length);
  for (const call of calls) expect(await get<Call>(inspector, `${path}/calls/${call.call}`)).toEqual(call);
  expect(await refused(inspector, `${path}/calls/${calls.length + 1}`)).toMatchObject({ status: 404 });
});

test('calls before a rewind show the history of their time', async () => {
  const { session, inspector, path, calls } = await folded();
  const before = await get<MessagePage>(inspector, `${path}/messages?call=20&limit=200`);
  await session.rewind(5);
  await session.say(10, 10);
  expect(await get<MessagePage>(inspector, `${path}/messages?call=20&limit=200`)).toEqual(before);
  const list = await get<CallList>(inspector, `${path}/calls`);
  expect(list.calls.filter(({ rewound }) => rewound).map(({ call }) => call)).toEqual(
    calls.filter(({ messages }) => messages > 5).map(({ call }) => call),
  );
  expect(list.folds.every(({ undone }) => undone)).toBe(true);
  const now = await get<MessagePage>(inspector, `${path}/messages`);
  expect(now.total).toBe(9);
});

test('pins are shown, and why a message stayed', async () => {
  const store = await newStore();
  const session = await writeSession(store);
  await session.say(20, 20);
  await session.pin(2);
  await session.say(...LINES);
  const inspector = newInspector({ store });
  const { messages } = await get<MessagePage>(inspector, `sessions/${session.id}/messages?limit=200`);
  expect(messages[2]).toMatchObject({ pinned: true, fate: { type: 'kept', why: 'pinned' } });
  expect(messages[0]?.fate).toMatchObject({ type: 'kept', why: 'first' });
  expect(messages.at(-1)?.fate).toMatchObject({ type: 'kept', why: 'since' });
  // Only the task at the start is first, wherever the note is.
  const gap = messages.findIndex(({ fate }) => fate.type !== 'kept');
  for (const { fate } of messages.slice(gap)) if (fate.type === 'kept') expect(fate.why).not.toBe('first');
  expect((await get<SessionDetail>(inspector, `sessions/${session.id}`)).pins).toEqual([2]);
});

test('pages go both ways, and a long text comes in full only if asked for', async () => {
  const store = await newStore();
  const session = await writeSession(store, { budget: 100_000 });
  await session.say(1_000, 5, 5, 5);
  const inspector = newInspector({ store });
  const path = `sessions/${session.id}/messages`;
  const first = await get<MessagePage>(inspector, `${path}?limit=3`);
  expect(first.messages.map(({ index }) => index)).toEqual([0, 1, 2]);
  expect([first.next, first.total]).toEqual([3, 9]);
  const earlier = await get<MessagePage>(inspector, `${path}?before=3&limit=2`);
  expect(earlier.messages.map(({ index }) => index)).toEqual([1, 2]);
  const [result] = first.messages[2]?.parts ?? [];
  expect(result).toMatchObject({ type: 'result', name: 'Read' });
  const chars = result && 'chars' in result ? (result.chars ?? 0) : 0;
  expect(chars).toBeGreaterThan(20_000);
  const full = await get<MessagePage>(inspector, `${path}?from=2&limit=1&full=1`);
  expect(full.messages[0]?.parts[0]).toMatchObject({ name: 'Read', text: expect.stringMatching(/value_0_999/) });
  expect(await refused(inspector, `${path}?limit=999`)).toMatchObject({ status: 400 });
  expect(await refused(inspector, `${path}?call=99`)).toMatchObject({ status: 404 });
  expect(await refused(inspector, 'sessions/nobody')).toMatchObject({ status: 404 });
});
