import type { ExecutorState } from '@holdfast/agent';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ODD, play } from '../../../test/fixtures/events.ts';
import { printable } from '../guard-output.ts';
import { plainStyle, terminalStyle } from '../style.ts';
import { columnsOf } from '../text.ts';
import { liveRows } from './live-rows.ts';
import { logRows } from './log-lines.ts';
import { createWatch } from './run-watch.ts';
import { summaryRows } from './summary.ts';

const style = terminalStyle({});
const { events, end } = play({ seed: 3, iterations: 3, calls: 12, odd: true });

test('no row is wider than the terminal, at any width and time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 16, max: 220 }), fc.integer({ min: 3, max: 60 }), fc.nat(), (columns, rows, at) => {
      const watch = createWatch(() => at);
      const seen = events.slice(0, at % events.length);
      const log = seen.flatMap((event) => watch.onEvent(event)).flatMap((line) => logRows(line, columns, style));
      const input = {
        title: ODD[at % ODD.length] ?? '',
        moment: watch.moment(),
        now: at,
        interrupts: at % 3,
        tick: at,
        columns,
        rows,
      };
      const live = liveRows(input, style);
      expect(live.length).toBeLessThan(rows);
      for (const row of [...log, ...live]) expect(columnsOf(row)).toBeLessThanOrEqual(columns);
      const summary = summaryRows({ title: input.title, result: end, columns }, style);
      for (const row of summary) expect(columnsOf(row)).toBeLessThanOrEqual(columns);
    }),
    { seed: 5, numRuns: 150 },
  );
});

describe('the live rows', () => {
  const state: ExecutorState = { ...end, status: 'running', phase: 'model' };
  const moment = { state, since: 0, calls: [], saying: '' };
  const input = { title: 'T', moment, now: 61_000, interrupts: 0, tick: 0, columns: 80, rows: 24 };
  const shown = (part: Partial<ExecutorState>, more = {}) =>
    liveRows(
      { ...input, moment: { ...moment, state: { ...state, ...part }, ...more } },
      terminalStyle({ NO_COLOR: '1' }),
    ).join('\n');

  test('without limits there are figures but no bar', () => {
    const context = { messages: 8, maxMessages: 0, tokens: 900, maxTokens: 0, estimated: true };
    expect(shown({ context })).toContain('  context 8 messages · ~900 tokens\n');
  });

  test('the bar shows the tighter of both limits, with its figures beside it', () => {
    const context = { messages: 3, maxMessages: 30, tokens: 39_000, maxTokens: 40_000, estimated: false };
    expect(shown({ context })).toContain(`${'█'.repeat(23)}░ 39k/40k tokens · 3 messages`);
    const painted = (tokens: number) => {
      const full = { ...moment, state: { ...state, context: { ...context, tokens } } };
      return printable(liveRows({ ...input, moment: full }, style).join(''), true);
    };
    expect(painted(39_000)).toContain('\u001b[31m█');
    expect(painted(33_000)).toContain('\u001b[33m█');
    expect(painted(20_000)).toContain('\u001b[32m█');
  });

  test('a provider that manages its own context, a model with unknown prices', () => {
    const { context: _, cost: __, ...rest } = state;
    const rows = liveRows({ ...input, moment: { ...moment, state: rest } }, plainStyle).join('\n');
    expect(rows).not.toMatch(/messages|\$|undefined|NaN/);
  });

  test('shows when a request is retried', () => {
    expect(shown({ phase: 'retry' }, { retryAt: 66_000 })).toContain('retrying in 5s');
  });

  test('of several running calls, shows the newest and the count of others', () => {
    const calls = [
      { name: 'read_file', about: 'a.ts', since: 0 },
      { name: 'search', about: 'b', since: 60_000 },
    ];
    expect(shown({ phase: 'tool' }, { calls })).toMatch(/search b {20,}\+1 more {2}1s\n/);
  });
});

