/** Deeper values cannot be sent: `JSON.stringify` itself overflows the stack at a few thousand levels. */
export const DEPTH = 500;

export function tooDeep(): RangeError {
  return new RangeError(`more than ${DEPTH} levels`);
}

/** Throws RangeError for a value nested too deep to be sent, or circular. */
export function checkDepth(value: object, depth = 0): void {
  if (depth > DEPTH) throw tooDeep();
  if (Array.isArray(value)) {
    // Not for..in, which turns each index into a string.
    for (let i = 0; i < value.length; i++) checkItem(value[i], depth);
    return;
  }
  for (const key in value) checkItem(value[key as keyof typeof value], depth);
}

function checkItem(item: unknown, depth: number): void {
  if (typeof item === 'object' && item !== null && !ArrayBuffer.isView(item)) checkDepth(item, depth + 1);
}
