import { isRecord } from '../json/record.ts';

/** The part of a cut that stands for the arguments of all calls of a message. */
export const ARGUMENTS = -2;

/** A shorter text stays whole: paths, commands, questions. */
export const LONG_ARGUMENT = 400;
/** Deeper arguments stay whole. */
const DEEPEST = 16;

/** A string in JSON text, and the colon after it if it is a key. */
const JSON_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

/**
 * Arguments with each text in them of more than `longest` characters shortened: an object as an object, JSON text as JSON text,
 * the text of a custom tool as text. Undefined if there is no such text, or the text starts like JSON but is not. Pure.
 */
export function shortenedArguments(input: unknown, longest: number, shorten: (text: string) => string): unknown {
  const short = (text: string) => (text.length > longest ? shorten(text) : text);
  if (typeof input !== 'string') return shortenedValue(input, short, 0);
  if (input.length <= longest) return undefined;
  if (!/^\s*[[{"]/.test(input)) return short(input);
  if (!isJson(input)) return undefined;
  // Only the texts are replaced, so that numbers and spaces stay as they are.
  const text = input.replace(JSON_STRING, (literal: string, colon?: string) =>
    colon !== undefined || literal.length <= longest ? literal : JSON.stringify(short(JSON.parse(literal))),
  );
  return text === input ? undefined : text;
}

function shortenedValue(value: unknown, short: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') {
    const text = short(value);
    return text === value ? undefined : text;
  }
  if (depth > DEEPEST || !isPlain(value)) return undefined;
  let isChanged = false;
  const entries = Object.entries(value).map(([key, item]) => {
    const shorter = shortenedValue(item, short, depth + 1);
    isChanged ||= shorter !== undefined;
    return [key, shorter ?? item] as const;
  });
  if (!isChanged) return undefined;
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

/** True for lists and objects that are nothing but their fields. */
function isPlain(value: unknown): value is object {
  return Array.isArray(value) || (isRecord(value) && Object.getPrototypeOf(value) === Object.prototype);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