describe('the box', () => {
  test('prints the box in ASCII for files', () => {
    const ascii = { ...end, summary: 'Done.', filesChanged: ['a.ts', 'b.ts'], filesChangedCount: 2 };
    const rows = summaryRows({ title: 'Task', result: ascii, columns: 60 }, plainStyle);
    expect(rows).toEqual([
      '+- Task --------------------------------------- completed -+',
      '| Done.                                                    |',
      '|                                                          |',
      '| iterations     3 of 3                                    |',
      '| tool calls     36                                        |',
      '| files changed  2                                         |',
      '|                a.ts                                      |',
      '|                b.ts                                      |',
      '| checks         1 of 1 passed                             |',
      '| conversation   20 messages (8.2k tokens)                 |',
      '| folds          3                                         |',
      '| tokens         4.3k input, 11.2k output                  |',
      '|                302k cache read, 32.4k cache written      |',
      '| cache share    87%                                       |',
      '| cost           $0.12, sending everything $0.28: 56%      |',
      '|                saved                                     |',
      '| elapsed        40s                                       |',
      '+----------------------------------------------------------+',
      '36 tool calls, 3 folds, cost saved $0.16 of $0.28 (56%)',
    ]);
  });

  test('an incomplete run shows the reason and how to resume', () => {
    const validation = [{ command: 'npm test', passed: false, exitCode: 1, output: '', elapsedMs: 1 }];
    const result = {
      ...end,
      status: 'stopped' as const,
      reason: 'Out of iterations; raise max_iterations.',
      validation,
    };
    const commands = { resume: 'holdfast run T.md --resume', show: 'holdfast runs show T-1' };
    const rows = summaryRows({ title: 'Task', result, ...commands, columns: 60 }, plainStyle);
    expect(rows.slice(-3)).toEqual([
      'Out of iterations; raise max_iterations.',
      'Details: holdfast runs show T-1',
      'To continue: holdfast run T.md --resume',
    ]);
    expect(rows.join('\n')).toContain('| checks         0 of 1 passed                             |');
    expect(rows.join('\n')).toContain('|                failed: npm test                          |');
  });

  test('a complete run without checks says how to name one, and how to see it again', () => {
    const result = { ...end, validation: [] };
    const rows = summaryRows({ title: 'T', result, show: 'holdfast runs show T-1', columns: 100 }, plainStyle);
    expect(rows.join(' ').replace(/[\s|]+/g, ' ')).toContain(
      'checks not checked: no command was named; put one in backticks under "## Definition of Done"',
    );
    expect(rows.at(-2)).toBe('Details: holdfast runs show T-1');
  });

  test('the last line states what was saved, if anything', () => {
    const last = (cost: { spent: number; everything?: number } | undefined) => {
      const { cost: _, ...rest } = end;
      return summaryRows({ title: 'T', result: cost ? { ...rest, cost } : rest, columns: 90 }, plainStyle).at(-1);
    };
    expect(last({ spent: 0.42, everything: 1.9 })).toBe('36 tool calls, 3 folds, cost saved $1.48 of $1.90 (78%)');
    expect(last({ spent: 0.42, everything: 0.4 })).toBe('36 tool calls, 3 folds, cost $0.42, nothing saved');
    expect(last({ spent: 0.42 })).toBe('36 tool calls, 3 folds, cost $0.42, nothing saved');
    expect(last(undefined)).toBe('36 tool calls, 3 folds, cost unknown for this model');
  });

  test('of many files, shows the first and the count of others', () => {
    const filesChanged = Array.from({ length: 12 }, (_, i) => `f${i}.ts`);
    const rows = summaryRows(
      { title: 'T', result: { ...end, filesChanged: filesChanged.slice(0, 10), filesChangedCount: 12 }, columns: 80 },
      plainStyle,
    ).join('\n');
    expect(rows).toContain('files changed  12 ');
    expect(rows).toContain('and 8 more');
    expect(rows).not.toContain('f4.ts');
  });
});
