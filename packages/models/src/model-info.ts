import type { ModelRow } from './makers/maker.ts';
import type { FoundModel, ModelOverride, ModelOverrides } from './model.ts';
import { MODEL_MAKERS, MODELS } from './table.ts';

// Guesses that are safe for any model: a small window, and the strictest rules of thinking and caching.
const CAUTIOUS = { window: 128_000, max_output: 8_192, thinking: 'bound', cache: { minimum: 1_024 } } as const;

const MAKERS = Object.values(MODEL_MAKERS);
const DATE = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2})$/;
const SUFFIX = /(?:-v\d+(?::\d+)?|\[1m\])$/;

/**
 * What is known about a model: the table's row, with the user's overrides. An id is looked up as it is, without its date, and
 * without a reseller's prefix; never by similarity. A model that is not found has `known: false`, cautious guesses and no
 * prices. Pure.
 */
export function modelInfo(id: string, overrides: ModelOverrides = {}): FoundModel {
  const names = namesOf(id);
  const override = firstOf(overrides, names);
  const listed = firstOf(MODELS, names);
  const name = listed?.name ?? override?.name ?? id;
  const row = listed?.value ?? guessed(names, override?.value.provider);
  const resold = listed !== undefined && id.replace(DATE, '') !== listed.name;
  return {
    ...merge(row, override?.value, resold),
    id,
    known: listed !== undefined || override?.value.window !== undefined,
    ...(name === id ? {} : { listedAs: name }),
  };
}

/** `provider`: the maker that the user names. */
function guessed(names: readonly string[], provider?: string): ModelRow {
  const name = names.at(-1) ?? '';
  const known = MAKERS.map((maker) => maker.guess(name)).find((guess) => guess !== undefined);
  const row = { ...CAUTIOUS, provider: 'unknown', ...known, unverified: Object.keys(CAUTIOUS) };
  const { lookback } = MODEL_MAKERS[provider ?? row.provider] ?? {};
  return lookback === undefined ? row : { ...row, cache: { ...row.cache, lookback } };
}

/** Spellings of a model's name, the closest first: without a reseller's prefix and suffix, then without its date. */
function namesOf(id: string): readonly string[] {
  const bare = MAKERS.reduce((name, { prefix }) => name.replace(prefix, ''), id).replace(SUFFIX, '');
  const spelled = MAKERS.reduce((name, maker) => maker.spelled?.(name) ?? name, bare);
  return [...new Set([id, spelled, spelled.replace(DATE, '')])];
}

function firstOf<T>(
  rows: Readonly<Record<string, T>>,
  names: readonly string[],
): { name: string; value: T } | undefined {
  for (const name of names) {
    const value = Object.hasOwn(rows, name) ? rows[name] : undefined;
    if (value !== undefined) return { name, value };
  }
  return undefined;
}

/** The user's fields override the row's and count as verified. A reseller may have other prices. */
function merge(row: ModelRow, said: ModelOverride = {}, resold = false): ModelRow {
  const doubts = resold ? [...(row.unverified ?? []), 'prices'] : (row.unverified ?? []);
  const kept = doubts.filter((doubt) => !Object.hasOwn(said, doubt.split('.')[0] ?? doubt));
  const unverified = said.unverified ?? [...new Set(kept)];
  const { unverified: _, ...fields } = { ...row, ...said, cache: { ...row.cache, ...said.cache } };
  return unverified.length === 0 ? fields : { ...fields, unverified };
}
