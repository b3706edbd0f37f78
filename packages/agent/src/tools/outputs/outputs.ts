/** Part of an output that was kept. Counted in bytes of UTF-8. */
export interface OutputPart {
  readonly text: string;
  /** Where `text` begins and ends; never inside a character. */
  readonly from: number;
  readonly to: number;
  /** All bytes that were kept. */
  readonly size: number;
}

/** One output on its way into a store. */
export interface OutputWriter {
  readonly handle: string;
  /** Takes the next bytes; those over the store's limit are dropped. Never throws: what cannot be kept is dropped. */
  write(bytes: Uint8Array): void;
  /** How many bytes were kept. Nothing may be written after it. */
  end(): number;
}

/** Where outputs lie that were too long to be shown whole. A handle is `o` and a number. */
export interface OutputStore {
  create(): OutputWriter;
  /** Undefined for a handle that the store does not know, or no longer. */
  read(handle: string, from: number, length: number): OutputPart | undefined;
}

/** Keeps outputs in memory; the oldest go when `max_bytes` in all is passed, and no single one takes more than half of it. */
export function memoryOutputs(max_bytes = 16 * 2 ** 20): OutputStore {
  const kept = new Map<string, Buffer[]>();
  const sizes = new Map<string, number>();
  let total = 0;
  let count = 0;
  const forget = (handle: string) => {
    total -= sizes.get(handle) ?? 0;
    sizes.delete(handle);
    kept.delete(handle);
  };
  return {
    create() {
      const handle = `o${++count}`;
      const parts: Buffer[] = [];
      kept.set(handle, parts);
      sizes.set(handle, 0);
      return {
        handle,
        write(bytes) {
          const size = sizes.get(handle);
          if (size === undefined) return;
          // A copy: the part may be a small piece of a large buffer, which it would hold.
          const part = Buffer.from(bytes.subarray(0, Math.max(0, Math.floor(max_bytes / 2) - size)));
          if (part.length > 0) parts.push(part);
          sizes.set(handle, size + part.length);
          total += part.length;
          for (const other of kept.keys()) if (total > max_bytes && other !== handle) forget(other);
        },
        end: () => sizes.get(handle) ?? 0,
      };
    },
    read(handle, from, length) {
      const parts = kept.get(handle);
      if (!parts) return undefined;
      const bytes = Buffer.concat(parts);
      if (parts.length > 1) parts.splice(0, parts.length, bytes);
      return partOf(
        bytes.subarray(Math.max(0, from - 3), from + length + 3),
        Math.max(0, from - 3),
        from,
        length,
        bytes.length,
      );
    },
  };
}

/**
 * The part from `from` on of about `length` bytes, both ends moved outward to whole characters. `bytes` begin at `start`
 * and reach at least three bytes over each end, as far as there are any. Pure.
 */
export function partOf(bytes: Uint8Array, start: number, from: number, length: number, size: number): OutputPart {
  const inside = (at: number) => ((bytes[at] ?? 0) & 0xc0) === 0x80;
  let low = Math.min(Math.max(0, from - start), bytes.length);
  let high = Math.min(Math.max(low, from + length - start), bytes.length);
  while (low > 0 && low < bytes.length && inside(low)) low--;
  while (high < bytes.length && inside(high)) high++;
  return { text: Buffer.from(bytes.subarray(low, high)).toString('utf8'), from: start + low, to: start + high, size };
}
