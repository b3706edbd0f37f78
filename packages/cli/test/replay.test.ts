import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '@holdfast/agent/config';
import { afterAll, describe, expect, test } from 'vitest';
import { contextOf } from '../src/context.ts';
import { main } from '../src/program.ts';
import { resultLines } from '../src/replay/table.ts';
import { agentTalk, jsonLines, plainTalk } from './agent-talk.ts';
import { folderWith, holdfast } from './holdfast.ts';
import { replayHere } from './replay-in-process.ts';

const talks = Object.fromEntries(
  Array.from({ length: 10 }, (_, n) => [
    `logs/talk-${n}.jsonl`,
    jsonLines(agentTalk(n, 20 + 2 * n), { model: 'claude-opus-5-5' }),
  ]),
);
const cwd = folderWith({
  ...talks,
  'long.jsonl': jsonLines(plainTalk(80)),
  'logs/broken.jsonl': `{"role":"user","content":"Hi"}\n{"role":"assi\n`,
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

interface Row {
  readonly policy: string;
  readonly budget: number | null;
  readonly [figure: string]: unknown;
}
const rowsOf = (stdout: string): readonly Row[] => JSON.parse(stdout).results;
const rowOf = (stdout: string, policy: string, budget: number | null) =>
  rowsOf(stdout).find((row) => row.policy === policy && row.budget === budget);

test('--json prints a row per policy and budget, independent of the number of threads', async () => {
  const args = [
    'replay',
    'logs',
    '--policy',
    'everything,fold,sliding',
    '--budget',
    '4k,6000',
    '--reserve',
    '1k',
    '--json',
  ];
  const [one, three] = await Promise.all(
    ['1', '3'].map((workers) => holdfast([...args, '--workers', workers], { cwd })),
  );
  expect(one?.code).toBe(0);
  expect(three).toEqual(one);
  const stdout = one?.stdout ?? '';
  expect(rowsOf(stdout).map(({ policy, budget }) => [policy, budget])).toEqual([
    ['everything', null],
    ...['fold', 'sliding'].flatMap((policy) => [4000, 6000].map((budget) => [policy, budget])),
  ]);
  expect(rowOf(stdout, 'everything', null)).toMatchObject({
    cost: 1,
    invalid: 0,
    rewrites: 0,
    folds: 0,
    coverage: null,
  });
  const fold = rowOf(stdout, 'fold', 4000);
  expect(fold).toMatchObject({ invalid: 0, overBudget: 0, refused: 0, conversations: 10, pricedConversations: 10 });
  expect(fold?.cost).toBeGreaterThan(0.1);
  expect(fold?.cost).toBeLessThan(1);
  expect(fold?.peak).toBeLessThanOrEqual(4000);
  expect(Number(fold?.pointed)).toBeGreaterThanOrEqual(Number(fold?.spans));
  expect(fold?.probes).toBeNull();
  expect(fold?.costAtReadPrice).toEqual({
    '0.1': expect.closeTo(Number(fold?.cost), 9),
    '0.05': expect.any(Number),
    '0.025': expect.any(Number),
  });
  expect(JSON.parse(stdout).skipped).toEqual([
    { file: 'logs/broken.jsonl', line: 2, reason: 'skipped lines that are not JSON (cut off)', count: 1 },
    {
      file: 'logs/broken.jsonl',
      line: 1,
      reason: 'skipped a conversation that starts here: no model answered in it',
      count: 1,
    },
  ]);
  expect(one?.stderr).toContain('holdfast: logs/broken.jsonl, line 2: skipped lines that are not JSON (cut off)\n');
});

test('the table fits a narrow terminal, and the advice can be pasted', async () => {
  const args = ['replay', 'logs/talk-*.jsonl', '--budget', '4k,6k', '--reserve', '1k', '--advise', '--min-kept', '70'];
  const { code, stdout } = await holdfast(args, { cwd, env: { COLUMNS: '60' } });
  expect(code).toBe(0);
  const [table = '', ...rest] = stdout.split('\n\n');
  expect(table.split('\n')[0]).toMatch(/^policy +budget +cost +coverage +spans/);
  for (const line of table.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  expect(table).toMatch(/^everything +- +1\.000 /m);
  expect(table).toMatch(/^two-tier\* +4k /m);
  expect(rest.join('\n\n')).toContain('* two-tier: model summaries are not measured');
  const snippet = stdout.slice(stdout.indexOf('execution:'));
  const advised = /: ([\w-]+) at (\d)k\.$/m.exec(stdout);
  expect(advised).not.toBeNull();
  const home = folderWith({ 'holdfast.yml': snippet });
  const { conversation } = loadConfig({ cwd: home }).config.execution;
  expect(conversation).toMatchObject({
    strategy: advised?.[1],
    max_tokens: Number(advised?.[2]) * 1000 + 1000,
    reserve: 1000,
  });
});

test('gives no advice on few conversations, and uses prices from a file', async () => {
  writeFileSync(
    join(cwd, 'prices.yml'),
    'date: 2026-10-01\nmodels:\n  mine:\n    provider: openai\n    window: 100000\n    prices: { input: 1, cache_read: 0, cache_write: 1 }\n',
  );
  const flags = {
    policy: 'everything',
    budget: '4k',
    reserve: '2k',
    model: 'mine',
    prices: 'prices.yml',
    advise: true,
  };
  const { report } = await replayHere(cwd, ['logs/talk-0.jsonl'], flags);
  expect(report.advice).toMatchObject({ type: 'not-enough-data' });
  expect(report).toMatchObject({ model: 'mine', prices: { source: 'prices.yml', date: '2026-10-01' } });
  // Reads are free, and each token is written once or, in part of a step of 128, at most once more for each call.
  const { peak = 0, calls = 0, dollars } = report.results[0] ?? {};
  expect(dollars).toBeGreaterThan((peak + 2000) / 1e6);
  expect(dollars).toBeLessThan((peak + 2000 + calls * 128) / 1e6);
});

test('uses recorded summaries and writes the missing prompts', async () => {
  const args = [
    'replay',
    'long.jsonl',
    '--policy',
    'fold+summary,fold',
    '--budget',
    '8k',
    '--reserve',
    '1k',
    '--json',
    '--workers',
    '1',
  ];
  const flags = { policy: 'fold+summary,fold', budget: '8k', reserve: '1k' };
  const without = await replayHere(cwd, ['long.jsonl'], flags);
  expect(without.report.results.map(({ policy }) => policy)).toEqual(['fold']);
  const first = await holdfast([...args, '--missing-summaries', 'missing.jsonl'], { cwd });
  expect(rowsOf(first.stdout)[0]).toMatchObject({ policy: 'fold+summary', summaries: 'not-measured' });
  expect(first.stderr).toMatch(/wrote missing\.jsonl: \d+ prompts? without a summary\n/);
  writeFileSync(join(cwd, 'another.jsonl'), '{"key":"another","summary":"Of another conversation."}');
  const partly = await replayHere(cwd, ['long.jsonl'], { ...flags, summaries: 'another.jsonl' });
  expect(partly.report.results[0]).toMatchObject({ policy: 'fold+summary', summaries: 'partly-recorded' });
  const missing = readFileSync(join(cwd, 'missing.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(missing.length).toBeGreaterThan(0);
  expect(missing[0]).toEqual({
    key: expect.stringMatching(/^[0-9a-f]{64}$/),
    prompt: expect.stringContaining('item_1 is done'),
  });
  const summaries = missing.map(({ key }) =>
    JSON.stringify({ key, summary: 'The agent edits src/area_4 and keeps public names.' }),
  );
  writeFileSync(join(cwd, 'summaries.jsonl'), summaries.join('\n'));
  const recorded = await replayHere(cwd, ['long.jsonl'], { ...flags, summaries: 'summaries.jsonl' });
  const [summed, plain] = recorded.report.results;
  expect(summed).toMatchObject({ policy: 'fold+summary', invalid: 0 });
  expect(plain).toMatchObject({ policy: 'fold', summaries: 'none' });
  expect(summed?.cost).not.toBe(plain?.cost);
});

test('--probes shows how many planted statements the last views hold', async () => {
  const flags = { policy: 'everything,fold,rolling', budget: '8k', reserve: '1k', probes: true };
  const { report } = await replayHere(cwd, ['long.jsonl'], flags);
  const [everything, fold, rolling] = report.results.map(({ probes }) => probes);
  expect(everything).toMatchObject({ planted: 8, user: 100, assistant: 100 });
  expect([fold?.planted, rolling?.planted]).toEqual([8, 8]);
  expect(rolling?.assistant).toBeLessThan(100);
  expect(Object.keys(fold?.kinds ?? {}).length).toBeGreaterThan(2);
  const [head = ''] = resultLines(report, 200, contextOf(process).paint);
  expect(head).toMatch(/ spans +pointed +user said +assistant said /);
});

test('with nothing to replay, writes nothing and reports what the flags skipped', async () => {
  writeFileSync(join(cwd, 'page.html'), 'the page of before');
  const args = ['replay', 'logs/talk-0.jsonl', 'long.jsonl', '--min-tokens', '900k', '--html', 'page.html'];
  const { code, stderr } = await holdfast([...args, '--workers', '1'], { cwd });
  expect(code).toBe(1);
  expect(stderr).toBe(
    'holdfast: skipped: 2 conversations under 900k tokens (--min-tokens).\nholdfast: no conversation to replay\n',
  );
  expect(readFileSync(join(cwd, 'page.html'), 'utf8')).toBe('the page of before');
});

test('prices from a file suffice for an unknown model', async () => {
  writeFileSync(join(cwd, 'short.yml'), 'models: { mine: { prices: { input: 1, cache_read: 0.1, cache_write: 1 } } }');
  const flags = { policy: 'everything', model: 'mine', prices: 'short.yml' };
  const { report } = await replayHere(cwd, ['logs/talk-0.jsonl'], flags);
  expect(report.results).toMatchObject([{ policy: 'everything', budget: null, cost: 1, pricedConversations: 1 }]);
});

test('advice never recommends what is marked as not measured', async () => {
  const flags = { policy: 'two-tier', budget: '4k', reserve: '1k', minKept: '1', advise: true };
  const { report } = await replayHere(cwd, Object.keys(talks), flags);
  expect(report.advice).toEqual({
    type: 'not-enough-data',
    why: 'two-tier at 4000: its model summaries are not measured',
  });
});

test('replays a session by its id, and a database as a file', async () => {
  const home = { cwd, env: { HOLDFAST_HOME: join(cwd, 'home') } };
  const { stdout } = await holdfast(['sessions', 'import', 'logs/talk-1.jsonl', '--id', 'kept', '--json'], home);
  expect(JSON.parse(stdout).sessions[0].id).toBe('kept');
  const flags = ['--policy', 'fold', '--budget', '4k', '--reserve', '1k', '--json', '--workers', '1'];
  const [byId, byFile] = await Promise.all([
    holdfast(['replay', '--session', 'ke', ...flags], home),
    holdfast(['replay', 'home/sessions.db', ...flags], home),
  ]);
  // The transcript names a model; the imported session does not.
  const unpriced = { dollars: null, dollarsEverything: null, pricedConversations: 0 };
  const { report } = await replayHere(cwd, ['logs/talk-1.jsonl'], { policy: 'fold', budget: '4k', reserve: '1k' });
  for (const { stdout: text } of [byId, byFile]) expect(rowsOf(text)[0]).toEqual({ ...report.results[0], ...unpriced });
});

const own = contextOf(process);
writeFileSync(join(cwd, 'kept.jsonl'), '{"key":"a","summary":"b"}\n');
writeFileSync(join(cwd, 'half.yml'), 'models: { mine: { prices: { input: 1 } } }');
writeFileSync(join(cwd, 'bad.yml'), 'mine: { targt: 0.3 }');
writeFileSync(join(cwd, 'taken.yml'), 'fold: { target: 0.3 }');

test("--policies adds the user's own policies", async () => {
  writeFileSync(join(cwd, 'own.yml'), 'late: { strategy: fold, target: 0.9, max_messages: 0 }\n');
  const flags = { policies: 'own.yml', budget: '4k', reserve: '1k' };
  const { report } = await replayHere(cwd, ['logs/talk-8.jsonl'], flags);
  const [, fold, late] = report.results;
  expect(report.results.map(({ policy }) => policy)).toEqual(['everything', 'fold', 'late']);
  expect(late?.cost).not.toBe(fold?.cost);
  expect(late).toMatchObject({ invalid: 0, overBudget: 0 });
});

describe('invalid usage is a one-line error with exit code 2', () => {
  test.each([
    [[], 'nothing to replay: pass files, folders or patterns'],
    [['nowhere.jsonl'], 'nowhere.jsonl does not exist: pass a file, a folder or a pattern such as logs/*.jsonl'],
    [['none/*.jsonl'], 'none/*.jsonl: no file to replay (in folders, only *.jsonl files count)'],
    [
      ['logs', '--policy', 'slidng'],
      'unknown --policy "slidng" (did you mean sliding?): expected some of everything, fold,',
    ],
    [
      ['logs', '--budget', '40K tokens'],
      'invalid --budget "40K tokens": expected a number of tokens, 1000 or more, such as 40k',
    ],
    [['logs', '--budget', '12'], 'invalid --budget "12": expected a number of tokens'],
    [
      ['logs', '--model', 'claude-opus-55'],
      '--model claude-opus-55 is unknown (did you mean claude-opus-5-5?): pass its prices with --prices',
    ],
    [['logs', '--budget', ''], '--budget is empty: expected some of 20k,40k,80k'],
    [['logs', '--budget', ','], '--budget is empty'],
    [['logs', '--policy', ''], '--policy is empty: expected some of everything, fold,'],
    [['logs', '--policy', 'fold+summary'], 'fold+summary: pass recorded model summaries with --summaries'],
    [['logs', '--policy', 'fold', '--missing-summaries', 'm'], '--missing-summaries: none of fold asks for summaries'],
    [['logs', '--html', 'logs/talk-3.jsonl'], '--html logs/talk-3.jsonl would overwrite a transcript to replay'],
    [
      ['logs', '--summaries', 'kept.jsonl', '--missing-summaries', './kept.jsonl'],
      '--missing-summaries ./kept.jsonl would overwrite the --summaries file',
    ],
    [['logs', '--model', 'mine', '--prices', 'half.yml'], '--model mine has no known cache_read price'],
    [['logs', '--prices', 'nowhere.yml'], '--prices'],
    [['logs', '--prices', 'logs/talk-0.jsonl'], 'logs/talk-0.jsonl is neither YAML nor JSON'],
    [['logs', '--summaries', 'logs/talk-0.jsonl'], 'line 1: expected {"key": …, "summary": …}'],
    [['logs', '--min-kept', '101'], 'invalid --min-kept "101": expected a percentage'],
    [['logs', '--half', '3'], 'invalid --half "3": expected 1 or 2'],
    [['logs', '--policies', 'bad.yml'], 'bad.yml, mine: targt is not a configuration key: expected '],
    [['logs', '--policies', 'taken.yml'], '--policies redefines the built-in policy fold'],
    [['logs', '--workers', '0'], 'invalid --workers "0": expected a whole number from 1 to 99'],
  ])('%j', async (args, expected) => {
    const told: string[] = [];
    const context = { ...own, cwd, tell: (line: string) => void told.push(line), print: () => {} };
    expect(await main(['replay', ...args], context)).toBe(2);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(expected);
  });
});
