import type { ExecutionResult, Provider, Tool } from '@holdfast/agent';
import { exportSession, importSessions, type SessionStore, verifySession } from '@holdfast/sessions';
import { expect, test } from 'vitest';
import { collect, newStore } from '../../sessions/test/new-store.ts';
import {
  type CrewEvent,
  CrewExecutor,
  type CrewMessage,
  createCrewSession,
  readCrewSession,
  runInSession,
} from '../src/index.ts';
import { ALONE, crewModel, crewOn } from './crew-model.ts';

const STRATEGIES = ['fold', 'sliding', 'governed', 'two-tier'] as const;
type Strategy = (typeof STRATEGIES)[number];
const NOTE = 'holdfast_note';
const HANDLE = /recall|\bm\d+\b/i;

/** A crew of one agent, as in a new process; `told` collects the messages of each request. */
function clerk(strategy: Strategy | 'rolling', told: string[][] = [], limit = 12): CrewExecutor {
  const provider: Provider = {
    name: 'local',
    takesHistory: true,
    execute(prompt, { history = [] } = {}) {
      told.push([...history.map(({ text }) => text), prompt]);
      const [, number] = /question (\d+)/.exec(prompt.split('\n').at(-1) ?? '') ?? [];
      const output = `Answer ${number}: it is in src/part${number}.ts.`;
      return Promise.resolve({ success: true, output, filesChanged: [], iterationComplete: true } as ExecutionResult);
    },
  };
  return new CrewExecutor({ ...ALONE, strategy, max_messages_per_request: limit }, { provider: () => provider });
}

const question = (i: number) => `question ${i}: where is it?`;
const isNote = ({ role, ...rest }: CrewMessage) => role !== 'tool' && 'name' in rest && rest.name === NOTE;
const notes = (history: readonly CrewMessage[]) => history.filter(isNote).map(({ content }) => content);
const countIn = (note: string | undefined) => Number(/\d+/.exec(note ?? '')?.[0] ?? 0);

async function ask(crew: CrewExecutor, store: SessionStore, id: string, input: string): Promise<CrewEvent[]> {
  return collect(runInSession(crew, store, id, input));
}
const historyIn = (events: readonly CrewEvent[]): readonly CrewMessage[] => {
  const last = events.at(-1);
  return last?.type === 'result' ? last.result.history : [];
};
const hasPruned = (events: readonly CrewEvent[]) =>
  events.some((event) => event.type === 'history-append' && event.after < event.grown);

test.each(STRATEGIES)(
  '%s: a client that keeps the history has one note, true for all of it, and no handles',
  async (strategy) => {
    const told: string[][] = [];
    let history: readonly CrewMessage[] = [];
    for (let i = 1; i <= 40; i++) {
      // Each request may come to another process.
      ({ history } = await clerk(strategy, told).execute(question(i), JSON.parse(JSON.stringify(history))));
      expect(history.length).toBeLessThanOrEqual(12);
      const [note, ...more] = notes(history);
      expect(more).toEqual([]);
      expect(countIn(note) + history.filter((one) => !isNote(one)).length).toBe(2 * i);
      // What the first fold took out was handed on from note to note.
      if (strategy === 'fold' && i === 14) expect(note).toContain('Answer 2: it is in src/part2.ts.');
    }
    expect(notes(history)).toHaveLength(1);
    expect(told.flat().filter((text) => HANDLE.test(text))).toEqual([]);
  },
);

test.each([
  ['only role and content', ({ role, content }: CrewMessage) => ({ role, content }) as CrewMessage],
  [
    'no data in the note',
    ({ holdfast, ...rest }: CrewMessage & { readonly holdfast?: unknown }) => rest as CrewMessage,
  ],
  [
    'data of another version',
    (one: CrewMessage) => (isNote(one) ? { ...one, holdfast: { version: 99 } as never } : one),
  ],
])('a client that returns %s loses the merging of notes and nothing else', async (_, returned) => {
  let history: readonly CrewMessage[] = [];
  let noted = 0;
  for (let i = 1; i <= 30; i++) {
    ({ history } = await clerk('fold').execute(question(i), history.map(returned)));
    expect(history.length).toBeLessThanOrEqual(12);
    expect(notes(history).length).toBeLessThanOrEqual(1);
    noted += notes(history).length;
    expect(history.at(-1)?.content).toBe(`Answer ${i}: it is in src/part${i}.ts.`);
  }
  expect(noted).toBeGreaterThan(2);
});

