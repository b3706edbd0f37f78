import { z } from 'zod';

/** One configuration key: its schema, and the words used for it in errors, docs and new files. */
export interface Row<T = unknown> {
  readonly schema: z.ZodType<T>;
  /** The values it takes, as a phrase for errors and docs. */
  readonly takes: string;
  /** Its meaning, in one line. */
  readonly about: string;
  /** The words it accepts, if it takes one of a few. */
  readonly words?: readonly string[];
  readonly default?: T;
  /** If there is no fixed default: what applies when the key is unset, and a sample value for new files. */
  readonly otherwise?: string;
  readonly example?: T;
  /** The environment variable that sets it. */
  readonly variable?: string;
  /** The variable may hold a password; a file may not. */
  readonly passwordInVariable?: true;
}

/** One row for each key of an interface, so that the compiler reports missing ones. */
export type Rows<T> = { readonly [K in keyof T]-?: Row<Exclude<T[K], undefined>> };

/** The values that rows accept: rows with a default always have one. */
export type Values<T> = {
  readonly [K in keyof T as T[K] extends { readonly default: unknown } ? K : never]: ValueOf<T[K]>;
} & {
  readonly [K in keyof T as T[K] extends { readonly default: unknown } ? never : K]?: ValueOf<T[K]>;
};

/** By the field that holds the type: an inference from ZodType itself depends on which other zod schemas the compiler saw before. */
type ValueOf<R> = R extends { readonly schema: { readonly _output: infer T } } ? T : never;

type Typed<T> = Pick<Row<T>, 'schema' | 'takes'>;
type Rest<T> = Omit<Row<T>, 'schema' | 'takes'>;

/** A whole number within bounds. */
export function whole<R extends Rest<number>>(least: number, most: number, rest: R): Typed<number> & R {
  const takes =
    most === Number.MAX_SAFE_INTEGER ? `a whole number, ${least} or more` : `a whole number from ${least} to ${most}`;
  return { schema: z.int().min(least).max(most), takes, ...rest };
}

/** Dollars, decimals allowed. */
export function amount<R extends Rest<number>>(rest: R): Typed<number> & R {
  return { schema: z.number().min(0), takes: 'an amount in dollars, 0 or more', ...rest };
}

/** A time, decimals allowed. `most` is the longest that timers can wait. */
export function time<R extends Rest<number>>(least: 'from 0' | 'above 0', most: number, rest: R): Typed<number> & R {
  const schema = z.number().max(most);
  const takes = `a number ${least === 'from 0' ? 'from 0 to' : 'above 0, up to'} ${most}`;
  return { schema: least === 'from 0' ? schema.min(0) : schema.gt(0), takes, ...rest };
}

/** `true` or `false`. */
export function truth<R extends Rest<boolean>>(rest: R): Typed<boolean> & R {
  return { schema: z.boolean(), takes: 'true or false', ...rest };
}

/** A string that is not blank. */
export function text<R extends Rest<string>>(takes: string, rest: R): Typed<string> & R {
  return { schema: z.string().regex(/\S/), takes, ...rest };
}

/** The address of a server. */
export function url<R extends Rest<string>>(rest: R): Typed<string> & R {
  return { schema: z.url({ protocol: /^https?$/ }), takes: 'a URL that starts with http:// or https://', ...rest };
}

/** One of a few words. */
export function word<const T extends string, R extends Rest<T>>(words: readonly T[], rest: R): Typed<T> & R {
  return { schema: z.enum(words), takes: `one of ${words.join(', ')}`, words, ...rest };
}

/** A list of strings, none of them blank. */
export function texts<R extends Rest<readonly string[]>>(takes: string, rest: R): Typed<readonly string[]> & R {
  return { schema: z.array(z.string().regex(/\S/)), takes, ...rest };
}

/** Makes the rows of other files. */
export const rowKinds = { text, texts, time, truth, whole, word };
