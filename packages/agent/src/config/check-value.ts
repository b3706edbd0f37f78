import type { z } from 'zod';
import { MCP_SERVER_KEYS } from '../tools/mcp/config.ts';
import { shown } from './problem.ts';
import type { Row } from './row.ts';
import { nearest } from './suggest.ts';

/** A checked value: as its row expects it, or what is wrong with it, phrased to follow the key's name. */
export interface Checked {
  readonly value: unknown;
  readonly problems: readonly { readonly path: readonly PropertyKey[]; readonly text: string }[];
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

/** Checks a value by its row and never throws. Pure. */
export function checkValue(row: Row, value: unknown): Checked {
  const parsed = row.schema.safeParse(value, { reportInput: true });
  if (parsed.success) return { value: parsed.data, problems: [] };
  const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, row, value));
  return { value: undefined, problems };
}

/** Checks a word from the environment or a command line, as a number or a boolean if its row does not accept text. Pure. */
export function checkWord(row: Row, word: unknown): Checked {
  const first = checkValue(row, word);
  if (first.problems.length === 0 || typeof word !== 'string') return first;
  const other = /^(?:true|false)$/.test(word)
    ? word === 'true'
    : /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(word)
      ? Number(word)
      : undefined;
  if (other === undefined) return first;
  const second = checkValue(row, other);
  return second.problems.length === 0 ? second : first;
}

function problemsOf(issue: z.core.$ZodIssue, row: Row, value: unknown): Checked['problems'] {
  const path = issue.path;
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap || path.length === 0)
    return [{ path, text: `is ${shown(inputOf(issue, value))}: expected ${row.takes}${near(row, value)}` }];
  if (issue.code === 'invalid_union') {
    const branch = issue.errors.toSorted((a, b) => weight(a) - weight(b))[0] ?? [];
    const inner = branch.map((one) => ({ ...one, path: [...path, ...one.path] }));
    return inner.flatMap((one) => problemsOf(one, row, value));
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], text: `is not a known key${meant(key, path.length)}` }));
  }
  if (issue.code === 'invalid_type') {
    return [{ path, text: `is ${shown(issue.input)}: expected ${KINDS[issue.expected] ?? issue.expected}` }];
  }
  if (issue.code === 'invalid_key') {
    return [{ path, text: `is not a valid name: expected ${issue.issues[0]?.message ?? 'another'}` }];
  }
  return [
    { path, text: issue.code === 'custom' ? issue.message : `is ${shown(issue.input)}: expected ${issue.message}` },
  ];
}

/** The branch the user probably meant: the one with the fewest problems, each unknown key counting as one. */
function weight(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
}

function inputOf(issue: z.core.$ZodIssue, value: unknown): unknown {
  return issue.path.length === 0 ? value : issue.input;
}

function meant(key: string, depth: number): string {
  const word = depth === 1 ? nearest(key, MCP_SERVER_KEYS) : undefined;
  return word === undefined ? `: expected one of ${MCP_SERVER_KEYS.join(', ')}` : `: did you mean ${word}?`;
}

/** The word the user probably meant, if the row accepts only a few. */
function near(row: Row, value: unknown): string {
  const word = typeof value === 'string' ? nearest(value, row.words ?? []) : undefined;
  return word === undefined ? '' : `; did you mean ${word}?`;
}
