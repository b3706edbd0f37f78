import type { ModelOverrides } from '@holdfast/models';
import { HoldfastError } from 'holdfast';
import { parse } from 'yaml';
import { z } from 'zod';
import { MAKERS } from '../providers/index.ts';

const isAmount = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isTokens = (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0;

const dollars = must('be dollars per million tokens', isAmount).optional();
const tokens = must('be a whole number of tokens above 0', isTokens);
const PRICES = { input: dollars, output: dollars, cache_read: dollars, cache_write: dollars, cache_write_1h: dollars };
const MODEL = table({
  provider: oneOf(...MAKERS),
  window: tokens.optional(),
  max_output: tokens.optional(),
  thinking: oneOf('bound', 'free', 'none'),
  adaptive_thinking: must('be true or false', (value) => typeof value === 'boolean').optional(),
  cache: table({ minimum: tokens.optional(), lookback: tokens.optional() }).optional(),
  prices: table({
    ...PRICES,
    tiers: z.array(table({ ...PRICES, above: tokens }), 'must be a list').optional(),
  }).optional(),
  unverified: z.array(z.string(), 'must be a list of names').optional(),
});

/** What is wrong with an override: the path inside it, and the words. Undefined if nothing is. Pure. */
export function modelProblem(
  row: unknown,
): { readonly path: readonly PropertyKey[]; readonly text: string } | undefined {
  const issue = MODEL.safeParse(row).error?.issues[0];
  if (issue?.code !== 'unrecognized_keys') return issue && { path: issue.path, text: issue.message };
  return { path: [...issue.path, issue.keys[0] ?? ''], text: issue.message };
}

/**
 * Reads overrides from plain data, such as a YAML or JSON file: `{ "model-id": { window: 200000 } }`. Throws BAD_CONFIG with
 * the place; `place` is what the error calls the data.
 */
export function readModels(data: unknown, place = 'models'): ModelOverrides {
  if (!isTable(data)) throw new HoldfastError('BAD_CONFIG', `${place}: must be a map of models by id`);
  for (const [id, row] of Object.entries(data)) {
    const problem = modelProblem(row);
    if (!problem) continue;
    const path = problem.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
    throw new HoldfastError('BAD_CONFIG', `${place}["${id}"]${path}: ${problem.text}`);
  }
  return structuredClone(data) as ModelOverrides;
}

/** The models in a file and, if it says so, their date. */
export interface ModelsFile {
  readonly models: ModelOverrides;
  readonly date?: string;
}

/** Reads YAML or JSON: models by id, or `{ date, models }`. Throws BAD_CONFIG; `place` is what the error calls the text. */
export function parseModels(text: string, place: string): ModelsFile {
  const data = parseData(text, place);
  const { date, models } = isTable(data) ? data : {};
  const isDated = typeof date === 'string' && isTable(models);
  return { models: readModels(models ?? data, place), ...(isDated ? { date } : {}) };
}

/** Parses YAML or JSON. Throws BAD_CONFIG; `place` is what the error calls the text. */
export function parseData(text: string, place: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    const [why] = String(cause instanceof Error ? cause.message : cause).split('\n');
    throw new HoldfastError('BAD_CONFIG', `${place} is neither YAML nor JSON: ${why}`, {}, cause);
  }
}

function must(text: string, check: (value: unknown) => boolean) {
  return z.custom<unknown>(check, { error: ({ input }) => (input === undefined ? 'is missing' : `must ${text}`) });
}

function oneOf(...words: readonly string[]) {
  return must(`be one of ${words.join(', ')}`, (value) => words.includes(value as string)).optional();
}

function table<T extends z.ZodRawShape>(fields: T) {
  const known = Object.keys(fields).join(', ');
  const error: z.core.$ZodErrorMap = ({ code }) =>
    code === 'unrecognized_keys' ? `is not a known key: expected one of ${known}` : 'must be a map';
  return z.strictObject(fields, { error });
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