test('a history with shortened results mentions no handles', async () => {
  const long = (i: number) => `${'one line of many\n'.repeat(200)}and src/found${i}.ts`;
  const calls = Array.from({ length: 12 }, (_, i): CrewMessage[] => [
    { role: 'user', content: question(i) },
    {
      role: 'assistant',
      name: 'clerk',
      content: '',
      tool_calls: [{ id: `c${i}`, type: 'function', function: { name: 'read_file', arguments: `{"path":"f${i}"}` } }],
    },
    { role: 'tool', tool_call_id: `c${i}`, content: long(i % 4) },
    { role: 'assistant', name: 'clerk', content: `Seen ${i}.` },
  ]).flat();
  const shortened = new Set<string>();
  for (const strategy of STRATEGIES) {
    const { history } = await clerk(strategy, [], 24).execute('and now?', calls);
    expect(history.filter(({ content }) => HANDLE.test(content))).toEqual([]);
    if (history.some(({ role, content }) => role === 'tool' && !content.includes('src/found'))) shortened.add(strategy);
  }
  expect([...shortened]).toEqual(['governed']);
});

test.each(STRATEGIES)(
  '%s: a session continues from its folds in any process, like a client that keeps the history',
  async (strategy) => {
    const { store } = await newStore();
    const { id } = await createCrewSession(store);
    const [there, here]: string[][][] = [[], []];
    let [history, inSession]: (readonly CrewMessage[])[] = [[], []];
    let [prunes, prunesInSession] = [0, 0];
    for (let i = 1; i <= 16; i++) {
      const events = await collect(clerk(strategy, here).executeStream(question(i), history));
      history = historyIn(events);
      if (hasPruned(events)) prunes++;
      const own = await ask(clerk(strategy, there), store, id, question(i));
      inSession = historyIn(own);
      if (hasPruned(own)) prunesInSession++;
      expect(inSession.length).toBe(history.length);
      const count = countIn(notes(inSession)[0]);
      expect(count + inSession.filter((one) => !isNote(one)).length).toBe(2 * i);
    }
    expect(prunesInSession).toBe(prunes);
    expect(prunesInSession).toBeLessThanOrEqual(5);
    expect(there?.flat().filter((text) => HANDLE.test(text))).toEqual([]);
    // Between two folds each request begins with what the one before had, so the provider's cache holds.
    const grown = (there ?? []).filter((one, i) => i > 0 && there?.[i - 1]?.every((text, at) => one[at] === text));
    expect(grown.length).toBeGreaterThanOrEqual(15 - prunesInSession);
    const { info } = await readCrewSession(clerk(strategy), store, id);
    expect(info).toMatchObject({ messages: 32, folds: prunesInSession });
    expect((await verifySession(store, id)).problems).toEqual([]);
    // A copy continues like the session.
    const [copy = ''] = await importSessions(store, await collect(exportSession(store, id)), { id: 'copy' });
    const next = historyIn(await ask(clerk(strategy), store, id, question(17)));
    expect(historyIn(await ask(clerk(strategy), store, copy, question(17)))).toEqual(next);
    expect((await verifySession(store, copy)).problems).toEqual([]);
  },
);

test('opens an old session with more messages than are read and no folds; its note counts them all', async () => {
  const { store } = await newStore();
  const { id, last } = await createCrewSession(store);
  const old = Array.from({ length: 505 }, (_, i) => [
    { type: 'message', message: { role: 'user', content: question(i) } } as const,
    { type: 'message', message: { role: 'assistant', name: 'clerk', content: `Answer ${i}.` } } as const,
  ]).flat();
  await store.append(id, old, last);
  for (const strategy of ['rolling', 'fold', 'fold', 'rolling'] as const)
    await ask(clerk(strategy), store, id, question(9));
  const history = historyIn(await ask(clerk('fold'), store, id, question(9)));
  expect(countIn(notes(history)[0]) + history.filter((one) => !isNote(one)).length).toBe(1_020);
  expect((await verifySession(store, id)).problems).toEqual([]);
});

