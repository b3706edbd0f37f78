import { expect, test } from 'vitest';
import type { Wire } from '../../test/histories.ts';
import { agent, assistant, user } from '../../test/read-turns.ts';
import { anthropic, ConversationWindow, noteText } from '../index.ts';

test('budget.asked is true only after tool calls, not in a plain talk', async () => {
  const asked: boolean[] = [];
  const strategy = {
    due: (_: unknown, budget: { asked: boolean }) => asked.push(budget.asked) < 0,
    judge: () => ({ verdicts: [], note: 'none' as const }),
  };
  const window = new ConversationWindow<Wire>({ strategy }, { dialect: 'openai-chat' });
  const talk = [user('hello'), assistant('hi'), user('how are you?'), assistant('well')];
  const history = [
    ...talk,
    user('fix it'),
    ...agent('openai-chat', 1).slice(-2),
    assistant('done'),
    user('thanks'),
    assistant('ok'),
  ];
  for (const n of [1, 3, 5, 7, 9]) await window.fit(history.slice(0, n));
  await window.fit([...history, user('bye')]);
  expect(asked).toEqual([false, false, false, false, true, false]);
});

test('the note comes before remaining thinking, which providers remove before the last user message', async () => {
  const think = (n: number) => ({ type: 'thinking', thinking: `thought ${n} `.repeat(5), signature: `s${n}` });
  const turns = (thoughts: boolean) =>
    Array.from({ length: 60 }, (_, n) => [
      {
        role: 'assistant',
        content: [
          ...(thoughts ? [think(n)] : []),
          { type: 'tool_use', id: `t${n}`, name: 'bash', input: { command: `ls ${n}` } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${n}`, content: `file ${n}\n`.repeat(40) }] },
    ]).flat();
  const place = async (thoughts: boolean) => {
    const dialect = anthropic<Wire>({ thinking: 'free' });
    const window = new ConversationWindow<Wire>({ max_tokens: 6_000, max_messages: 0 }, { dialect });
    const { messages, receipt } = await window.fit([user('look around'), ...turns(thoughts)] as Wire[]);
    const note = messages.findIndex(({ content }) => JSON.stringify(content).includes('[Note on the earlier'));
    const thinking = messages.findIndex(({ content }) => JSON.stringify(content).includes('"thinking"'));
    expect(receipt).toBeDefined();
    return { note, thinking, length: messages.length };
  };
  const without = await place(false);
  expect(without.length - without.note).toBe(3);
  const { note, thinking } = await place(true);
  expect(thinking).toBeGreaterThan(note);
});

test('notes never cut a surrogate pair in half', async () => {
  for (const pad of [715, 716, 717, 718]) {
    const history: object[] = [{ role: 'user', content: 'Go.' }];
    for (let i = 0; i < 12; i++) {
      const words = `u${i}${' '.repeat(pad)}😀 and so on ${'lorem ipsum '.repeat(60)}`;
      history.push({ role: 'assistant', content: words }, { role: 'user', content: words });
    }
    const { messages } = await new ConversationWindow<object>({ max_messages: 8, max_tokens: 3_000 }).fit(history);
    expect(messages.length).toBeLessThan(history.length);
    // JSON text has half a pair as an escape.
    expect(JSON.stringify(messages)).not.toMatch(/\\ud[89a-f]/i);
  }
});

test('there is no note, and none is counted, if the newest message was all thinking', async () => {
  const thinking = { role: 'assistant', content: [{ type: 'thinking', thinking: 'x'.repeat(9_000), signature: 's' }] };
  const window = new ConversationWindow<object>(
    { max_tokens: 1_000, max_messages: 0 },
    { dialect: 'anthropic' as never },
  );
  const { messages, metrics, receipt } = await window.fit([{ role: 'user', content: 'q' }, thinking], { rest: true });
  expect(messages).toEqual([{ role: 'user', content: 'q' }]);
  expect([metrics.preservedMessages, receipt?.note]).toEqual([1, undefined]);
});

test('values come with the words that say what they are; a table of numbers does not fill the note', async () => {
  const history: object[] = [{ role: 'user', content: 'Add them up.' }];
  for (let i = 0; i < 6; i++) {
    const call = {
      id: `c${i}`,
      type: 'function',
      function: { name: 'read', arguments: `{"path":"src/table_${i}.txt"}` },
    };
    const words = 'All the rows that the report of the day has, with their sums and a word on each of them. '.repeat(
      40,
    );
    const rows = Array.from({ length: 2_000 }, (_, row) => 1_000 + row + 2_000 * i).join('\n');
    history.push({ role: 'assistant', content: words, tool_calls: [call] });
    history.push({ role: 'tool', tool_call_id: `c${i}`, content: `{"order_id": ${i < 4 ? 77_313 : 88_888}}\n${rows}` });
  }
  const window = new ConversationWindow<object>({ max_messages: 0, max_tokens: 14_000 });
  await window.fit(history);
  const note = noteText(window.state().log.at(-1)?.note ?? []);
  expect(note).toContain('"order_id: 77313"');
  expect(note.match(/\b\d{4,}\b/g)?.length).toBeLessThan(12);
});

test('the note never separates a system message from the turn that must follow it', async () => {
  const dialect = anthropic<object>();
  for (let reminder = 1; reminder < 12; reminder++) {
    const history: object[] = [{ role: 'user', content: 'Go.' }];
    for (let i = 0; i < 12; i++) {
      history.push({ role: 'assistant', content: [{ type: 'tool_use', id: `a${i}`, name: 'look', input: {} }] });
      history.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: `a${i}`, content: 'seen' }] });
      if (i === reminder) history.push({ role: 'system', content: 'Mind the rules.' });
    }
    for (const strategy of ['fold', 'sliding', 'rolling'] as const) {
      const { messages } = await new ConversationWindow<object>({ max_messages: 10, strategy }, { dialect }).fit(
        history,
      );
      expect(dialect.validate(messages, { part: false })).toEqual([]);
      expect(messages.length).toBeLessThanOrEqual(10);
    }
  }
});

test('only the newest announced step is open; those before it stand under a heading of their own', async () => {
  const history: object[] = [{ role: 'user', content: 'Go.' }];
  for (let i = 0; i < 12; i++) {
    const call = { id: `c${i}`, type: 'function', function: { name: 'look', arguments: '{}' } };
    history.push({ role: 'assistant', content: `I will edit \`part_${i}.ts\` now.`, tool_calls: [call] });
    history.push({ role: 'tool', tool_call_id: `c${i}`, content: 'x '.repeat(3_000) });
  }
  const window = new ConversationWindow<object>({ max_messages: 0, max_tokens: 14_000 });
  await window.fit(history);
  const note = noteText(window.state().log.at(-1)?.note ?? []);
  const [, open = '', earlier = ''] = /## Left open by the assistant\n(.*)\n## Earlier steps\n([^#]*)/.exec(note) ?? [];
  expect(earlier).toContain('part_0.ts');
  const last = Math.max(...[...note.matchAll(/part_(\d+)/g)].map(([, i]) => Number(i)));
  expect(open).toContain(`part_${last}.ts`);
});
