import { expect, test } from 'vitest';
import { readUsage, type SessionEntry } from './entry.ts';
import { advance, newHead } from './log/head.ts';

const calibration = { factor: 1, overhead: 0, samples: 0 };

test('usage that an earlier version stored counts like current usage', () => {
  const window = { seen: 1, sent: 1, calibration };
  const old = {
    type: 'usage',
    tokens: { input: 1, output: 2, cache_read: 30, cache_write: 400 },
    window: { ...window, history_tokens: 77 },
  } as unknown as SessionEntry;
  const now = {
    type: 'usage',
    tokens: { input: 1, output: 2, cacheRead: 30, cacheWrite: 400 },
    window: { ...window, historyTokens: 77 },
  } as unknown as SessionEntry;
  for (const entry of [old, now]) {
    if (entry.type !== 'usage') throw new Error('not usage');
    expect(readUsage(entry)).toEqual({
      tokens: { input: 1, output: 2, cacheRead: 30, cacheWrite: 400 },
      historyTokens: 77,
    });
    const { head, rows } = advance(newHead({ id: 's' }), [entry], 1);
    expect(head.tokens).toBe(433);
    expect(rows[0]?.body).toBe(JSON.stringify(entry));
  }
});
