import type { IncomingMessage } from 'node:http';
import { isTooDeep } from './json.ts';
import { Refusal } from './refusal.ts';

/** A request as it came in, its body not parsed yet. */
export interface Arrived {
  readonly method: string;
  readonly path: string;
  header(name: string): string | undefined;
  readonly body: Buffer;
}

const BODY_BYTES = 256 * 1024 * 1024;

/** Reads a whole request. Rejects if the client leaves, or sends more than any of the APIs would read. */
export async function arrive(request: IncomingMessage): Promise<Arrived> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part: Buffer = chunk;
    bytes += part.length;
    if (bytes <= BODY_BYTES) chunks.push(part);
  }
  return {
    method: request.method ?? 'GET',
    path: new URL(request.url ?? '/', 'http://stand-in').pathname.replace(/\/+$/, ''),
    header: (name) => [request.headers[name] ?? []].flat().join(',') || undefined,
    body: Buffer.concat(chunks),
  };
}

/** The body as JSON. Throws a Refusal in the words of a server that cannot read it. */
export function jsonBody(arrived: Arrived): unknown {
  let value: unknown;
  try {
    value = JSON.parse(arrived.body.toString('utf8'));
  } catch {
    throw new Refusal(400, 'The request body is not valid JSON.');
  }
  if (isTooDeep(value)) throw new Refusal(400, 'The request body is nested too deeply.');
  return value;
}
