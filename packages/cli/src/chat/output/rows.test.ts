import { stripVTControlCharacters } from 'node:util';
import type { ContextUse, Restored, ToolRequest } from '@holdfast/agent/chat';
import fc from 'fast-check';
import type { Receipt } from 'holdfast';
import { expect, test } from 'vitest';
import { terminalStyle } from '../../view/style.ts';
import { columnsOf } from '../../view/text.ts';
import { approval, type Given } from '../input/approval.ts';
import { draftOf } from '../input/draft.ts';
import { yesOrNo } from '../input/question.ts';
import { createAnswerLog } from './answer-log.ts';
import { createDetails } from './details.ts';
import { liveRows, promptRows } from './live-rows.ts';
import { createMarkdownFlow } from './markdown/markdown-flow.ts';
import { contextRows, failureRows, receiptRows, restoredRows, saidRows } from './rows.ts';
import { statusRows } from './status-line.ts';

const style = terminalStyle({});
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 120 }),
  fc.constantFrom('a\u001b[2Jb', 'tab\tand\nlines\n\n', '漢字'.repeat(40), 'word '.repeat(50)),
);
const count = fc.integer({ min: 0, max: 2_000_000 });
const columns = fc.integer({ min: 20, max: 130 });
const PARTS = ['system', 'tools', 'note', 'pins', 'kept', 'newest'] as const;

const use: fc.Arbitrary<ContextUse> = fc
  .tuple(fc.array(count, { minLength: 7, maxLength: 7 }), fc.constantFrom(10_000, Number.POSITIVE_INFINITY))
  .map(([counts, max]) => ({
    total: counts.reduce((sum, one) => sum + one, 0),
    estimated: true,
    max,
    limit: max,
    maxMessages: 100,
    messages: counts[0] ?? 0,
    folds: 3,
    parts: Object.fromEntries(PARTS.map((part, i) => [part, counts[i] ?? 0])) as ContextUse['parts'],
    said: { user: counts[0] ?? 0, assistant: counts[1] ?? 0, 'tool results': counts[2] ?? 0 },
  }));

function receipt(note: string, tokens: number): Receipt {
  const size = { messages: 30, tokens } as Receipt['before'];
  const counts = { kept: 3, masked: 4, dropped: 5, noteTokens: 120, previousNoteTokens: 0, reserve: 0 };
  const turns: Receipt['turns'] = [];
  const names = { fold: 1, reason: 'compact', strategy: 'fold', estimated: true, changedFrom: 1 } as const;
  return { ...names, ...counts, before: size, after: size, turns, note };
}

test('no row is wider than the terminal or contains control sequences', () => {
  fc.assert(
    fc.property(text, text, use, columns, (one, other, context, width) => {
      const restored: Restored = { turns: 3, folded: 1, messages: 7, tokens: 1_234, note: one, interrupted: other };
      const call = { id: 'x', name: one, input: { path: other, content: `${one}\n${other}` } };
      const figures = { ...context, tokens: context.total, model: one, cost: 1.5, cacheShare: 0.5, maxTokens: 10_000 };
      const details = createDetails();
      const flow = () => createMarkdownFlow(style, () => undefined);
      const log = createAnswerLog({
        columns: () => width,
        style,
        now: () => 0,
        flow,
        details,
        key: 'Ctrl-O shows all',
      });
      log.onEvent({ type: 'text-delta', text: one });
      log.onEvent({ type: 'call-start', id: 'x', name: other, input: { path: one } });
      log.ask({ ...call, change: { path: one, before: other, after: `${one}\n${other.repeat(50)}` } });
      log.answered(other, true);
      log.onRun(call);
      log.onResult({ id: 'x', failed: true, text: `${one}\n`.repeat(9) });
      log.onEvent({ type: 'call-end', id: 'x', name: other, failed: true });
      log.ask(call);
      const stop = new AbortController();
      stop.abort();
      const live = liveRows(
        {
          draft: draftOf(one),
          offered: ['/compact', '/context'],
          queue: [one, other],
          figures,
          tick: 3,
          warned: true,
          busy: one,
          question: undefined,
          answer: { log, sending: other, stop },
        },
        width,
        24,
        style,
      );
      const rows = [
        ...restoredRows('k3v9', restored, width, style),
        ...saidRows([{ index: 4, handle: 'm4', role: 'tool', text: one, pinned: true }], width, style),
        ...receiptRows(receipt(one, context.total), width, style),
        ...contextRows(context, width, style),
        ...failureRows(one, width, style),
        ...statusRows(figures, width, style),
        ...(details.next(width, style) ?? []),
        ...(details.next(width, style) ?? []),
        ...approval(
          call,
          true,
          () => {},
          () => 0,
        ).rows(width, (cell) => cell),
        ...yesOrNo(one, () => {}).rows(width, (cell) => cell),
        ...promptRows(one, width, (row) => row),
        ...log.end(),
        ...live,
      ];
      for (const row of rows) {
        expect(columnsOf(row), JSON.stringify(row)).toBeLessThanOrEqual(width);
        expect(stripVTControlCharacters(row)).not.toMatch(/\p{Cc}/u);
      }
      expect(live.length).toBeLessThanOrEqual(22);
    }),
    { numRuns: 60 },
  );
});

