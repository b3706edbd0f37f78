import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import { fieldProblem, RequestProblem } from './problem.ts';

/** Limits of a body. */
export interface BodyLimits {
  readonly maxBytes: number;
  /** Time for any body to arrive; after that it must keep to 100 kB/s. */
  readonly bodyMs: number;
  /** Gets the number of bytes so far; an error it throws ends the reading. */
  readonly hold?: (bytes: number) => void;
  /** What to do if the body is too large. */
  readonly advice: string;
}

/** Bytes per millisecond, below any connection that is used for megabytes. No measurement supports it. */
const PACE = 100;

/** Time for a body of this size to arrive. Pure. */
export const patienceFor = (bytes: number, bodyMs: number): number => bodyMs + bytes / PACE;

/** Reads the text of a JSON body. Throws RequestProblem. */
export async function bodyOf(context: HonoContext, limits: BodyLimits): Promise<string> {
  const type = context.req.header('content-type') ?? '';
  if (!/^application\/json(?:\s*;|$)/i.test(type))
    throw fieldProblem(415, 'the content-type must be application/json', 'content-type', 'must be application/json');
  const encoding = context.req.header('content-encoding') ?? 'identity';
  if (!/^(?:identity)?$/i.test(encoding))
    throw fieldProblem(415, 'send the body without content-encoding', 'content-encoding', 'is not supported');
  const { incoming } = context.env as { incoming: HttpBindings['incoming'] };
  if (Number(context.req.header('content-length') ?? 0) > limits.maxBytes) throw tooLong(limits);
  const parts = await partsOf(incoming as IncomingMessage, limits);
  return new TextDecoder().decode(Buffer.concat(parts));
}

/** Stops reading on an error, but leaves the connection open for the answer. */
function partsOf(incoming: IncomingMessage, limits: BodyLimits): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const began = performance.now();
    let bytes = 0;
    let timer: NodeJS.Timeout | undefined;
    const settle = (error?: unknown) => {
      clearTimeout(timer);
      incoming.off('data', take).off('end', settle).off('error', settle).off('close', cutOff);
      if (error === undefined) return resolve(parts);
      // Later errors have no listener.
      incoming.on('error', () => {}).pause();
      reject(error);
    };
    const cutOff = () => settle(new RequestProblem(400, 'the connection was closed during the request'));
    const take = (part: Buffer) => {
      parts.push(part);
      bytes += part.length;
      try {
        if (bytes > limits.maxBytes) throw tooLong(limits);
        limits.hold?.(bytes);
      } catch (error) {
        settle(error);
      }
    };
    const watch = () => {
      const left = began + patienceFor(bytes, limits.bodyMs) - performance.now();
      if (left > 0) timer = setTimeout(watch, left);
      else settle(new RequestProblem(408, `the body arrives too slowly: send at least ${PACE} kB/s`));
    };
    watch();
    incoming.on('data', take).on('end', settle).on('error', settle).on('close', cutOff);
  });
}

function tooLong({ maxBytes, advice }: BodyLimits): RequestProblem {
  const detail = `must have at most ${maxBytes} bytes`;
  return fieldProblem(413, `body: ${detail}: ${advice}`, 'body', detail);
}
