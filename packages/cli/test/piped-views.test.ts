import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { programOf } from '../../../scripts/test-programs.ts';
import { viewKind } from '../src/view/run/view.ts';
import { play } from './fixtures/events.ts';
import type { PlayOptions } from './fixtures/play.ts';

const PLAY = programOf('play');

async function output(options: PlayOptions): Promise<string[]> {
  const args = [PLAY, JSON.stringify(options)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 });
  expect(stdout.endsWith('\n')).toBe(true);
  return stdout.slice(0, -1).split('\n');
}

describe('plain lines', () => {
  test('prints one line per event, and log lines verbatim', async () => {
    const rows = await output({ kind: 'plain' });
    expect(rows.slice(0, 3)).toEqual([
      'Iteration 1/3',
      expect.stringMatching(/^ {2}\| I look at how the configuration is read before I change anything\. /),
      '  failed list_files packages/agent/src/providers',
    ]);
    expect(rows).toContain('Conversation: 12 messages (~4920 tokens)');
    expect(rows).toContain('Conversation approaching limit (24/30 messages)');
    expect(rows).toContain('  fold 1: 30 messages -> 12, 12.3k -> 4.9k tokens (3 turns masked, 7 dropped)');
    expect(rows).toContain('  check failed with exit code 1: npm test (3.2s)');
    expect(rows.filter((row) => /^ {2}(ok|failed) /.test(row))).toHaveLength(36);
    expect(rows.at(-1)).toBe('36 tool calls, 3 folds, cost saved $0.16 of $0.28 (56%)');
  });

  test('tool output adds no control character and no line', async () => {
    const plain = await output({ kind: 'plain' });
    const odd = await output({ kind: 'plain', odd: true });
    expect(odd).toHaveLength(plain.length);
    expect(odd.join('')).not.toMatch(/\p{Cc}/u);
  });
});

describe('JSON lines', () => {
  const played = { seed: 1, iterations: 3, calls: 12, odd: true };

  test('prints each event except text deltas, and the result last', async () => {
    const rows = await output({ kind: 'json', ...played });
    expect(rows.join('')).not.toMatch(/\p{Cc}/u);
    const { events, end } = play(played);
    expect(rows.map((row) => JSON.parse(row))).toEqual([
      ...events.filter(({ type }) => type !== 'text-delta'),
      { type: 'run-end', result: end },
    ]);
  });

  test('verbose: includes text deltas', async () => {
    const rows = await output({ kind: 'json', verbose: true, ...played });
    expect(rows).toHaveLength(play(played).events.length + 1);
  });
});

test('chooses the live view only on a capable terminal outside CI', () => {
  expect(viewKind(false, { isTTY: true }, { TERM: 'xterm' })).toBe('live');
  expect(viewKind(false, { isTTY: true }, { CI: 'false' })).toBe('live');
  expect(viewKind(false, { isTTY: true }, { CI: 'true' })).toBe('plain');
  expect(viewKind(false, { isTTY: true }, { TERM: 'dumb' })).toBe('plain');
  expect(viewKind(false, {}, {})).toBe('plain');
  expect(viewKind(true, { isTTY: true }, {})).toBe('json');
});
