import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { detectDialect } from 'holdfast';
import { describe, expect, test } from 'vitest';
import { type GeneratedDialect, type GeneratedMessage, generateConversation } from './generate.ts';
import { violationsOf } from './show/replay.ts';

const WINDOW = fileURLToPath(new URL('./window.ts', import.meta.url));

/** Runs it like `npm run window`, but from the sources, so that tests need no build. */
function start(...args: readonly string[]) {
  const { NO_COLOR: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [...SOURCE_FLAGS, WINDOW, ...args], {
    encoding: 'utf8',
    env,
  });
  return { status, stdout, stderr, lines: stdout.trimEnd().split('\n') };
}

const SOURCE_FLAGS = ['--conditions=@holdfast/source', '--disable-warning=ExperimentalWarning'];

describe('npm run window', () => {
  const run = start();

  test('shows a line for each call and a receipt for each fold', () => {
    expect(run.stderr).toBe('');
    expect(run.status).toBe(0);
    const calls = Number(/, (\d+) calls,/.exec(run.stdout)?.[1]);
    const folds = run.lines.filter((line) => line.includes('┌ fold')).length;
    expect(run.lines.filter((line) => /^ *\d+ .* tok .* msg/.test(line))).toHaveLength(calls);
    expect(folds).toBeGreaterThan(3);
    expect(run.stdout).toMatch(/turns: kept \d+, masked \d+, dropped \d+ {2}note [\d,]+ tokens/);
    expect(run.stdout).toMatch(/dropped → m\d+-m\d+/);
    expect(run.stdout).toContain(
      `folds        ${folds}; the cached prefix was rewritten on ${folds} of ${calls} calls`,
    );
  });

  test('ends with a cost below one, a recall, and nothing lost', () => {
    const [calls, , largest, cost, recall, lost] = run.lines.slice(-6);
    expect(calls).toContain('every view valid');
    expect(largest).toMatch(/^largest +[\d,]+ tokens by usage, max 30,000; sending everything: [\d,]+$/);
    expect(Number(/^cost +([\d.]+) of/.exec(cost ?? '')?.[1])).toBeLessThan(0.6);
    expect(recall).toMatch(/^recall +m\d+, dropped: [\d,]+ bytes, identical to the original$/);
    const [, back, all] = /^nothing lost +([\d,]+) of ([\d,]+) messages/.exec(lost ?? '') ?? [];
    expect(back).toBe(all);
  });

  test('marks estimates until usage is observed, and prints 80 plain columns when piped', () => {
    expect(run.lines.filter((line) => line.includes('~'))).toHaveLength(1);
    expect(run.lines.filter((line) => [...line].length > 80)).toEqual([]);
    expect(run.stdout).not.toContain('\u001b');
  });

  test('replays other wire formats and strategies', () => {
    const other = start(
      '--dialect',
      'openai-chat',
      '--strategy',
      'sliding',
      '--seed',
      '5',
      '--messages',
      '200',
      '--max-tokens',
      '20000',
    );
    expect(other.status).toBe(0);
    expect(other.stdout).toContain('every view valid');
    expect(other.stdout).toContain('nothing lost');
  });

  test.each([
    [['--messages', 'many'], '--messages takes a whole number'],
    [['--seed', '-1'], '--seed'],
    [['--strategy', 'guess'], '--strategy takes fold or sliding or governed or two-tier or rolling, not "guess"'],
    [['--dialect', 'morse'], '--dialect takes anthropic or openai-chat, not "morse"'],
    [['--colour'], "Unknown option '--colour'"],
    [['extra'], "Unexpected argument 'extra'"],
    [['--max-tokens', '150'], 'window: '],
  ])('answers %j with one line and exit code 2', (args, words) => {
    const { status, stderr } = start(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test('prints help', () => {
    const { status, stdout } = start('--help');
    expect(status).toBe(0);
    expect(stdout).toContain('--max-tokens N');
  });
});

describe.each<GeneratedDialect>(['anthropic', 'openai-chat'])('a generated conversation, %s', (dialect) => {
  const make = (seed: number) => generateConversation({ seed, messages: 400, dialect });

  test('has the same bytes for the same seed, and different ones for another', () => {
    expect(JSON.stringify(make(3))).toBe(JSON.stringify(make(3)));
    expect(JSON.stringify(make(3))).not.toBe(JSON.stringify(make(4)));
  });

  test.each([1, 2, 3])('has the requested length, is valid, and ends with an answer (seed %i)', (seed) => {
    const messages = make(seed);
    expect(messages.length).toBeGreaterThanOrEqual(400);
    expect(messages.length).toBeLessThan(410);
    expect(detectDialect(messages).name).toBe(dialect);
    expect(violationsOf(dialect, messages)).toEqual([]);
    expect(messages.at(-1)?.role).toBe('assistant');
  });

  test.each([1, 2, 3])('edits only what an earlier result showed, makes mistakes and recovers (seed %i)', (seed) => {
    const { edits, results } = toolTraffic(make(seed));
    expect(edits.length).toBeGreaterThan(20);
    for (const { at, old } of edits) {
      expect(
        results.some((result) => result.at < at && result.text.includes(old)),
        `edit of message ${at}: ${old}`,
      ).toBe(true);
    }
    expect(results.some(({ text }) => /^exit code: [12]$/m.test(text))).toBe(true);
    expect(results.some(({ text }) => /^exit code: 0$/m.test(text))).toBe(true);
  });
});

/** Collects the edits and results of a conversation, with their positions. */
function toolTraffic(messages: readonly GeneratedMessage[]) {
  const dialect = detectDialect(messages);
  const edits: { at: number; old: string }[] = [];
  const results: { at: number; text: string }[] = [];
  for (const [at, message] of messages.entries()) {
    const reading = dialect.read(message);
    for (const { content } of reading.results) results.push({ at, text: String(content) });
    for (const { input } of reading.calls) {
      const { old_string: old } = (typeof input === 'string' ? JSON.parse(input) : input) as { old_string?: string };
      if (old !== undefined) edits.push({ at, old });
    }
  }
  return { edits, results };
}
