import { describe, expect, test } from 'vitest';
import type { Wire } from '../../test/histories.ts';
import { bare, lost } from '../../test/promises.ts';
import { assistant, failure, user } from '../../test/read-turns.ts';
import { ConversationWindow, type WindowEvent } from '../index.ts';

describe('an edited history', () => {
  const config = { max_messages: 12, target: 0.5 };
  const chat = (count: number, tag = '') =>
    Array.from({ length: count }, (_, i) =>
      i % 2 === 0 ? user(`question ${i} ${tag}`) : assistant(`answer ${i} ${tag}`),
    );

  async function folded(): Promise<{
    window: ConversationWindow<Wire>;
    history: Wire[];
    events: WindowEvent[];
    edges: number[];
  }> {
    const events: WindowEvent[] = [];
    const window = new ConversationWindow<Wire>(config, {
      dialect: 'openai-chat',
      onEvent: (event) => events.push(event),
    });
    const history = chat(61);
    const edges: number[] = [];
    for (let n = 1; n <= history.length; n++) if ((await window.fit(history.slice(0, n))).receipt) edges.push(n);
    events.length = 0;
    return { window, history, events, edges };
  }

  test('that lost as many messages as two folds are apart is noticed', async () => {
    const { window, history, events, edges } = await folded();
    const [early = 0, late = 0] = edges.slice(-2);
    const edited = [...history.slice(0, 4), ...history.slice(4 + late - early)];
    const { messages } = await window.fit(edited);
    expect(events[0]?.type).toBe('history-rewritten');
    const fresh = await new ConversationWindow<Wire>(config, { dialect: 'openai-chat' }).fit(edited);
    const said = new Set(edited.map(bare));
    for (const message of messages)
      if (!String(message.content).startsWith('[Note on')) expect(said.has(bare(message)), bare(message)).toBe(true);
    expect(messages.length).toBeGreaterThan(0);
    expect(fresh.messages.length).toBeGreaterThan(0);
  });

  test('that folds again has a note whose handles all work', async () => {
    const { window, history, edges } = await folded();
    const early = edges.at(-3) ?? 0;
    const edited = [...history.slice(0, early + 2), ...chat(20, 'anew')].slice(0, early + 15);
    let note: string | undefined;
    let messages: Wire[] = [];
    for (let n = early + 3; n <= edited.length; n++) {
      const fitted = await window.fit(edited.slice(0, n));
      note = fitted.receipt?.note ?? note;
      messages = fitted.messages;
    }
    expect(note).toBeDefined();
    expect(
      await lost(
        window as never,
        [],
        messages.filter(({ content }) => content !== note),
        note,
      ),
    ).toEqual([]);
  });

  test('that was cut to less than the folded part starts over', async () => {
    const { window, history, events, edges } = await folded();
    for (const length of [Math.max(...edges) - 1, (edges.at(-2) ?? 0) - 2, 3]) {
      events.length = 0;
      const cut = [...history.slice(0, length - 1), user('another way')];
      const { messages } = await window.fit(cut);
      expect(events[0]?.type, `cut to ${length}`).toBe('history-rewritten');
      expect(messages[0]).toEqual(cut[0]);
      expect(messages.at(-1)).toEqual(cut.at(-1));
      expect(
        window.state().turns.reduce((sum, { count }) => sum + count, 0),
        `cut to ${length}`,
      ).toBe(messages.length - (messages.length < cut.length ? 1 : 0));
    }
  });

  test('that is passed in part is refused, with what to do', async () => {
    const { window, history, edges } = await folded();
    const covered = edges.at(-1) ?? 0;
    const edited = history.with(covered - 1, user('other words'));
    const error = await failure(window.fit(edited.slice(covered - 1), { offset: covered - 1 }));
    expect(error).toMatchObject({ code: 'INVALID_HISTORY', details: { rule: 'edited-history' } });
    expect(error.message).toContain('whole history');
  });

  test('refuses an offset beyond the messages seen', async () => {
    const window = new ConversationWindow<Wire>(config, { dialect: 'openai-chat' });
    expect(await failure(window.fit([user('hi')], { offset: 3 }))).toMatchObject({ code: 'INVALID_HISTORY' });
  });

  test('loses thinking that was bound to messages before the edit', async () => {
    const thinking = (n: number): Wire => ({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: `s${n}` },
        { type: 'text', text: `answer ${n}` },
      ],
    });
    const history = [user('one'), thinking(1), user('two'), thinking(3), user('three')];
    const window = new ConversationWindow<Wire>({}, { dialect: 'anthropic' });
    expect((await window.fit(history)).messages).toEqual(history);
    const { messages } = await window.fit(history.with(2, user('two, or rather three')));
    expect(JSON.stringify(messages)).toContain('"s1"');
    expect(JSON.stringify(messages)).not.toContain('"s3"');
    const [first] = (await window.recall('m3')).messages;
    expect(JSON.stringify(first)).toContain('"s3"');
  });

  test('loses thinking that was bound to folded messages', async () => {
    const thinking = (n: number): Wire => ({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: `s${n}` },
        { type: 'text', text: `answer ${n}` },
      ],
    });
    const history = Array.from({ length: 41 }, (_, i) => (i % 2 === 0 ? user(`question ${i}`) : thinking(i)));
    const window = new ConversationWindow<Wire>({ max_messages: 12, target: 0.5 }, { dialect: 'anthropic' });
    const made = new Map<string, string>();
    for (let n = 1; n <= history.length; n += 2) {
      const { messages } = await window.fit(history.slice(0, n));
      made.set(`s${n}`, messages.map(bare).join());
    }
    const { messages } = await window.fit([...history.slice(0, 29), user('Let us go back to here')]); // as after a rewind
    for (const [i, message] of messages.entries()) {
      const [first] = message.content as { signature?: string }[];
      if (first?.signature)
        expect(messages.slice(0, i).map(bare).join(), first.signature).toBe(made.get(first.signature));
    }
  });
});

