import { expect, test } from 'vitest';
import type { SessionDetail, View } from '../../src/api/types.ts';
import { linesByMessage } from './rows.ts';
import { summaryOf } from './summary.ts';

const SESSION: SessionDetail = {
  ...{ id: 's', title: 't', kind: 'chat', created: 1, updated: 2, last: 3, messages: 50, folds: 2, tokens: 9, cost: 1 },
  ...{ live: false, pins: [], calls: 20, canUndo: false, canRedo: false },
  totals: { input: 10, cacheRead: 80, cacheWrite: 10, output: 5 },
  costs: { spent: 1, everything: 4 },
};
const VIEW: View = {
  ...{ call: 20, messages: 50, sent: 20, reminders: [], pins: [], folds: [1, 2] },
  runs: [
    { type: 'folded', from: 0, to: 30 },
    { type: 'shortened', from: 31, to: 31 },
    { type: 'kept', from: 32, to: 49 },
  ],
};
const said = (session: Partial<SessionDetail>, view: Partial<View> = {}) =>
  summaryOf({ ...SESSION, ...session }, { ...VIEW, ...view }).map(({ value, more }) => `${value}: ${more}`);

test('health depends on the fuller of the two budgets, tokens or messages', () => {
  const both = { viewTokens: 15_000, budget: 968_000, viewMessages: 22, budgetMessages: 30 };
  expect(said(both)[0]).toBe('Within budget: 22 of 30 messages, 73%.');
  expect(said({ ...both, budget: 16_000 })[0]).toBe('Within budget: 15k of 16k tokens, 94%.');
  expect(said({ ...both, viewMessages: 31 })[0]).toBe('Over budget: 31 of 30 messages, 103%.');
  expect(said({ viewTokens: 900, historyTokens: 2_000, overWindow: 1 })[0]).toBe(
    "900 tokens sent: No budget is known. The whole history has 2k tokens. It would not have fit the model's window in 1 call.",
  );
});

test('a session whose requests are not answered is not healthy; one may still be on its way', () => {
  const within = { viewTokens: 9_000, budget: 10_000 };
  expect(said({ ...within, unanswered: 1 })[0]).toBe('Within budget: 9k of 10k tokens, 90%.');
  expect(said({ ...within, unanswered: 3 })[0]).toBe('No answer: the last 3 requests were not answered');
  expect(said({ calls: 0, unanswered: 20 })[0]).toBe('No answer: the last 20 or more requests were not answered');
});

test('cost says whether sending everything costs more, less or as much, and nothing without calls', () => {
  expect(said({})[1]).toBe('$1.00: instead of $4.00 for sending everything: 75% less');
  expect(said({ costs: { spent: 5, everything: 4 } })[1]).toBe(
    '$5.00: instead of $4.00 for sending everything: 25% more',
  );
  expect(said({ costs: { spent: 4, everything: 4 } })[1]).toBe('$4.00: as much as sending everything');
  expect(said({ calls: 0, costs: { spent: 0, everything: 0 } }).slice(0, 2)).toEqual([
    'No calls yet: nothing was sent to a model',
    'Nothing: no calls yet',
  ]);
  expect(said({ kind: 'proxy', calls: 0, costs: { spent: 0, everything: 0 } }).slice(0, 2)).toEqual([
    'No answer yet: requests were sent, but none of them was answered',
    'Nothing: no answers yet',
  ]);
  expect(said({ costs: {} })[1]).toBe('Unknown: the price of a call is not known');
});

test('what was forgotten is shown for the selected call, and unknown if its view is', () => {
  const note = { text: '', tokens: 1, before: 31, fold: 2, lines: [] };
  expect(said({}, { note })[2]).toBe(
    '31 of 50: messages folded in 2 folds: a note stands in for them. Each can be recalled. 1 more is shortened.',
  );
  expect(said({}, { call: 9, messages: 40 })[2]).toBe(
    '31 of 40: messages folded at call 9. Each can be recalled. 1 more is shortened.',
  );
  expect(said({}, { runs: [{ type: 'shortened', from: 0, to: 1 }] })[2]).toBe(
    '2 shortened: of 50 messages in 2 folds: long output was cut. Each can be recalled.',
  );
  expect(said({ folds: 0 }, { sent: 19 })[2]).toBe(
    '31 of 50: messages no longer sent: only the newest 19 are. Each can be recalled.',
  );
  expect(said({}, { runs: [{ type: 'kept', from: 0, to: 49 }] })[2]).toBe('Nothing: the model sees all 50 messages');
  expect(said({}, { unknown: 'the program keeps its own' })[2]).toBe('Unknown: what the model sees is not known');
});

test('a folded message is next to the line of the note about it, never next to the one that names all messages', () => {
  const line = (text: string, indexes: number[], section?: string) => ({
    ...{ text, indexes, handles: [] },
    ...(section === undefined ? {} : { section }),
  });
  const lines = [line('Note on m1-m9', [1, 9]), line('m9: done', [9], 'Files')];
  const found = linesByMessage({ text: '', tokens: 1, before: 10, fold: 1, lines });
  expect([...found].map(([index, { text }]) => [index, text])).toEqual([[9, 'm9: done']]);
});
