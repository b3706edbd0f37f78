import { describe, expect, test } from 'vitest';
import { timeRatio } from '../../../scripts/time-ratio.ts';
import { ConversationWindow } from '../src/index.ts';
import { dialectOf, FORMATS, type Format, say, type Wire } from './histories.ts';
import { counting } from './promises.ts';
import { agent } from './read-turns.ts';

describe.each(FORMATS)('over thousands of messages in %s', (format) => {
  test('a call reads only new messages, and the view only when it folds', async () => {
    const { dialect, reads } = counting(dialectOf(format));
    const window = new ConversationWindow<Wire>({ max_messages: 60 }, { dialect });
    const history: Wire[] = [];
    for (let i = 0; i < 1_500; i++) {
      history.push(say(format, i % 2 === 0 ? 'user' : 'assistant', `message ${i} about src/file_${i % 50}.ts`));
      const { messages, receipt } = await window.fit(history);
      const allowed = receipt ? 8 * (60 + messages.length) : 4;
      expect(reads(), `at message ${i}`).toBeLessThanOrEqual(allowed);
    }
  });

  test('the state does not grow with the history', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 40 }, { dialect: dialectOf(format) });
    const history: Wire[] = [];
    const sizes: number[] = [];
    // Long enough for notes to have their full length well before the first measurement.
    const more = 'Everything else stays as it was. '.repeat(8).trim();
    for (let i = 0; i < 4_000; i++) {
      history.push(
        say(format, i % 2 === 0 ? 'user' : 'assistant', `message ${i} about src/file_${i % 50}.ts. ${more}`),
      );
      await window.fit(history);
      if (i % 2_000 === 1_999) sizes.push(JSON.stringify(window.state()).length);
    }
    const [first = 0, second = 0] = sizes;
    expect(second).toBeLessThan(first * 1.1);
  });
});

/** A window that has folded a history of this many turns, and a function that passes it the history in new objects. */
async function parsedAnew(format: Format, turns: number) {
  const { dialect, reads } = counting(dialectOf(format));
  const window = new ConversationWindow<Wire>({ max_tokens: 12_000, max_messages: 0 }, { dialect });
  const history = agent(format, turns, 100);
  await window.compact(history);
  const { length } = (await window.fit(history)).messages;
  const copies = Array.from({ length: 40 }, () => structuredClone(history));
  reads();
  const fit = async () => {
    for (const copy of copies) await window.fit(copy);
    return reads() / copies.length;
  };
  return { fit, length };
}

test.each(FORMATS)(
  'a history of 1 MB in %s, parsed again for each call, costs as much as a short one',
  async (format) => {
    const short = await parsedAnew(format, 25);
    const long = await parsedAnew(format, 250);
    expect(await long.fit()).toBeLessThanOrEqual(2 * long.length);
    expect(await timeRatio(long.fit, short.fit, { enough: 1.5 })).toBeLessThan(3);
  },
);

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
