import type { IncomingMessage } from 'node:http';
import { isTooDeep } from './json.ts';
import { Refusal } from './refusal.ts';

/** A request as it arrived; its body is not parsed yet. */
export interface Arrived {
  readonly method: string;
  readonly path: string;
  header(name: string): string | undefined;
  readonly body: Buffer;
}

const BODY_BYTES = 256 * 1024 * 1024;

/** Reads a whole request; a body larger than any API accepts is cut. Rejects if the client disconnects. */
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

/** The parsed body. Throws a Refusal if it is not JSON or nested too deeply. */
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
