import { HoldfastError } from 'holdfast';
import { parse } from 'yaml';
import type { ModelOverrides } from './model.ts';

type Check = (value: unknown) => string | undefined;

const tokens: Check = (value) =>
  Number.isSafeInteger(value) && Number(value) > 0 ? undefined : 'must be a whole number of tokens above 0';
const dollars: Check = (value) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? undefined
    : 'must be dollars for a million tokens';
const truth: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const word = (...words: readonly string[]): Check => {
  return (value) => (words.includes(value as string) ? undefined : `must be one of ${words.join(', ')}`);
};
const words: Check = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? undefined : 'must be a list of names';

const PRICE = { input: dollars, output: dollars, cache_read: dollars, cache_write: dollars, cache_write_1h: dollars };
const TIER = shape({ ...PRICE, above: tokens }, 'above');
const MODEL = shape({
  provider: word('anthropic', 'openai'),
  window: tokens,
  max_output: tokens,
  thinking: word('bound', 'free', 'none'),
  adaptive_thinking: truth,
  cache: shape({ minimum: tokens, lookback: tokens }),
  prices: shape({ ...PRICE, tiers: listOf(TIER) }),
  unverified: words,
});

/**
 * Overrides from plain data, as a YAML or JSON file gives it: `{ "model-id": { window: 200000 } }`.
 * Throws BAD_CONFIG with the place and what it must be. `place` is what the error calls the data.
 */
export function readModels(data: unknown, place = 'models'): ModelOverrides {
  const refuse = (problem: string) => new HoldfastError('BAD_CONFIG', `${place}${problem}`);
  if (!isRecord(data)) throw refuse(': must be a table of models by id');
  for (const [id, row] of Object.entries(data)) {
    const problem = MODEL(row);
    if (problem !== undefined) throw refuse(`["${id}"]${problem.startsWith('.') ? '' : ': '}${problem}`);
  }
  return structuredClone(data) as ModelOverrides;
}

/** What a file says of models, and of which day it is where it says that. */
export interface ModelsFile {
  readonly models: ModelOverrides;
  readonly date?: string;
}

/** Reads YAML or JSON: models by id, or `{ date, models }`. Throws BAD_CONFIG; `place` is what the error calls the text. */
export function parseModels(text: string, place: string): ModelsFile {
  const data = parsedYaml(text, place);
  const { date, models } = isRecord(data) ? data : {};
  const isDated = typeof date === 'string' && isRecord(models);
  return { models: readModels(models ?? data, place), ...(isDated ? { date } : {}) };
}

function parsedYaml(text: string, place: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    const [why] = String(cause instanceof Error ? cause.message : cause).split('\n');
    throw new HoldfastError('BAD_CONFIG', `${place} is neither YAML nor JSON: ${why}`, {}, cause);
  }
}

/** Checks each field of a record and refuses others; a problem of a field begins with its place. */
function shape(fields: Readonly<Record<string, Check>>, required?: string): Check {
  return (value) => {
    if (!isRecord(value)) return 'must be a table';
    if (required !== undefined && !Object.hasOwn(value, required)) return `.${required}: is missing`;
    for (const [name, field] of Object.entries(value)) {
      const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (check === undefined) return `.${name}: is not known; known are ${Object.keys(fields).join(', ')}`;
      const problem = check(field);
      if (problem !== undefined) return `.${name}${/^[.[]/.test(problem) ? '' : ': '}${problem}`;
    }
    return undefined;
  };
}

function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    for (const [i, one] of value.entries()) {
      const problem = check(one);
      if (problem !== undefined) return `[${i}]${problem.startsWith('.') ? '' : ': '}${problem}`;
    }
    return undefined;
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
