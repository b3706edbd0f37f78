import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createPolicy, type ReplayResult, replay, summarize } from '@holdfast/replay';
import { billingOf } from '@holdfast/replay/report';
import { readTranscript } from '@holdfast/replay/transcripts';
import { expect, test } from 'vitest';
import { recordedConversations } from '../../../scripts/recorded-folds.ts';
import { SOAK } from '../../../scripts/soak.ts';
import { BIN, COMPILE_CACHE, holdfast } from './holdfast.ts';

const transcripts = process.env.HOLDFAST_TRANSCRIPTS;

test('the command prints what replay measures in this process', async ({ skip }) => {
  if (!transcripts) return skip('set HOLDFAST_TRANSCRIPTS to a folder of recorded conversations');
  const long = recordedConversations(transcripts, 40_000).filter((_, at) => SOAK || at % 18 === 0);
  const [base, own]: [ReplayResult[], ReplayResult[]] = [[], []];
  for (const conversation of long) {
    base.push(await replay(conversation, () => createPolicy('everything', { budget: 0, reserve: 0 })));
    own.push(await replay(conversation, () => createPolicy('fold', { budget: 40_000, reserve: 10_000 })));
  }
  const { relativeCost, coverage, spans, pointed, invalid, rewrites, total } = summarize(own, base);
  const files = long.map(({ name }) => join(transcripts, `${name}.jsonl`));
  const { stdout } = await holdfast(['replay', ...files, '--policy', 'fold', '--budget', '40k', '--json']);
  const [row] = JSON.parse(stdout).results;
  const shares = { cost: relativeCost, coverage, spans, pointed, rewrites };
  for (const [key, value] of Object.entries(shares)) expect(row[key], key).toBeCloseTo(value ?? Number.NaN, 9);
  expect(row).toMatchObject({ invalid, peak: total.peak, calls: total.calls });
});

test('5 policies at 3 budgets take less than a gigabyte of memory', async ({ skip }) => {
  if (!transcripts) return skip('set HOLDFAST_TRANSCRIPTS to a folder of recorded conversations');
  const names = readdirSync(transcripts, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .sort();
  const files = names.filter((_, at) => SOAK || at % 32 === 0).map((name) => join(transcripts, name));
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const { code, peak } = await measured([
    'replay',
    ...files,
    '--policy',
    'fold,sliding,governed,two-tier,rolling',
    '--json',
  ]);
  console.log(`${(bytes / 1e6).toFixed(1)} MB × 15: ${Math.round(peak / 2 ** 20)} MB`);
  expect(code).toBe(0);
  if (process.platform === 'linux') expect(peak).toBeLessThan(2 ** 30);
});

interface Recorded {
  readonly meta: { readonly model: string; readonly usage_per_call?: readonly Readonly<Record<string, number>>[] };
}

test('by the providers’ rules, sending everything matches the recorded cache reads within 5 points', async ({
  skip,
}) => {
  if (!transcripts) return skip('set HOLDFAST_TRANSCRIPTS to a folder of recorded conversations');
  // Overhead in tokens, fitted from the recorded prompts; models whose rules are those of the recorded ones.
  const sources = {
    'entire-cli-claude': [41_000, 'claude-opus-4-6'],
    'entire-gitsync-codex': [4_000, 'gpt-5.2'],
  } as const;
  for (const [source, [overhead, model]] of Object.entries(sources)) {
    const sums = { recorded: 0, prompts: 0, read: 0, sent: 0 };
    const billing = billingOf(model, {});
    for (const file of readdirSync(join(transcripts, source))) {
      const path = join(transcripts, source, file);
      const { meta }: Recorded = JSON.parse(readFileSync(path, 'utf8').split('\n', 1)[0] ?? '');
      for (const usage of meta.usage_per_call ?? []) {
        const {
          input_tokens: input = 0,
          cache_read_input_tokens: read = 0,
          cache_creation_input_tokens: written = 0,
        } = usage;
        sums.recorded += read + (usage.cached_input_tokens ?? 0);
        sums.prompts += input + read + written;
      }
      for await (const recording of readTranscript(path)) {
        const options = { overhead, ...(billing ? { billing } : {}) };
        const { bill } = await replay(recording, () => createPolicy('everything', { budget: 0, reserve: 0 }), options);
        sums.read += bill?.read ?? 0;
        sums.sent += (bill?.read ?? 0) + (bill?.written ?? 0) + (bill?.plain ?? 0);
      }
    }
    const [recorded, modelled] = [sums.recorded / sums.prompts, sums.read / sums.sent];
    console.log(
      `${source}: ${(100 * recorded).toFixed(1)}% read as recorded, ${(100 * modelled).toFixed(1)}% by the rules`,
    );
    expect(Math.abs(recorded - modelled), source).toBeLessThan(0.05);
  }
});

/** Runs the command and returns its peak memory. */
function measured(args: readonly string[]): Promise<{ code: number | null; peak: number }> {
  return new Promise((resolve, reject) => {
    const env = { ...COMPILE_CACHE, PATH: process.env.PATH ?? '' };
    const child = spawn(process.execPath, ['--conditions=@holdfast/source', BIN, ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env,
    });
    let peak = 0;
    const look = () => {
      try {
        const [, kilobytes = '0'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
        peak = Math.max(peak, Number(kilobytes) * 1_024);
      } catch {
        // Another system, or the process has ended.
      }
    };
    const timer = setInterval(look, 100);
    child.stdout.on('data', look);
    child.once('error', reject);
    child.once('close', (code) => {
      clearInterval(timer);
      resolve({ code, peak });
    });
  });
}
