import { stripVTControlCharacters } from 'node:util';
import type { ToolRequest } from '@holdfast/agent/chat';
import { expect, test } from 'vitest';
import { terminalStyle } from '../../view/style.ts';
import { type AnswerLog, createAnswerLog } from './answer-log.ts';
import { createDetails } from './details.ts';
import { createMarkdownFlow } from './markdown/markdown-flow.ts';

const call: ToolRequest = { id: 'a', name: 'run_command', input: { command: 'sleep 2' } };

function logAt(clock: { now: number }): AnswerLog {
  const style = terminalStyle({});
  return createAnswerLog({
    columns: () => 80,
    style,
    now: () => clock.now,
    flow: () => createMarkdownFlow(style, () => undefined),
    details: createDetails(),
    key: '',
  });
}

test('the time that the user takes to answer is not part of a call', () => {
  const clock = { now: 0 };
  const log = logAt(clock);
  log.onEvent({ type: 'call-start', id: 'a', name: call.name, input: call.input });
  log.ask(call);
  clock.now = 60_000;
  log.answered('allowed once', true);
  log.onRun(call);
  clock.now = 62_000;
  log.onEvent({ type: 'call-end', id: 'a', name: call.name, failed: false, exitCode: 0 });
  expect(stripVTControlCharacters(log.rows().join('\n'))).toMatch(/✓ run_command sleep 2 {2}exit 0 · 2\.0s$/m);
});

test('a refused call has no duration, however long the user took, and its reason is shown once', () => {
  const clock = { now: 0 };
  const log = logAt(clock);
  log.onEvent({ type: 'call-start', id: 'a', name: call.name, input: call.input });
  log.ask(call);
  clock.now = 60_000;
  log.answered('refused: too slow', false);
  log.onResult({ id: 'a', failed: true, text: 'Not run: the user refused it: too slow' });
  log.onEvent({ type: 'call-end', id: 'a', name: call.name, failed: true });
  const rows = log.rows().map(stripVTControlCharacters);
  expect(rows.slice(-2)).toEqual(['  refused: too slow', '  ✗ run_command sleep 2']);
});

test.each([60, 80, 200])('a running call keeps its time and the key that interrupts it in %i columns', (columns) => {
  const clock = { now: 0 };
  const log = logAt(clock);
  log.onEvent({ type: 'call-start', id: 'a', name: call.name, input: { command: 'echo word; '.repeat(30) } });
  clock.now = 12_000;
  const row = stripVTControlCharacters(log.live(columns, 0).at(-1) ?? '');
  expect(row).toMatch(/^. run_command echo word; .*… 12s · Esc interrupts$/);
  expect(row.length).toBeLessThanOrEqual(columns);
});
