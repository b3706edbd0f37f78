import type { Transform } from 'node:stream';
// By namespace: versions of Node without zstd can still import this file.
import * as zlib from 'node:zlib';
import { isRecord, jsonOf } from '../body/json.ts';
import { headerIn } from '../http/headers.ts';
import type { Tap } from '../upstream/relay.ts';

/** A longer line or body is not read: no usage is worth the memory. */
const MOST_CHARACTERS = 16_000_000;

/** How to unpack a copy; what arrived before a connection broke is unpacked, too. */
const UNPACK: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  deflate: () => zlib.createInflate({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  br: () => zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => zlib.createZstdDecompress({ finishFlush: zlib.constants.ZSTD_e_flush }),
};

/**
 * Reads the usage from an answer while its bytes pass, whether events or JSON, compressed or not. Calls `onUsage` once: at the
 * event that ends an answer, or when nothing more comes; with undefined if no usage came.
 */
export function createUsageReader(headers: readonly string[], onUsage: (usage: unknown) => void): Tap {
  const isStream = /event-stream/i.test(headerIn(headers, 'content-type') ?? '');
  let isDone = false;
  const done = (usage: unknown) => {
    if (!isDone) onUsage(usage);
    isDone = true;
  };
  const reader = isStream ? eventReader(done) : jsonReader(done);
  const encoding = headerIn(headers, 'content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return plainTap(reader);
  const unpack = Object.hasOwn(UNPACK, encoding) ? UNPACK[encoding]?.() : undefined;
  if (!unpack) return { write() {}, end: () => done(undefined) };
  unpack.on('data', (chunk: Buffer) => reader.read(chunk.toString('latin1')));
  unpack.on('error', () => reader.end());
  unpack.on('end', () => reader.end());
  return { write: (chunk) => void unpack.write(chunk), end: () => void unpack.end() };
}

/** Reads text with one character for each byte: figures are ASCII. */
interface Reader {
  read(text: string): void;
  end(): void;
}

function plainTap({ read, end }: Reader): Tap {
  return { write: (chunk) => read(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')), end };
}

function jsonReader(done: (usage: unknown) => void): Reader {
  let text = '';
  return {
    read(more) {
      if (text.length <= MOST_CHARACTERS) text += more;
    },
    end() {
      const usage = text.length <= MOST_CHARACTERS ? usageIn(jsonOf(text)) : undefined;
      done(isRecord(usage) ? usage : undefined);
      text = '';
    },
  };
}

/** The last event of an answer, by its type; `[DONE]` ends those of Chat Completions. */
const LAST = /"type"\s*:\s*"(?:message_stop|response\.(?:completed|incomplete|failed))"|^data:\s*\[DONE\]/;

function eventReader(done: (usage: unknown) => void): Reader {
  let line = '';
  let usage: Record<string, unknown> | undefined;
  const readLine = (text: string) => {
    if (!text.startsWith('data:')) return;
    if (/"usage(?:Metadata)?"/.test(text)) usage = merged(usage, usageIn(jsonOf(text.slice(5))));
    // The type comes first in every event, and a long text may quote one.
    if (LAST.test(text.slice(0, 200))) done(usage);
  };
  return {
    read(more) {
      const lines = more.split('\n');
      const last = lines.pop() ?? '';
      for (const text of lines) {
        readLine(line + text);
        line = '';
      }
      if (line.length <= MOST_CHARACTERS) line += last;
    },
    end: () => done(usage),
  };
}

/** The usage in an event or a body: its own, or that of the message or response in it. */
function usageIn(event: unknown): unknown {
  if (!isRecord(event)) return undefined;
  if (isRecord(event.usageMetadata)) return event.usageMetadata;
  const holder = [event, event.message, event.response].find((one) => isRecord(one) && isRecord(one.usage));
  return isRecord(holder) ? holder.usage : undefined;
}

/** Later figures replace earlier ones; a figure that is left out or null stays. */
function merged(before: Record<string, unknown> | undefined, after: unknown): Record<string, unknown> | undefined {
  if (!isRecord(after)) return before;
  return { ...before, ...Object.fromEntries(Object.entries(after).filter(([, value]) => value != null)) };
}