/** Nine edits and a plan, then many reads that are each too long for all to stay. */
function longPast(): object[] {
  const history: object[] = [{ role: 'user', content: 'Rename the limits.' }];
  for (let i = 0; i < 120; i++) {
    const [name, input] =
      i === 4
        ? ['todo_write', { todos: [{ content: 'measure it', status: 'pending' }] }]
        : i < 10
          ? ['edit_file', { path: `src/early${i}.ts`, old_string: 'a', new_string: 'b' }]
          : ['read_file', { path: `src/f${i}.ts` }];
    const call = { id: `c${i}`, type: 'function', function: { name, arguments: JSON.stringify(input) } };
    history.push({ role: 'assistant', content: null, tool_calls: [call] });
    history.push({ role: 'tool', tool_call_id: `c${i}`, content: i < 10 ? 'edited' : `${'x y z '.repeat(500)}${i}` });
  }
  return history;
}

test('a cold start reports old file changes and counts every call, like a window that saw them all', async () => {
  const history = longPast();
  const config = { max_messages: 0, max_tokens: 20_000, strategy: ['fold', 'two-tier'] } as const;
  const grown = new ConversationWindow<object>({ ...config, tier_thresholds: [8_000, 1_000_000] });
  for (let end = 1; end <= history.length; end += 2) await grown.fit(history.slice(0, end));
  const cold = new ConversationWindow<object>({ ...config, tier_thresholds: [8_000, 1_000_000] });
  await cold.fit(history);
  const facts = (window: ConversationWindow<object>) => {
    const { files = [], tools = [], todos = [] } = window.state().log.at(-1)?.digest ?? {};
    const edits = tools.find(([name]) => name === 'edit_file')?.[1];
    const changed = files.filter(({ since }) => since !== undefined).map(({ path }) => path);
    return { changed: changed.sort(), edits, todos };
  };
  expect(facts(cold)).toEqual(facts(grown));
  expect(facts(cold)).toMatchObject({ edits: 9, changed: { length: 9 }, todos: [['measure it', 9]] });
  const { digest, covered = 0 } = cold.state().log.at(-1) ?? {};
  const kept = (cold.state().log.at(-1)?.kept ?? []).filter(({ from }) => from > 0).length;
  const calls = digest?.tools.reduce((sum, [, uses]) => sum + uses, 0) ?? 0;
  expect(calls + kept).toBeGreaterThanOrEqual((covered - 1) / 2);
});