test('a question accepts y, p, a, n and a reason; capitals keep it for the folder; it ignores other keys', () => {
  const answers: Given[] = [];
  const command = { id: 'x', name: 'run_command', input: { command: 'npm test -- a' } };
  let now = 0;
  const ask = (call: ToolRequest = command, canKeep = true) => {
    const question = approval(
      call,
      canKeep,
      (given) => answers.push(given),
      () => now,
    );
    question.rows(80, (cell) => cell);
    now += 1_000;
    return question;
  };
  const typed = (question: ReturnType<typeof ask>, ...keys: readonly string[]) => {
    for (const key of keys) question.take(key === '\r' ? { type: 'enter' } : { type: 'text', text: key });
    return answers.splice(0);
  };
  expect(typed(ask(), 'x', 'yes', '\r', 'Y')).toEqual([{ approval: 'once' }]);
  const always = { tool: 'run_command' };
  const prefix = { ...always, command: 'npm test *' };
  expect(typed(ask(), 'p')).toEqual([{ approval: { always: prefix } }]);
  expect(typed(ask(), 'P')).toEqual([{ approval: { always: prefix }, keep: true }]);
  expect(typed(ask(), 'A')).toEqual([{ approval: { always }, keep: true }]);
  expect(typed(ask(command, false), 'A')).toEqual([{ approval: { always } }]);
  expect(typed(ask({ ...command, everyTime: true }), 'a', 'p', 'A', 'y')).toEqual([{ approval: 'once' }]);
  expect(typed(ask({ ...command, input: { command: 'npm test && ls' } }), 'p', 'a')).toEqual([
    { approval: { always } },
  ]);
  expect(typed(ask(), 'n', 'too ', 'much', '\r')).toEqual([{ approval: { refused: 'too much' } }]);
  expect(typed(ask(), 'n', '\r')).toEqual([{ approval: { refused: 'no reason given' } }]);
  expect(ask().take({ type: 'escape' })).toBe(false);
  expect(ask().paste('y')).toBe(false);
});

test('a key pressed before the question could be read does not answer it', () => {
  const answers: Given[] = [];
  let now = 0;
  const call = { id: 'x', name: 'run_command', input: { command: 'npm test -- a' } };
  const question = approval(
    call,
    true,
    (given) => answers.push(given),
    () => now,
  );
  const rows = () => question.rows(80, (cell) => cell);
  const y = { type: 'text', text: 'y' } as const;
  now = 5_000;
  // Not on the screen yet, however long it has waited.
  expect(question.take(y)).toBe(false);
  expect(rows().slice(0, 2)).toEqual(['Allow run_command?', '     once']);
  now += 200;
  expect(question.take(y)).toBe(false);
  expect(answers).toEqual([]);
  now += 200;
  expect(rows()).toEqual([
    'Allow run_command?',
    '  y  once',
    '  p  always for npm test *',
    '  a  always for run_command',
    '  n  no, with a reason for the model',
    '  p or a: until you leave; P or A: in later chats in this folder, too',
  ]);
  question.take({ type: 'enter' });
  expect(rows().at(-1)).toBe('Press y, p, a, P, A or n.');
  expect(question.take(y)).toBe(true);
  expect(answers).toEqual([{ approval: 'once' }]);
});

