import type { FoundModel, ModelInfo, ModelOverride, ModelOverrides } from './model.ts';
import { MODELS } from './table.ts';

// Guesses that are safe for any model: a small window, and the strictest rules of thinking and caching.
const CAUTIOUS = { window: 128_000, max_output: 8_192, thinking: 'bound', cache: { minimum: 1_024 } } as const;

const DATE = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2})$/;
const SUFFIX = /(?:-v\d+(?::\d+)?|\[1m\])$/;
const PREFIX = /^(?:(?:[a-z]{2,6}\.)?anthropic[./]|openai\/)/;

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
  const row = listed?.value ?? guessed(names);
  const resold = listed !== undefined && id.replace(DATE, '') !== listed.name;
  return {
    ...merge(row, override?.value, resold),
    id,
    known: listed !== undefined || override?.value.window !== undefined,
    ...(name === id ? {} : { listedAs: name }),
  };
}

function guessed(names: readonly string[]): Omit<ModelInfo, 'id'> {
  const unverified = Object.keys(CAUTIOUS);
  const claude = names.find((name) => name.includes('claude'));
  if (claude === undefined) return { ...CAUTIOUS, provider: 'openai', unverified };
  return { ...CAUTIOUS, provider: 'anthropic', adaptive_thinking: isAdaptive(claude), unverified };
}

/** From 4.6 on thinking is adaptive, and newer models accept nothing else; a name without a version is that of a new model. */
function isAdaptive(name: string): boolean {
  const [, major = 9, minor = 0] = /-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(name.replace(DATE, '')) ?? [];
  return Number(major) + Number(minor) / 100 >= 4.06;
}

/** Spellings of a model's name, the closest first: without a reseller's prefix and suffix, then without its date. */
function namesOf(id: string): readonly string[] {
  const bare = id.replace(PREFIX, '').replace(SUFFIX, '');
  const spelled = bare.startsWith('claude-') ? bare.replace(/(\d)\.(\d)/, '$1-$2') : bare;
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
function merge(row: Omit<ModelInfo, 'id'>, said: ModelOverride = {}, resold = false): Omit<ModelInfo, 'id'> {
  const doubts = resold ? [...(row.unverified ?? []), 'prices'] : (row.unverified ?? []);
  const kept = doubts.filter((doubt) => !Object.hasOwn(said, doubt.split('.')[0] ?? doubt));
  const unverified = said.unverified ?? [...new Set(kept)];
  const { unverified: _, ...fields } = { ...row, ...said, cache: { ...row.cache, ...said.cache } };
  return unverified.length === 0 ? fields : { ...fields, unverified };
}
