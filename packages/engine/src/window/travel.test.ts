import { describe, expect, test } from 'vitest';
import { call, long, show } from '../../test/file-reads.ts';
import { dialectOf, type Wire } from '../../test/histories.ts';
import { violationsOf } from '../../test/promises.ts';
import { ConversationWindow, isHoldfastError, memoryArchive, type WindowEvent } from '../index.ts';

describe('undo and redo', () => {
  test('undo the newest fold and redo it, byte for byte', async () => {
    const events: WindowEvent[] = [];
    const window = new ConversationWindow<Wire>({ max_messages: 20 }, { onEvent: (event) => events.push(event) });
    const history = long(8);
    const whole = await window.fit(history);
    history.push(...call(8), ...call(9));
    const folded = await window.fit(history);
    expect(folded.receipt?.fold).toBe(1);
    const undone = await window.undo();
    expect(undone).toMatchObject({ reason: 'undo', before: folded.receipt?.after, turns: [] });
    const before = await window.fit(history);
    expect(show(before.messages)).toBe(show(history));
    expect(show(before.messages.slice(0, whole.messages.length))).toBe(show(whole.messages));
    expect(before.receipt).toBeUndefined();
    await window.redo();
    expect(show((await window.fit(history)).messages)).toBe(show(folded.messages));
    expect(await window.redo()).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual(['fold-end', 'fold-undo', 'fold-redo']);
  });

  test('after an undo, the next fold waits until the view has grown by as much as the fold freed', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 20, target: 0.5 });
    const history = long(10);
    await window.fit(history);
    await window.undo();
    let folds = 0;
    let calls = 0;
    while (folds === 0 && calls < 20) {
      history.push(...call(100 + calls++));
      if ((await window.fit(history)).receipt) folds++;
    }
    expect(history.length).toBe(33);
  });

  test('after an undo, a view above the limit folds immediately', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 0, max_tokens: 2_500, limit: 3_500 });
    const history = long(10);
    expect((await window.fit(history)).receipt).toBeDefined();
    await window.undo();
    history.push(...call(20, 3_000));
    const { receipt, metrics } = await window.fit(history);
    expect(receipt?.reason).toBe('tokens');
    expect(metrics.estimatedTokens).toBeLessThanOrEqual(2_500);
  });

  test('an undo that would exceed the limit is refused with the sizes, and nothing changes', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 0, limit: 3_000 });
    const history = long(11);
    const { messages } = await window.fit(history);
    const state = JSON.stringify(window.state());
    const refusal = await window.undo().catch((error: unknown) => error);
    expect(isHoldfastError(refusal) && refusal.code).toBe('OVER_BUDGET');
    expect(String(refusal)).toMatch(
      /undo refused: without the fold the view has \d+ tokens \(23 messages\), the limit is 3000/,
    );
    expect(JSON.stringify(window.state())).toBe(state);
    expect(show((await window.fit(history)).messages)).toBe(show(messages));
  });

  test.each([{ max_messages: 20 }, { max_messages: 0, max_tokens: 3_000 }, {}])(
    'a window restored after an undo continues like the original, with %j',
    async (given) => {
      const parts = { archive: memoryArchive<Wire>() };
      const living = new ConversationWindow<Wire>(given, parts);
      const history = long(60);
      await living.fit(history);
      await living.undo();
      const state = JSON.parse(JSON.stringify(living.state()));
      const restored = new ConversationWindow<Wire>(given, { ...parts, state });
      expect(JSON.parse(JSON.stringify(restored.state()))).toEqual(state);
      for (let i = 100; i < 130; i++) {
        history.push(...call(i));
        const [one, other] = [await living.fit(history), await restored.fit(history)];
        expect(other.receipt?.fold).toBe(one.receipt?.fold);
        expect(show(other.messages)).toBe(show(one.messages));
      }
    },
  );

  test('nothing to undo is not an error', async () => {
    const window = new ConversationWindow<Wire>();
    expect(await window.undo()).toBeUndefined();
    await window.fit(long(2));
    expect(await window.undo()).toBeUndefined();
    expect(await window.redo()).toBeUndefined();
  });

  test('a fold or an edit of the history discards what could be redone', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 20 });
    const history = long(10);
    await window.fit(history);
    await window.undo();
    await window.compact(history);
    expect(await window.redo()).toBeUndefined();
    await window.undo();
    await window.fit([{ role: 'user', content: 'Something else.' }, ...history.slice(1)]);
    expect(await window.redo()).toBeUndefined();
  });

  test('goes as far back as the log reaches, one fold at a time', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 12 });
    const history = long(2);
    let folds = 0;
    for (let i = 2; i < 60; i++) {
      history.push(...call(i));
      if ((await window.fit(history)).receipt) folds++;
    }
    expect(folds).toBeGreaterThan(9);
    let undone = 0;
    while (await window.undo()) undone++;
    expect(undone).toBe(7);
    const { messages } = await window.fit(history);
    expect(violationsOf('openai-chat', messages)).toEqual([]);
    let redone = 0;
    while (await window.redo()) redone++;
    expect(redone).toBe(7);
  });

  test('says which original is missing from the archive', async () => {
    const archive = { ...memoryArchive<Wire>(), get: () => undefined };
    const window = new ConversationWindow<Wire>({ max_messages: 20 }, { archive });
    await window.fit(long(10));
    await expect(window.undo()).rejects.toMatchObject({ code: 'UNKNOWN_HANDLE' });
  });

  test('bound thinking that a fold removed never comes back', async () => {
    const dialect = dialectOf('anthropic');
    const window = new ConversationWindow<Wire>({ max_messages: 10, preserve_last_n: 2 }, { dialect });
    const turn = (i: number): Wire[] => [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: `hm ${i}`, signature: `s${i}` },
          { type: 'tool_use', id: `t${i}`, name: 'Read', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${i}`, content: `file ${i}` }] },
    ];
    const history: Wire[] = [{ role: 'user', content: 'go' }, ...Array.from({ length: 5 }, (_, i) => turn(i)).flat()];
    await window.fit(history);
    history.push(...turn(8));
    await window.fit(history);
    await window.undo();
    const { messages } = await window.fit(history);
    expect(messages).toHaveLength(history.length);
    expect(show(messages)).not.toContain('thinking');
    expect((await window.recall('m11')).messages[0]).toEqual(history[11]);
  });
});
