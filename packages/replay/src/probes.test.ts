import { expect, test } from 'vitest';
import type { ChatMessage } from './chat.ts';
import { PROBES } from './probe-texts.ts';
import { probe, summarizeProbes } from './probes.ts';

const messages = Array.from({ length: 40 }, (_, n): ChatMessage => {
  const role = n % 2 === 0 ? 'user' : 'assistant';
  return { role, content: `${role} says something long enough for a statement, number ${n}.` };
});
const all = () => ({ view: (history: readonly ChatMessage[]) => history });

test('a view of everything holds every statement, and the last messages hold none', async () => {
  const held = await probe({ messages }, all);
  expect(held).toHaveLength(8);
  expect(held.every((one) => one.held)).toBe(true);
  const newest = await probe({ messages }, () => ({ view: (history) => history.slice(-4) }));
  expect(newest.some((one) => one.held)).toBe(false);
  expect(newest.map(({ kind }) => kind)).toEqual(held.map(({ kind }) => kind));
});

test('a seed plants the same statements each time, and leaves the conversation alone', async () => {
  const before = structuredClone(messages);
  const views: (readonly ChatMessage[])[] = [];
  const watch = () => ({
    view(history: readonly ChatMessage[]) {
      views.push(history);
      return history;
    },
  });
  const last = async (seed: number) => {
    await probe({ messages }, watch, { seed });
    return views.at(-1);
  };
  expect(await last(3)).toEqual(await last(3));
  expect(await last(3)).not.toEqual(await last(4));
  expect(messages).toEqual(before);
});

test('a statement is held if its key words are near each other in one message', async () => {
  const probes = [{ by: 'user', kind: 'rule', text: 'never mix {A} and {B}', keys: ['{A}', '{B}'] }] as const;
  const rewritten = (change: (a: string, b: string) => string[]) =>
    probe(
      { messages },
      () => ({
        view: (history) =>
          history.flatMap(({ role, content }) => {
            const [, a = '', b = ''] = /never mix (\S+) and (\S+)/.exec(content ?? '') ?? [];
            return a ? change(a, b).map((text) => ({ role, content: text })) : [];
          }),
      }),
      { probes },
    );
  const share = async (change: (a: string, b: string) => string[]) => summarizeProbes(await rewritten(change)).user;
  expect(await share((a, b) => [`${b} must not meet ${a}`])).toBe(100);
  expect(await share((a, b) => [`${a}${' '.repeat(400)}${b}`])).toBe(0);
  expect(await share((a, b) => [a, b])).toBe(0);
  expect(await share((a) => [a])).toBe(0);
});

test('shares are by role and kind, and nothing planted is no share', async () => {
  const [decision, rule] = [
    { by: 'assistant', kind: 'decision' },
    { by: 'user', kind: 'rule' },
  ] as const;
  const probed = [
    { ...decision, held: true },
    { ...decision, held: false },
    { ...rule, held: true },
  ];
  const kinds = { decision: 50, rule: 100 };
  expect(summarizeProbes(probed)).toEqual({ planted: 3, user: 100, assistant: 50, kinds });
  const short = messages.map((message) => ({ ...message, content: 'short' }));
  expect(summarizeProbes(await probe({ messages: short }, all))).toMatchObject({ planted: 0, user: undefined });
});

test('every kind has several wordings, each with both names', () => {
  const kinds = new Map<string, number>();
  for (const { kind, text, keys } of PROBES) {
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    for (const key of keys) expect(text).toContain(key);
  }
  expect(kinds.size).toBe(9);
  expect(Math.min(...kinds.values())).toBeGreaterThanOrEqual(3);
});
