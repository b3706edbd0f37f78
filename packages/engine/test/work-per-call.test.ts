import { describe, expect, test } from 'vitest';
import { ConversationWindow } from '../src/index.ts';
import { dialectOf, FORMATS, type Wire } from './histories.ts';
import { counting } from './promises.ts';

describe.each(FORMATS)('over thousands of messages in %s', (format) => {
  test('a call reads only new messages, and the view only when it folds', async () => {
    const { dialect, reads } = counting(dialectOf(format));
    const window = new ConversationWindow<Wire>({ max_messages: 60 }, { dialect });
    const history: Wire[] = [];
    for (let i = 0; i < 1_500; i++) {
      history.push({ role: i % 2 === 0 ? 'user' : 'assistant', content: `message ${i} about src/file_${i % 50}.ts` });
      const { messages, receipt } = await window.fit(history);
      const allowed = receipt ? 8 * (60 + messages.length) : 4;
      expect(reads(), `at message ${i}`).toBeLessThanOrEqual(allowed);
    }
  });

  test('the state does not grow with the history', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 40 }, { dialect: dialectOf(format) });
    const history: Wire[] = [];
    const sizes: number[] = [];
    for (let i = 0; i < 4_000; i++) {
      history.push({ role: i % 2 === 0 ? 'user' : 'assistant', content: `message ${i} about src/file_${i % 50}.ts` });
      await window.fit(history);
      if (i % 2_000 === 1_999) sizes.push(JSON.stringify(window.state()).length);
    }
    const [first = 0, second = 0] = sizes;
    expect(second).toBeLessThan(first * 1.1);
  });
});

test('a call reads only new messages even if the wire format is unknown', async () => {
  const window = new ConversationWindow<Wire>({ max_messages: 60 });
  const history: Wire[] = Array.from({ length: 3_001 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `m ${i}`,
  }));
  await window.fit(history);
  let looks = 0;
  const watched = new Proxy([...history, { role: 'assistant', content: 'so' }, { role: 'user', content: 'and?' }], {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) looks++;
      return Reflect.get(target, key, receiver);
    },
  });
  await window.fit(watched);
  expect(looks).toBeLessThan(200);
});