test('messages and notes that are shortened name the command that shows all', () => {
  const plain = (rows: readonly string[]) => rows.map(stripVTControlCharacters);
  const long = 'row\n'.repeat(36);
  const said = saidRows([{ index: 6, handle: 'm6~1', role: 'tool', text: long, pinned: false }], 80, style);
  expect(plain(said).at(-1)).toBe('  … 32 more rows: /recall m6~1 shows all');
  const restored: Restored = { turns: 3, folded: 1, messages: 7, tokens: 1_234, note: long };
  expect(plain(restoredRows('k3v9', restored, 80, style)).at(-1)).toBe('  … 30 more rows: /memory shows all');
});

test('a receipt counts turns and says what masked means', () => {
  const rows = receiptRows(receipt('', 5_000), 80, style).map(stripVTControlCharacters);
  expect(rows[1]).toBe('  of 12 turns: 5 dropped, 4 masked (shortened), 3 kept; a note of ~120 tokens');
});

test('yes or no: other keys get a hint', () => {
  const answers: boolean[] = [];
  const question = yesOrNo('Fold like this?', (yes) => answers.push(yes));
  const rows = () => question.rows(80, (cell) => cell);
  expect(rows()).toEqual(['Fold like this? (y/n)']);
  question.take({ type: 'enter' });
  expect(rows()).toEqual(['Fold like this? (y/n)', 'Press y or n.']);
  question.take({ type: 'text', text: 'n' });
  expect(answers).toEqual([false]);
});

test('/context says in a few words what each part is, where there is room', () => {
  const parts = { system: 1, tools: 2, note: 3, pins: 4, kept: 5, newest: 6 };
  const size = { total: 21, estimated: false, max: 968_000, maxMessages: 100, messages: 9, folds: 1 };
  const said = { user: 1, assistant: 2, 'tool results': 3 };
  const rows = (columns: number, limit: number) =>
    contextRows({ ...size, limit, parts, said }, columns, style).map(stripVTControlCharacters);
  const wide = rows(79, 968_000);
  expect(wide[1]).toBe('folds above 100 messages or 968k tokens, the most that the model takes');
  expect(wide.find((row) => row.startsWith('kept'))).toMatch(/ 24% {2}older messages$/);
  expect(rows(79, 999_000)[1]).toBe('folds above 100 messages or 968k tokens; the model takes 999k tokens');
  expect(rows(60, 968_000).find((row) => row.startsWith('kept'))).toMatch(/ 24%$/);
});

test('without trust in the folder, a question offers no permission for it', () => {
  const call = { id: 'x', name: 'write_file', input: { path: 'a' } };
  let now = 0;
  const question = approval(
    call,
    false,
    () => {},
    () => now,
  );
  question.rows(80, (cell) => cell);
  now = 1_000;
  question.take({ type: 'enter' });
  expect(question.rows(80, (cell) => cell).slice(-2)).toEqual(['  a: until you leave', 'Press y, a or n.']);
});

test.each([
  [59, ['█░░░░░░░░░ 4/60 messages · 2.1k tokens · 3 folds · $0.042', 'cache 70% · claude-sonnet-5']],
  [69, ['█░░░░░░░░░ 4/60 messages · 2.1k tokens · 3 folds · $0.042 · cache 70%', 'claude-sonnet-5']],
  [79, ['█░░░░░░░░░ 4/60 messages · 2.1k tokens · 3 folds · $0.042 · claude-sonnet-5']],
  [199, ['█░░░░░░░░░ 4/60 messages · 2.1k tokens · 3 folds · $0.042 · cache 70% · claude-sonnet-5']],
])('the status line in %i columns says which model answers', (columns, rows) => {
  const size = { tokens: 2_100, maxTokens: 968_000, estimated: false, messages: 4, maxMessages: 60 };
  const figures = { ...size, model: 'claude-sonnet-5', folds: 3, cost: 0.042, cacheShare: 0.7 };
  expect(statusRows(figures, columns, style).map(stripVTControlCharacters)).toEqual(rows);
});
