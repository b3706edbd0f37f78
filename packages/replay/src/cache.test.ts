import { expect, test } from 'vitest';
import { createCache } from './cache.ts';
import type { ChatMessage } from './chat.ts';
import { type Policy, replay } from './replay.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(user) as [ChatMessage, ChatMessage, ChatMessage, ChatMessage];
const MINUTE = 60_000;
const hundred = () => 100;

test('steps: reads the longest prefix sent before, in steps of 128 tokens', () => {
  const bill = createCache({ type: 'steps', step: 128, minimum: 1024 }, 1000, hundred);
  expect(bill([a])).toEqual({ read: 0, written: 1100, plain: 0 });
  // 1,100 tokens were sent before: 8 steps, 1,024. The other 176 are new.
  expect(bill([a, b])).toEqual({ read: 1024, written: 176, plain: 0 });
  // [a] is known, what follows is not: again 1,100, 8 steps.
  expect(bill([a, c, d])).toEqual({ read: 1024, written: 276, plain: 0 });
  // Not only the request before counts: [a, b] was sent two requests ago; 1,200 tokens are 9 steps, 1,152.
  expect(bill([a, b, c])).toEqual({ read: 1152, written: 148, plain: 0 });
});

test('a prompt below the minimum is neither read nor written', () => {
  const bill = createCache({ type: 'steps', step: 128, minimum: 1024 }, 500, hundred);
  expect(bill([a, b])).toEqual({ read: 0, written: 0, plain: 700 });
  expect(bill([a, b])).toEqual({ read: 0, written: 0, plain: 700 });
});

test('breakpoints: a prefix is found only where one was', () => {
  const bill = createCache({ type: 'breakpoints', minimum: 1024, lookback: 20 }, 2000, hundred);
  expect(bill([a, b, c])).toEqual({ read: 0, written: 2300, plain: 0 });
  expect(bill([a, b, c, d])).toEqual({ read: 2300, written: 100, plain: 0 });
  // A fold keeps [a] and changes the rest. [a] was sent, but no breakpoint stood behind it: only the overhead is read.
  expect(bill([a, d, c])).toEqual({ read: 2000, written: 300, plain: 0 });
});

test('a breakpoint looks back over a number of blocks, including its own', () => {
  const long = Array.from({ length: 30 }, (_, n) => user(String(n)));
  const bill = createCache({ type: 'breakpoints', minimum: 1, lookback: 20 }, 0, hundred);
  bill(long.slice(0, 5));
  // The end is 25 blocks after the old breakpoint, but there is another one where the two requests diverge.
  expect(bill(long)).toEqual({ read: 500, written: 2500, plain: 0 });
  // Half of what both have is nowhere a breakpoint: the nearest one is more than 20 blocks before the place where they part.
  const other = [...long.slice(0, 28), user('x')];
  expect(bill(other)).toEqual({ read: 0, written: 2900, plain: 0 });
});

test('a prefix expires when unused for its lifetime, and reading renews it', () => {
  const bill = createCache({ type: 'breakpoints', minimum: 1, lookback: 20, ttl: 5 * MINUTE }, 1000, hundred);
  bill([a], 0);
  expect(bill([a, b], 4 * MINUTE).read).toBe(1100);
  expect(bill([a, b, c], 8 * MINUTE).read).toBe(1200);
  expect(bill([a, b, c, d], 14 * MINUTE)).toEqual({ read: 0, written: 1400, plain: 0 });
  // Without a time stamp no time has passed.
  expect(bill([a, b, c, d])).toEqual({ read: 1400, written: 0, plain: 0 });
});

test('replay bills by the given rules and times', async () => {
  const says = (content: string): ChatMessage => ({ role: 'assistant', content });
  const messages = [user('1'), says('2'), user('3'), says('4')];
  const everything = (): Policy => ({ view: (history) => history });
  const rules = { type: 'steps', step: 1, minimum: 1, ttl: 5 * MINUTE } as const;
  const price = ({ read, written }: { read: number; written: number }) => read + 10 * written;
  const options = { overhead: 0, size: hundred, billing: { rules, price } };
  // 100 written; then 100 read and 200 written.
  const near = await replay({ messages, times: [0, 1000, 2000, 3000] }, everything, options);
  expect(near.bill).toEqual({ read: 100, written: 300, plain: 0, cost: 1000 + 100 + 2000, timed: 2 });
  // The second answer came ten minutes later: all 300 are written again.
  const late = await replay({ messages, times: [0, 1000, 2000, 10 * MINUTE] }, everything, options);
  expect(late.bill).toEqual({ read: 0, written: 400, plain: 0, cost: 4000, timed: 2 });
  expect((await replay({ messages }, everything, options)).bill).toMatchObject({ read: 100, timed: 0 });
});
