/** Where each of `count` rows starts, and, last, where they end. Pure. */
export function offsetsOf(count: number, heightOf: (index: number) => number): Float64Array {
  const offsets = new Float64Array(count + 1);
  for (let index = 0; index < count; index++) offsets[index + 1] = (offsets[index] ?? 0) + heightOf(index);
  return offsets;
}

/** The row at a place: the last that starts at or before it. Pure. */
export function rowAt(offsets: Float64Array, place: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
