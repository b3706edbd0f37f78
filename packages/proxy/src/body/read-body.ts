import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
// By namespace: versions of Node without zstd can still import this file.
import * as zlib from 'node:zlib';

const DECODERS = {
  gzip: promisify(zlib.gunzip),
  'x-gzip': promisify(zlib.gunzip),
  deflate: promisify(zlib.inflate),
  br: promisify(zlib.brotliDecompress),
  zstd: (bytes: Buffer, options: zlib.ZstdOptions) => promisify(zlib.zstdDecompress)(bytes, options),
};

/** Reads all bytes of a request; undefined if there are more than `most`. Rejects if the client disconnects. */
export function readBody(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > most) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    // With a known length each chunk is copied as it comes, and none is kept.
    let bytes: Buffer = Buffer.allocUnsafe(length);
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      if (size + chunk.length > most) return resolve(undefined);
      if (size + chunk.length > bytes.length) bytes = grown(bytes, size, size + chunk.length);
      chunk.copy(bytes, size);
      size += chunk.length;
    });
    request.on('end', () => resolve(bytes.subarray(0, size)));
    request.on('close', () => reject(new Error('the client disconnected')));
  });
}

function grown(bytes: Buffer, size: number, least: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(least, 2 * bytes.length, 65_536));
  bytes.copy(larger, 0, 0, size);
  return larger;
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
