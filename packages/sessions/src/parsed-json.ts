/** Most levels of nesting. Tools need a few; at some thousands, copying or writing a value overflows the stack. */
export const MOST_LEVELS = 400;

/** The value of a JSON text; undefined if it is invalid or nested too deeply. Pure. */
export function parsedJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** True for a value that is nested too deeply, or endlessly. Pure. */
export function isTooDeep(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) if (isTooDeep(value[key as keyof typeof value], levels - 1)) return true;
  return false;
}
