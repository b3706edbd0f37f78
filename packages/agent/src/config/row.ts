import { z } from 'zod';

/** One key of a configuration: what it takes, and all that is said of it in errors, pages and new files. */
export interface Row<T = unknown> {
  readonly schema: z.ZodType<T>;
  /** What it takes, to be read behind "give". */
  readonly takes: string;
  /** What it means, in one line. */
  readonly about: string;
  /** For one of some words: these. */
  readonly words?: readonly string[];
  readonly default?: T;
  /** Where there is no default: what holds if nothing is given, and a value for new files. */
  readonly otherwise?: string;
  readonly example?: T;
  /** The variable of the environment that gives it. */
  readonly variable?: string;
  /** That variable, unlike a file, may hold a password. */
  readonly password_in_variable?: true;
}

/** A row for each key of an interface: the compiler finds those that are missing. */
export type Rows<T> = { readonly [K in keyof T]-?: Row<Exclude<T[K], undefined>> };

type Rest<T> = Omit<Row<T>, 'schema' | 'takes'>;

/** A whole number within bounds. */
export function whole(least: number, most: number, rest: Rest<number>): Row<number> {
  const takes = `a whole number from ${least} ${most === Number.MAX_SAFE_INTEGER ? 'on' : `to ${most}`}`;
  return { schema: z.int().min(least).max(most), takes, ...rest };
}

/** A number from 0 on, with decimals. */
export function amount(rest: Rest<number>): Row<number> {
  return { schema: z.number().min(0), takes: 'a number from 0 on', ...rest };
}

/** A time, with decimals. `most`: what timers can wait. */
export function time(least: 'from 0' | 'above 0', most: number, rest: Rest<number>): Row<number> {
  const schema = z.number().max(most);
  const takes = `a number ${least} ${least === 'from 0' ? 'to' : 'up to'} ${most}`;
  return { schema: least === 'from 0' ? schema.min(0) : schema.gt(0), takes, ...rest };
}

/** `true` or `false`. */
export function truth(rest: Rest<boolean>): Row<boolean> {
  return { schema: z.boolean(), takes: 'true or false', ...rest };
}

/** A text that is not empty. */
export function text(takes: string, rest: Rest<string>): Row<string> {
  return { schema: z.string().regex(/\S/), takes, ...rest };
}

/** One of some words. */
export function word<const T extends string>(words: readonly T[], rest: Rest<T>): Row<T> {
  return { schema: z.enum(words), takes: `one of ${words.join(', ')}`, words, ...rest };
}

/** A list of texts, none of them empty. */
export function texts(takes: string, rest: Rest<readonly string[]>): Row<readonly string[]> {
  return { schema: z.array(z.string().regex(/\S/)), takes, ...rest };
}
