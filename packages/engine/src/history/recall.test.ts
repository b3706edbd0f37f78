import { describe, expect, test, vi } from 'vitest';
import type { Wire } from '../../test/histories.ts';
import { agent, failure, lines, turn, user } from '../../test/read-turns.ts';
import { ConversationWindow, memoryArchive } from '../index.ts';

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
