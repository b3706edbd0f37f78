import { describe, expect, test } from 'vitest';
import { call, long, show } from '../../test/file-reads.ts';
import type { Wire } from '../../test/histories.ts';
import { bare } from '../../test/promises.ts';
import { ConversationWindow, isHoldfastError, type Receipt, type WindowEvent } from '../index.ts';

describe('pins', () => {
  const config = { max_messages: 20, max_tokens: 8_000 };

  test('no fold touches a pinned message', async () => {
    const window = new ConversationWindow<Wire>(config);
    const history = long(4);
    await window.fit(history);
    window.pin(4);
    const receipts: Receipt[] = [];
    for (let i = 4; i < 60; i++) {
      history.push(...call(i, 2_000));
      const { messages, receipt } = await window.fit(history);
      expect(messages).toContain(history[3]);
      expect(messages).toContain(history[4]);
      if (receipt) receipts.push(receipt);
    }
    expect(receipts.length).toBeGreaterThan(3);
    window.unpin(4);
    await window.compact([...history, { role: 'user', content: 'And now?' }]);
    expect(window.state().view).not.toContain(history[4]);
  });

  test('pins are part of the state', async () => {
    const window = new ConversationWindow<Wire>(config);
    const history = long(4);
    await window.fit(history);
    window.pin(2);
    const later = new ConversationWindow<Wire>(config, { state: JSON.parse(JSON.stringify(window.state())) });
    for (let i = 4; i < 40; i++) history.push(...call(i));
    const { messages } = await later.fit(history);
    expect(messages.map(bare)).toContain(bare(history[2] as Wire));
  });

  test('pins take at most half of the budget', async () => {
    const window = new ConversationWindow<Wire>(config);
    await window.fit(long(8));
    window.pin(2);
    window.pin(4);
    window.pin(6);
    window.pin(8);
    window.pin(10);
    expect(() => window.pin(12)).toThrow(
      /would raise pins to \d+ tokens and 12 messages, over half of the budget \(4000 and 10\)/,
    );
    expect(window.state().pins).toEqual([2, 4, 6, 8, 10]);
  });

  test('redo refuses a fold that would remove a newer pin', async () => {
    const window = new ConversationWindow<Wire>(config);
    const history = long(15);
    await window.fit(history);
    await window.undo();
    window.pin(1);
    await expect(window.redo()).rejects.toThrow(/message 1 is pinned, but the fold to redo removes it: unpin it first/);
    expect((await window.fit(history)).messages).toContain(history[1]);
    window.unpin(1);
    expect(await window.redo()).toMatchObject({ reason: 'redo' });
  });

  test('an edit drops the pins of removed messages, reports them, and keeps the others', async () => {
    const events: WindowEvent[] = [];
    const window = new ConversationWindow<Wire>(config, { onEvent: (event) => events.push(event) });
    const history = long(4);
    await window.fit(history);
    window.pin(4);
    window.pin(6);
    const edited = [...history];
    edited[6] = { ...(history[6] as Wire), content: 'another result' };
    edited[2] = { ...(history[2] as Wire), content: 'an earlier one' };
    await window.fit(edited);
    expect(window.state().pins).toEqual([4]);
    expect(events).toMatchObject([{ type: 'history-rewritten', index: 2, pinsLost: [6] }]);
  });

  test('pinning a folded message fails and says what to do', async () => {
    const window = new ConversationWindow<Wire>(config);
    await window.fit(long(15));
    expect(() => window.pin(3)).toThrow(/message 3 is folded away: undo\(\) that fold first/);
    expect(() => window.pin(-1)).toThrow(/message -1 is not an index of the history/);
  });

  test('a message can be pinned before it arrives; one that is too large is named', async () => {
    const window = new ConversationWindow<Wire>(config);
    window.pin(1);
    const { messages } = await window.fit(long(40));
    expect(messages.some((message) => show([message]).includes('src/f0.ts'))).toBe(true);
    const other = new ConversationWindow<Wire>(config);
    other.pin(2);
    const refusal = await other
      .fit([{ role: 'user', content: 'go' }, ...call(1, 40_000), { role: 'user', content: 'on' }])
      .catch((error: unknown) => error);
    expect(isHoldfastError(refusal) && refusal.code).toBe('BAD_PIN');
    expect(String(refusal)).toContain('message 2 would raise pins to');
  });
});
