/** Computes a value on first use, then releases what it was computed from. */
export function onFirstUse<T>(make: () => T): () => T {
  let left: (() => T) | undefined = make;
  let made: T;
  return () => {
    if (left) made = left();
    left = undefined;
    return made;
  };
}
