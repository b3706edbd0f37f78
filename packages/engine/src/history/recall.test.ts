import { describe, expect, test, vi } from 'vitest';
import type { Wire } from '../../test/histories.ts';
import { agent, failure, lines, turn, user } from '../../test/read-turns.ts';
import { ConversationWindow, type Handles, memoryArchive, type WindowParts } from '../index.ts';

describe('recall()', () => {
  test('returns messages, runs and single results', async () => {
    const history = [
      user('go'),
      ...turn('anthropic', 1, lines(300, 1), lines(300, 2)),
      ...agent('anthropic', 30).slice(1),
    ].map((message, i) =>
      i < 3 ? message : JSON.parse(JSON.stringify(message).replaceAll('call', 'later')),
    ) as Wire[];
    const window = new ConversationWindow<Wire>({ max_tokens: 5_000, max_messages: 0 }, { dialect: 'anthropic' });
    await window.fit(history);
    expect((await window.recall('m2')).messages).toEqual([history[2]]);
    expect(await window.recall('m2.1')).toMatchObject({ messages: [history[2]], content: lines(300, 2) });
    expect((await window.recall('m2-m8')).messages).toEqual(history.slice(2, 9));
    expect((await window.recall('m0-m60')).messages).toEqual(history.slice(0, 61));
  });

  test.each(['m999', 'm2.7', 'm0-m999', 'm5-m2', 'x7', '', 'm1~4'])('refuses %j', async (handle) => {
    const window = new ConversationWindow<Wire>({ max_tokens: 5_000, max_messages: 0 }, { dialect: 'anthropic' });
    await window.fit(agent('anthropic', 30));
    expect(await failure(window.recall(handle))).toMatchObject({ code: 'UNKNOWN_HANDLE', details: { handle } });
  });

  test('finds messages in an archive of the caller', async () => {
    const archive = memoryArchive<Wire>();
    const put = vi.spyOn(archive, 'put');
    const history = agent('anthropic', 30);
    const window = new ConversationWindow<Wire>(
      { max_tokens: 5_000, max_messages: 0 },
      { dialect: 'anthropic', archive },
    );
    await window.fit(history);
    expect(put).toHaveBeenCalled();
    expect(await archive.get('m1')).toEqual(history[1]);
  });

  test('refuses one archive for two conversations before anything is lost', async () => {
    const archive = memoryArchive<Wire>();
    const config = { max_tokens: 5_000, max_messages: 0 };
    const history = agent('anthropic', 30);
    const other = history.map((message, i) =>
      i < 3 ? JSON.parse(JSON.stringify(message).replaceAll('value', 'other')) : message,
    );
    await new ConversationWindow<Wire>(config, { dialect: 'anthropic', archive }).fit(history);
    const error = await failure(new ConversationWindow<Wire>(config, { dialect: 'anthropic', archive }).fit(other));
    expect(error.code).toBe('STORE_CONFLICT');
  });

  test('a failing archive fails the fold, and the next call tries again', async () => {
    const archive = { put: vi.fn().mockRejectedValueOnce(new Error('disk full')), get: () => undefined };
    const window = new ConversationWindow<Wire>(
      { max_tokens: 5_000, max_messages: 0 },
      { dialect: 'anthropic', archive },
    );
    const history = agent('anthropic', 30);
    await expect(window.fit(history)).rejects.toThrow('disk full');
    const { receipt, metrics } = await window.fit(history);
    expect(receipt?.fold).toBe(1);
    expect(metrics.estimatedTokens).toBeLessThanOrEqual(5_000);
  });
});

describe('handles with a scope', () => {
  const config = { max_tokens: 5_000, max_messages: 0 };
  const history = agent('anthropic', 30);
  const open = (parts: WindowParts<Wire> = {}) =>
    new ConversationWindow<Wire>(config, { dialect: 'anthropic', handles: { scope: 'k7' }, ...parts });

  test('appear everywhere in the view, the receipt and the archive, and work with or without it', async () => {
    const archive = memoryArchive<Wire>();
    const window = open({ archive });
    const { messages, receipt } = await window.fit(history);
    const printed = JSON.stringify([messages, receipt]).match(/\bm\d+(?:-m\d+)?(?:\.\d+)?(?:@\w+)?/g) ?? [];
    expect(printed.length).toBeGreaterThan(10);
    expect(printed.filter((handle) => !handle.endsWith('@k7'))).toEqual([]);
    expect(await archive.get('m1@k7')).toEqual(history[1]);
    expect(await archive.get('m1')).toBeUndefined();
    for (const handle of ['m1', 'm1@k7']) expect((await window.recall(handle)).messages).toEqual([history[1]]);
    expect((await window.recall('m1-m8@k7')).messages).toEqual(history.slice(1, 9));
    const error = await failure(window.recall('m1@other'));
    expect(error).toMatchObject({ code: 'UNKNOWN_HANDLE', message: expect.stringContaining('another conversation') });
  });

  test('of a restored window stay, and messages that come later get the new scope', async () => {
    const archive = memoryArchive<Wire>();
    const window = open({ archive });
    await window.fit(history);
    const state = JSON.parse(JSON.stringify(window.state()));
    const same = open({ archive, state });
    expect(same.state()).toEqual(window.state());
    const later = open({ archive, state, handles: { scope: 'n2' } });
    const longer = agent('anthropic', 90);
    const { messages } = await later.fit(longer);
    expect(JSON.stringify(messages)).toMatch(/@k7.*@n2/s);
    for (const handle of ['m5', 'm5@k7']) expect((await later.recall(handle)).messages).toEqual([longer[5]]);
    expect((await later.recall('m70@n2')).messages).toEqual([longer[70]]);
    expect((await failure(later.recall('m70@k7'))).code).toBe('UNKNOWN_HANDLE');
  });

  test('keep it when the history is rewritten', async () => {
    const window = open();
    await window.fit(history);
    const edited = [user('another start'), ...history.slice(1, 5), ...history.slice(7)];
    const { messages } = await window.fit(edited);
    expect(JSON.stringify(messages)).toMatch(/m\d+~1@k7/);
    expect((await window.recall('m5@k7')).messages).toEqual([history[5]]);
    expect((await window.recall('m5~1@k7')).messages).toEqual([history[7]]);
  });

  test('say how this model recalls, in one line', async () => {
    const how = 'Call the tool\nmcp__x__recall [with {handle}].';
    const { receipt } = await open({ handles: { scope: 'k7', how } }).fit(history);
    expect(receipt?.note).toMatch(/ tools said\. Call the tool mcp__x__recall \(with m\d+@k7\)\.\]\n## /);
    expect(receipt?.note).not.toContain('Recall a handle');
  });

  test('are left out with handles: false', async () => {
    const { messages } = await open({ handles: false }).fit(history);
    expect(JSON.stringify(messages)).not.toMatch(/recall|\bm\d+[~@.:]/i);
  });

  test.each([{ scope: '' }, { scope: 'a b' }, { scope: 'x'.repeat(41) }, { how: 7 }, { how: 'x'.repeat(401) }, 'yes'])(
    'refuse %j',
    (handles) => {
      expect(() => open({ handles: handles as Handles })).toThrow(/^handles/);
    },
  );

  test('refuse a state with an invalid scope', () => {
    const state = { ...open().state(), revisions: [[0, 0, 'a b'] as const] };
    expect(() => open({ state })).toThrow('invalid scope');
  });
});
