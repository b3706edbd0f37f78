import { readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { nearest } from '@holdfast/agent/config';
import { MODELS, MODELS_DATE, type ModelOverrides, modelInfo, parseModels } from '@holdfast/agent/models';
import { POLICIES, wantsSummaries } from 'holdfast/replay';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import type { Settings } from './job.ts';

/** What `holdfast replay` was asked for, as it came from the command line. */
export interface ReplayFlags {
  readonly policy?: string;
  readonly budget?: string;
  readonly reserve?: string;
  readonly minTokens?: string;
  readonly model?: string;
  readonly prices?: string;
  readonly summaries?: string;
  readonly missingSummaries?: string;
  readonly session?: readonly string[];
  readonly store?: string;
  readonly html?: string;
  readonly json?: boolean;
  readonly advise?: boolean;
  readonly minCoverage?: string;
  readonly workers?: string;
}

/** What is to be done, checked. */
export interface Plan {
  readonly settings: Settings;
  readonly minTokens: number;
  readonly minCoverage: number;
  readonly workers: number;
  /** Where prices are from, and of which day. */
  readonly prices: { readonly source: string; readonly date: string };
  /** Policies that ask a model for summaries where none are given: the digest stands in. */
  readonly unmeasured: readonly string[];
}

const BUDGETS = '20k,40k,80k';
const RESERVE = '10k';
const DEFAULT_POLICIES = POLICIES.filter((name) => !name.includes('+')).join(',');

/** Checks the flags and reads the files that they name. Throws WrongUse or BAD_CONFIG. */
export function planOf(flags: ReplayFlags, context: Pick<Context, 'cwd'>): Plan {
  const policies = listOf(flags.policy ?? DEFAULT_POLICIES).map(policyNamed);
  const budgets = listOf(flags.budget ?? BUDGETS).map((text) => tokensIn(text, '--budget', 1_000));
  const prices = readPrices(flags.prices, context.cwd);
  const { model } = flags;
  if (model !== undefined) checkModel(model, prices.overrides);
  const summaries = flags.summaries === undefined ? undefined : readSummaries(resolve(context.cwd, flags.summaries));
  const measured = (policy: string) => summaries !== undefined || !policy.endsWith('+summary');
  const combinations = policies.filter(measured).flatMap((policy) => budgets.map((budget) => ({ policy, budget })));
  return {
    settings: {
      combinations,
      reserve: tokensIn(flags.reserve ?? RESERVE, '--reserve', 0),
      overrides: prices.overrides,
      traced: flags.html !== undefined,
      ...(model === undefined ? {} : { model }),
      ...(summaries ? { summaries } : {}),
    },
    minTokens: tokensIn(flags.minTokens ?? '0', '--min-tokens', 0),
    minCoverage: percentIn(flags.minCoverage ?? '95'),
    workers: workersIn(flags.workers),
    prices: { source: prices.source, date: prices.date },
    unmeasured: summaries ? [] : policies.filter(wantsSummaries),
  };
}

function listOf(text: string): string[] {
  return [...new Set(text.split(',').map((one) => one.trim()))].filter((one) => one !== '');
}

function policyNamed(name: string): string {
  if (POLICIES.includes(name)) return name;
  const meant = nearest(name, POLICIES);
  throw new WrongUse(
    `--policy ${name} is unknown${meant ? ` (did you mean ${meant}?)` : ''}: give some of ${POLICIES.join(', ')}`,
  );
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 };

/** Tokens of `40k`, `40000`, `1.5M`; throws WrongUse with the flag's name. */
function tokensIn(text: string, flag: string, least: number): number {
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([kKmM]?)$/.exec(text) ?? [];
  const tokens = Math.round(Number(number) * (UNITS[unit.toLowerCase()] ?? 1));
  if (number !== undefined && tokens >= least) return tokens;
  throw new WrongUse(
    `${flag} ${text} is no number of tokens: give ${least > 0 ? `${least} or more, such as ` : ''}40k`,
  );
}

function percentIn(text: string): number {
  const value = Number(text.replace(/%$/, ''));
  if (text !== '' && value >= 0 && value <= 100) return value;
  throw new WrongUse(`--min-coverage ${text} is no percentage: give a number from 0 to 100`);
}

function workersIn(text: string | undefined): number {
  if (text === undefined) return availableParallelism();
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  throw new WrongUse(`--workers ${text} is no number of threads: give 1 to 99`);
}

function checkModel(model: string, overrides: ModelOverrides): void {
  const { known, prices } = modelInfo(model, overrides);
  if (known && prices?.input !== undefined) return;
  const meant = nearest(model, Object.keys(MODELS));
  const why = known ? 'has no known prices' : 'is not known';
  throw new WrongUse(
    `--model ${model} ${why}${meant ? ` (did you mean ${meant}?)` : ''}: give its prices with --prices`,
  );
}

/** Prices of a file: models by id, or `{ date, models }`, in YAML or JSON. */
function readPrices(
  file: string | undefined,
  cwd: string,
): { readonly overrides: ModelOverrides; readonly source: string; readonly date: string } {
  if (file === undefined) return { overrides: {}, source: 'the table of this version', date: MODELS_DATE };
  const path = resolve(cwd, file);
  const { models, date = statSync(path).mtime.toISOString().slice(0, 10) } = parseModels(
    textOf(path, '--prices'),
    file,
  );
  return { overrides: models, source: file, date };
}

/** Lines `{"key": hash of the prompt, "summary": text}`. */
function readSummaries(path: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [at, line] of textOf(path, '--summaries').split('\n').entries()) {
    if (line.trim() === '') continue;
    const { key, summary } = summaryLine(line);
    if (typeof key !== 'string' || typeof summary !== 'string')
      throw new WrongUse(
        `${path}, line ${at + 1}: give {"key": …, "summary": …}, as --missing-summaries names the keys`,
      );
    found.set(key, summary);
  }
  return found;
}

function summaryLine(line: string): { readonly key?: unknown; readonly summary?: unknown } {
  try {
    return (JSON.parse(line) ?? {}) as { key?: unknown; summary?: unknown };
  } catch {
    return {};
  }
}

function textOf(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new WrongUse(`${flag} ${path} cannot be read (${code}): name a file that is there`, error);
  }
}
