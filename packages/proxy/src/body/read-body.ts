import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';

const DECODERS = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

/** Reads all bytes of a request; undefined if there are more than `most`. Rejects if the client disconnects. */
export async function readBody(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > most) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > most) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks, bytes);
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
