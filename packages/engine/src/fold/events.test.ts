import { describe, expect, test } from 'vitest';
import { anthropicWindow, calls, refused, user } from '../../test/anthropic-calls.ts';
import type { WindowEvent } from '../index.ts';

describe('events', () => {
  test('are not emitted for a preview or a refused call', async () => {
    const events: WindowEvent[] = [];
    const window = anthropicWindow({ max_tokens: 2_000 }, (event) => events.push(event));
    const history = [user('go'), ...calls(3)];
    await window.fit(history);
    events.length = 0;
    await window.compact([user('gone'), ...calls(3)], { preview: true });
    await refused(window.fit([user('x'.repeat(20_000))]));
    expect(events).toEqual([]);
  });

  test('do not undo a fold if their listener throws', async () => {
    const window = anthropicWindow({ max_tokens: 2_000 }, () => {
      throw new Error('listener');
    });
    expect((await window.fit([user('go'), ...calls(20)])).receipt?.fold).toBe(1);
  });
});
