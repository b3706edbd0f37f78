import type { IncomingMessage } from 'node:http';
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
 * Reads all bytes of a request; undefined if there are more than `most`. Rejects if the client disconnects, and with a Refused
 * if there is no room for them.
 */
export async function readBody(request: IncomingMessage, most: number, room: OwnRoom): Promise<Buffer | undefined> {
  const length = Number(request.headers['content-length'] ?? most);
  if (length > most) return undefined;
  let bytes: Buffer = Buffer.of();
  let size = 0;
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    const needed = size + chunk.length;
    if (needed > most) return undefined;
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