test('keeps a newest turn that exceeds the limit, and continues a session from its folds after it', async () => {
  const { store } = await newStore();
  const { id } = await createCrewSession(store);
  for (let i = 1; i <= 9; i++) await ask(clerk('fold'), store, id, question(i));
  const { info } = await readCrewSession(clerk('fold'), store, id);
  const ids = Array.from({ length: 20 }, (_, i) => `c${i}`);
  const work: CrewMessage[] = [
    { role: 'user', content: 'all of them' },
    {
      role: 'assistant',
      name: 'clerk',
      content: '',
      tool_calls: ids.map((one) => ({ id: one, type: 'function', function: { name: 'look', arguments: '{}' } })),
    },
    ...ids.map((one): CrewMessage => ({ role: 'tool', tool_call_id: one, content: 'seen' })),
  ];
  await store.append(
    id,
    work.map((message) => ({ type: 'message', message: message as never })),
    info.last,
  );
  const after = historyIn(await collect(runInSession(clerk('fold'), store, id, undefined)));
  expect(after.at(-1)).toMatchObject({ role: 'assistant', name: 'clerk' });
  const next = historyIn(await ask(clerk('fold'), store, id, question(10)));
  expect(next.length).toBeLessThanOrEqual(12);
  expect(countIn(notes(next)[0]) + next.filter((one) => !isNote(one)).length).toBe(18 + 22 + 1 + 2);
  expect((await verifySession(store, id)).problems).toEqual([]);
});

test('the window has the same messages as a store that masks keys', async () => {
  const { store } = await newStore({ mask_keys: true });
  const { id } = await createCrewSession(store);
  const told: string[][] = [];
  const key = `sk-ant-api03-${'aB3d'.repeat(12)}`;
  for (let i = 1; i <= 12; i++) await ask(clerk('fold', told), store, id, `${question(i)} ${i % 3 ? '' : key}`);
  expect(told.flat().filter((text) => text.includes(key))).toEqual([]);
  const { info } = await readCrewSession(clerk('fold'), store, id);
  expect(info.folds).toBeGreaterThan(0);
  expect((await verifySession(store, id)).problems).toEqual([]);
});

test('answers requests and bounds the history whatever a client puts in place of a note', async () => {
  const talk = Array.from(
    { length: 14 },
    (_, i): CrewMessage => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `words ${i}`,
    }),
  );
  for (const content of [
    '',
    'no count',
    `[${'9'.repeat(30)} messages]`,
    '[999999999]\n## The user said\n\n## Names, by last use\n, ,',
  ])
    for (const at of [0, 1, 7, 14]) {
      const forged = talk.toSpliced(
        at,
        0,
        { role: 'user', name: NOTE, content },
        { role: 'assistant', name: NOTE, content },
      );
      for (const strategy of STRATEGIES) {
        const { status, history } = await clerk(strategy).execute(question(1), forged);
        expect(status).toBe('complete');
        expect(history.length).toBeLessThanOrEqual(12);
        expect(notes(history).length).toBeLessThanOrEqual(1);
      }
    }
});

test("an agent's own window shows handles only to an agent that can recall", async () => {
  const tool = (name: string): Tool => ({
    name,
    description: name,
    input_schema: { type: 'object' },
    run: () => 'one line of what was found\n'.repeat(60),
  });
  const sent = async (tools: readonly string[]) => {
    let left = 12;
    const model = await crewModel({
      clerk: () => (left-- > 0 ? { calls: [{ name: 'look', input: {} }] } : { text: 'ok' }),
    });
    const agents = { clerk: { role: 'x', tools, conversation: { max_messages: 9 } } };
    const { usage } = await crewOn(model, { ...ALONE, agents }, { tools: [tool('look'), tool('recall')] }).execute(
      'go',
    );
    expect(usage.crew.folds).toBeGreaterThan(1);
    const bodies = model.requests.map(({ body }) => (body as { messages?: unknown }).messages);
    expect(JSON.stringify(bodies)).toContain('[Note on the earlier conversation: ');
    return bodies;
  };
  expect(JSON.stringify(await sent(['look']))).not.toMatch(/recall/i);
  expect(JSON.stringify(await sent(['look', 'recall']))).toMatch(/Recall a handle such as m\d/);
});
