import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

type Connect = buildConnector.connector;

/** The first line of a request as undici writes it, in one piece with its headers. */
const REQUEST = /^[A-Z]\S* \S+ HTTP\/1\.1\r\n/;
/** Any interim answer but a change of protocol, for which the proxy never asks. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d/;
const INTERIM_LENGTH = 'HTTP/1.1 100'.length;
const END = '\r\n\r\n';
/** A longer one is an error, and undici's to find. */
const MOST_BYTES = 16_384;

/**
 * Opens connections on which interim answers (1xx) are skipped. undici takes `100 Continue`, which some servers send without being
 * asked, for an error.
 */
export function skippingInterim(connect: Connect): Connect {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      skipInterim(socket);
      callback(null, socket);
    });
}

function skipInterim(socket: Socket): void {
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket)] as const;
  /** The bytes at the start of an answer, until they are known to be the final one's. */
  let start: Buffer | undefined;
  socket.write = ((...given: Parameters<typeof write>) => {
    if (typeof given[0] === 'string' && REQUEST.test(given[0])) start = Buffer.of();
    return write(...given);
  }) as typeof socket.write;
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read(size);
    if (!start || !chunk) return chunk;
    start = withoutInterim(Buffer.concat([start, chunk]));
    if (start.length < INTERIM_LENGTH || (isInterim(start) && start.length < MOST_BYTES)) return null;
    const rest = start;
    start = undefined;
    return rest;
  };
}

function isInterim(bytes: Buffer): boolean {
  return INTERIM.test(bytes.toString('latin1', 0, INTERIM_LENGTH));
}

function withoutInterim(bytes: Buffer): Buffer {
  const end = isInterim(bytes) ? bytes.indexOf(END) : -1;
  return end < 0 ? bytes : withoutInterim(bytes.subarray(end + END.length));
}
