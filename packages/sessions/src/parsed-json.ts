/** The most levels that are read. Tools need a few; at some thousands, copying or writing a value overflows the stack. */
export const MOST_LEVELS = 400;

/** What a text says in JSON; undefined if it is none, or nested too deep. Pure. */
export function parsedJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** True for a value with more levels than are read, or without an end. Pure. */
export function isTooDeep(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) if (isTooDeep(value[key as keyof typeof value], levels - 1)) return true;
  return false;
}
