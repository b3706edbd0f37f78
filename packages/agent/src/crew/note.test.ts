import { ConversationWindow, type StrategyName } from 'holdfast';
import { expect, test } from 'vitest';
import type { CrewMessage } from './crew.ts';
import { CREW_DIALECT, countOf, isNote } from './note.ts';
import { digestOfNote } from './note-digest.ts';
import { noteState } from './note-state.ts';

let calls = 0;
const user = (content: string): CrewMessage => ({ role: 'user', content });
const says = (content: string): CrewMessage => ({ role: 'assistant', name: 'clerk', content });
function uses(name: string, input: object, content: string): CrewMessage[] {
  const id = `call_${calls++}`;
  return [
    {
      role: 'assistant',
      name: 'clerk',
      content: '',
      tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
    },
    { role: 'tool', tool_call_id: id, content },
  ];
}

/** All that a note can tell of, and all forms in which a result is shortened. */
function work(): CrewMessage[] {
  const code = (name: string) =>
    Array.from({ length: 300 }, (_, i) => (i % 20 ? `  line(${i});` : `export function ${name}${i}(part) {`)).join(
      '\n',
    );
  const list: CrewMessage[] = [user(`Mend src/parser.ts. ${'It matters a lot to us all. '.repeat(60)}`)];
  for (let i = 0; i < 8; i++)
    list.push(
      user(`Then src/part${i}.ts, please: partIsBroken${i} fails at port 80${i}0. ${'Really. '.repeat(80)}`),
      ...uses('todo_write', { todos: [{ content: `check part ${i}`, status: 'pending' }] }, 'ok'),
      ...uses('read_file', { path: `src/part${i}.ts` }, code(`part${i}`)),
      ...uses('read_file', { path: 'src/parser.ts' }, code('parser')),
      ...uses('write_file', { path: `src/part${i}.ts`, content: `part${i}20(1)` }, 'written'),
      ...uses(
        'bash',
        { command: `npm test part${i}` },
        `Error: part${i}40 failed at 3f2a9c1d8b7e6f50${i}\nexit code: 1`,
      ),
      says(`I decided to rewrite part${i}20 in src/part${i}.ts.`),
    );
  return list;
}

async function folded(config: { strategy: StrategyName; max_tokens: number }, history: readonly CrewMessage[]) {
  const window = new ConversationWindow<CrewMessage>({ ...config, max_messages: 60 }, { dialect: CREW_DIALECT });
  return (await window.fit(history)).messages;
}

test('whatever a fold shortens or takes out, nothing speaks of handles', async () => {
  let shortened = 0;
  for (const strategy of ['fold', 'sliding', 'governed', 'two-tier'] as const)
    for (const max_tokens of [2_500, 6_000, 20_000]) {
      const view = await folded({ strategy, max_tokens }, work());
      shortened += view.filter(({ content }) =>
        /\[.* (?:of \d+ (?:characters|lines)|characters)|same result/.test(content),
      ).length;
      expect(view.filter(({ content }) => /recall|\bm\d+[\]:.,)~-]/i.test(content))).toEqual([]);
      expect(view.filter(isNote).length).toBeLessThanOrEqual(1);
    }
  expect(shortened).toBeGreaterThan(20);
});

test('every part of a note is read back: the next fold has its lines and names', async () => {
  const headings = new Set<string>();
  const names = Array.from({ length: 20 }, (_, i) => [
    user('What do you see?'),
    ...uses(
      'look',
      {},
      `some of src/found${i}.ts names foundHere${i} and 409${i}6, ${(0x3f2a9c1d8b7e + i).toString(16)}`,
    ),
    says('I have seen enough of it now, and there is more to look at.'),
  ]).flat();
  for (const [strategy, history] of [
    ['fold', work()],
    ['fold', names],
    ['two-tier', work()],
  ] as const) {
    const view = await folded({ strategy, max_tokens: 12_000 }, history);
    const note = view.find(isNote)?.content ?? '';
    const digest = digestOfNote(note, 50);
    const known = JSON.stringify(digest);
    for (const line of note.split('\n').slice(1)) {
      if (line.startsWith('## ')) headings.add(line.slice(3));
      else for (const word of line.split(/, | ×\d+/)) expect(known).toContain(JSON.stringify(word).slice(1, -1));
    }
  }
  expect([...headings].sort()).toEqual([
    'Commands run',
    'Declared in files read',
    'Files changed',
    'Files read',
    'Hashes, by last use',
    'Last errors',
    'Names, by last use',
    'Numbers, by last use',
    'Open to-dos',
    'Paths, by last use',
    'Said and decided',
    'The user said',
    'Tools used',
  ]);
});

test('a window goes on from a note: the history is the same until the next fold', async () => {
  const view = await folded({ strategy: 'fold', max_tokens: 12_000 }, work());
  const state = await noteState(view);
  const window = new ConversationWindow<CrewMessage>(
    { max_messages: 60 },
    { dialect: CREW_DIALECT, ...(state ? { state } : {}) },
  );
  const { messages } = await window.fit([user('and now?')], { offset: state?.seen ?? 0 });
  expect(messages).toEqual([...view, user('and now?')]);
  expect(await noteState([user('no note')])).toBeUndefined();
});

test.each([
  ['[Note on the earlier conversation: 157 messages were taken out to keep to the limit.]', 157],
  ['[Earlier conversation trimmed — 27 messages removed]\nsince 1999', 27],
  ['nothing\n7', 0],
  [`[${'9'.repeat(12)}]`, 0],
])('%s speaks for %i messages', (note, count) => {
  expect(countOf(note)).toBe(count);
});
