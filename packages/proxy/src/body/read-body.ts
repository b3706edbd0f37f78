import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
// By namespace: versions of Node without zstd can still import this file.
import * as zlib from 'node:zlib';
import type { OwnRoom } from './body-room.ts';

const DECODERS = {
  gzip: promisify(zlib.gunzip),
  'x-gzip': promisify(zlib.gunzip),
  deflate: promisify(zlib.inflate),
  br: promisify(zlib.brotliDecompress),
  zstd: (bytes: Buffer, options: zlib.ZstdOptions) => promisify(zlib.zstdDecompress)(bytes, options),
};

/** Of a body that announces more: a client may announce anything, so its room grows with what has come. */
const FIRST_BYTES = 131_072;

/**
 * Reads all bytes of a request. If there are more than `most`: a stream of all of them, read or not. Rejects if the client
 * disconnects, and with a Refused if there is no room for them.
 */
export async function readBody(request: IncomingMessage, most: number, room: OwnRoom): Promise<Buffer | Readable> {
  const length = Number(request.headers['content-length'] ?? most);
  if (length > most) return request;
  let bytes: Buffer = Buffer.of();
  let size = 0;
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    const needed = size + chunk.length;
    if (needed > most) return joined([bytes.subarray(0, size), chunk], request);
    if (needed > bytes.length) {
      const larger = Math.min(Math.max(needed, 16 * bytes.length, FIRST_BYTES), length);
      await room.resize(larger);
      const before = bytes;
      bytes = Buffer.allocUnsafe(larger);
      before.copy(bytes);
    }
    chunk.copy(bytes, size);
    size = needed;
  }
  return bytes.subarray(0, size);
}

/** A stream of what was read of another, and of its rest. It breaks off where that does. */
export function joined(start: readonly Buffer[], rest: Readable): Readable {
  async function* all() {
    yield* start;
    yield* rest;
  }
  return Readable.from(all(), { objectMode: false });
}

/**
 * Bytes as they were before `content-encoding`; undefined if that is unknown, the bytes are damaged, or there are more than
 * `most`. Never rejects.
 */
export async function decoded(bytes: Buffer, encoding: string | undefined, most: number): Promise<Buffer | undefined> {
  const name = encoding?.trim().toLowerCase() || 'identity';
  if (name === 'identity') return bytes;
  if (!Object.hasOwn(DECODERS, name)) return undefined;
  const decode = DECODERS[name as keyof typeof DECODERS];
  return await decode(bytes, { maxOutputLength: most }).catch(() => undefined);
}
