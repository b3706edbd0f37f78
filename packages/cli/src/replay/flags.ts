import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseConversations, parseModels } from '@holdfast/agent/config';
import { MODELS_DATE, type ModelOverrides } from '@holdfast/models';
import type { ConversationHistoryConfig } from 'holdfast';
import { orWrongUse, WrongUse } from '../failure.ts';

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 };

/** Splits a comma-separated list without duplicates. Throws WrongUse if it is empty. */
export function listOf(text: string, flag: string, such: string): string[] {
  const parts = [...new Set(text.split(',').map((one) => one.trim()))].filter((one) => one !== '');
  if (parts.length === 0) throw new WrongUse(`${flag} is empty: expected some of ${such}`);
  return parts;
}

/** Parses `40k`, `40000`, `1.5M`. Throws WrongUse. */
export function tokensIn(text: string, flag: string, least: number): number {
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([kKmM]?)$/.exec(text) ?? [];
  const tokens = Math.round(Number(number) * (UNITS[unit.toLowerCase()] ?? 1));
  if (number !== undefined && tokens >= least) return tokens;
  throw new WrongUse(
    `invalid ${flag} "${text}": expected a number of tokens${least > 0 ? `, ${least} or more` : ''}, such as 40k`,
  );
}

/** Parses a percentage. Throws WrongUse. */
export function percentIn(text: string, flag: string): number {
  const value = Number(text.replace(/%$/, ''));
  if (text !== '' && value >= 0 && value <= 100) return value;
  throw new WrongUse(`invalid ${flag} "${text}": expected a percentage from 0 to 100`);
}

/** Parses which half of the conversations to use. Throws WrongUse. */
export function halfIn(text: string | undefined): 1 | 2 | undefined {
  if (text === undefined) return undefined;
  if (text === '1' || text === '2') return text === '1' ? 1 : 2;
  throw new WrongUse(`invalid --half "${text}": expected 1 or 2`);
}

/** Prices, their source and date. */
export interface PriceList {
  readonly overrides: ModelOverrides;
  readonly source: string;
  readonly date: string;
}

/** Reads `--prices`, which override the built-in table. Throws WrongUse or BAD_CONFIG. */
export function readPrices(file: string | undefined, cwd: string): PriceList {
  if (file === undefined) return { overrides: {}, source: 'built-in table', date: MODELS_DATE };
  const path = resolve(cwd, file);
  const { models, date } = parseModels(textOf(path, '--prices'), file);
  return { overrides: models, source: file, date: date ?? statSync(path).mtime.toISOString().slice(0, 10) };
}

/** Reads the named configurations of `--policies`. Throws WrongUse or BAD_CONFIG. */
export function readPolicies(
  file: string | undefined,
  cwd: string,
): Readonly<Record<string, ConversationHistoryConfig>> {
  return file === undefined ? {} : parseConversations(textOf(resolve(cwd, file), '--policies'), file);
}

/** Reads `--summaries`, lines of `{"key": hash of the prompt, "summary": text}`; undefined if not given. Throws WrongUse. */
export function readSummaries(file: string | undefined, cwd: string): ReadonlyMap<string, string> | undefined {
  if (file === undefined) return undefined;
  const found = new Map<string, string>();
  for (const [at, line] of textOf(resolve(cwd, file), '--summaries').split('\n').entries()) {
    if (line.trim() === '') continue;
    const { key, summary } = summaryLine(line);
    if (typeof key !== 'string' || typeof summary !== 'string')
      throw new WrongUse(
        `${file}, line ${at + 1}: expected {"key": …, "summary": …} with a key from --missing-summaries`,
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
  return orWrongUse(`read ${flag} ${path}`, 'pass a file that exists', () => readFileSync(path, 'utf8'));
}
