/** Part of a stored output. Offsets are bytes of UTF-8. */
export interface OutputPart {
  readonly text: string;
  /** Where `text` begins and ends, never inside a character. */
  readonly from: number;
  readonly to: number;
  /** Size of the whole stored output. */
  readonly size: number;
}

/** Writes one output to a store. */
export interface OutputWriter {
  readonly handle: string;
  /** Appends bytes; drops what exceeds the store's limit or cannot be stored. Never throws. */
  write(bytes: Uint8Array): void;
  /** Ends the output and returns how many bytes were stored. */
  end(): number;
}

/** Stores outputs that were too long to show in full. A handle is `o` and a number. */
export interface OutputStore {
  create(): OutputWriter;
  /** Undefined for an unknown handle, or one that was evicted. */
  read(handle: string, from: number, length: number): OutputPart | undefined;
}

/** Stores outputs in memory, up to `maxBytes`: evicts the oldest first, and caps each output at half of that. */
export function memoryOutputs(maxBytes = 16 * 2 ** 20): OutputStore {
  const kept = new Map<string, { parts: Buffer[]; size: number }>();
  let total = 0;
  let count = 0;
  return {
    create() {
      const handle = `o${++count}`;
      const own: { parts: Buffer[]; size: number } = { parts: [], size: 0 };
      kept.set(handle, own);
      return {
        handle,
        write(bytes) {
          if (!kept.has(handle)) return;
          // Copied, because a small slice would keep its whole buffer in memory.
          const part = Buffer.from(bytes.subarray(0, Math.max(0, Math.floor(maxBytes / 2) - own.size)));
          if (part.length > 0) own.parts.push(part);
          own.size += part.length;
          total += part.length;
          for (const [other, { size }] of kept) {
            if (total <= maxBytes || other === handle) continue;
            kept.delete(other);
            total -= size;
          }
        },
        end: () => (kept.has(handle) ? own.size : 0),
      };
    },
    read(handle, from, length) {
      const found = kept.get(handle);
      if (!found) return undefined;
      const bytes = Buffer.concat(found.parts);
      found.parts = [bytes];
      const start = Math.max(0, from - 3);
      return partOf(bytes.subarray(start, from + length + 3), start, from, length, bytes.length);
    },
  };
}

/**
 * About `length` bytes starting at `from`, both ends moved outward to whole characters. `bytes` begin at offset `start` and
 * include up to three more bytes at each end. Pure.
 */
export function partOf(bytes: Uint8Array, start: number, from: number, length: number, size: number): OutputPart {
  const inside = (at: number) => ((bytes[at] ?? 0) & 0xc0) === 0x80;
  let low = Math.min(Math.max(0, from - start), bytes.length);
  let high = Math.min(Math.max(low, from + length - start), bytes.length);
  while (low > 0 && low < bytes.length && inside(low)) low--;
  while (high < bytes.length && inside(high)) high++;
  return { text: Buffer.from(bytes.subarray(low, high)).toString('utf8'), from: start + low, to: start + high, size };
}
