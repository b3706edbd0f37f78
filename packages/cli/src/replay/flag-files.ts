import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseConversations } from '@holdfast/agent/config';
import { MODELS_DATE, type ModelOverrides, parseModels } from '@holdfast/agent/models';
import type { ConversationHistoryConfig } from 'holdfast';
import { WrongUse } from '../failure.ts';

/** Prices, where they are from, and of which day. */
export interface PriceList {
  readonly overrides: ModelOverrides;
  readonly source: string;
  readonly date: string;
}

/** The prices of `--prices`, over those of the table. Throws WrongUse or BAD_CONFIG. */
export function readPrices(file: string | undefined, cwd: string): PriceList {
  if (file === undefined) return { overrides: {}, source: 'built-in table', date: MODELS_DATE };
  const path = resolve(cwd, file);
  const { models, date } = parseModels(textOf(path, '--prices'), file);
  return { overrides: models, source: file, date: date ?? statSync(path).mtime.toISOString().slice(0, 10) };
}

/** The configurations of `--policies`, by name. Throws WrongUse or BAD_CONFIG. */
export function readPolicies(
  file: string | undefined,
  cwd: string,
): Readonly<Record<string, ConversationHistoryConfig>> {
  return file === undefined ? {} : parseConversations(textOf(resolve(cwd, file), '--policies'), file);
}

/** The summaries of `--summaries`, lines `{"key": hash of the prompt, "summary": text}`; undefined without it. Throws WrongUse. */
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
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new WrongUse(`cannot read ${flag} ${path} (${code}): pass a file that exists`, error);
  }
}
