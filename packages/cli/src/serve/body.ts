import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import { RequestProblem } from './problem.ts';

/** What a body may be. */
export interface BodyLimits {
  readonly max_bytes: number;
  /** So long any body may take; a longer one must have come at 100 kB a second by then, and from then on. */
  readonly body_ms: number;
  /** Told how many bytes have come; what it throws ends the reading. */
  readonly hold?: (bytes: number) => void;
  /** What to do where it has too many bytes. */
  readonly advice: string;
}

/** Bytes a millisecond: slower than any connection that people send megabytes over. No measurement supports it. */
const PACE = 100;

/** How long a body of so many bytes may take. Pure. */
export const patienceFor = (bytes: number, body_ms: number): number => body_ms + bytes / PACE;

/** The text of a body that says it is JSON. Throws RequestProblem. */
export async function bodyOf(context: HonoContext, limits: BodyLimits): Promise<string> {
  const type = context.req.header('content-type') ?? '';
  if (!/^application\/json(?:\s*;|$)/i.test(type))
    throw unsupported('content-type', 'must be application/json', 'give a body of content-type application/json');
  const encoding = context.req.header('content-encoding') ?? 'identity';
  if (!/^(?:identity)?$/i.test(encoding))
    throw unsupported('content-encoding', 'must be left out', 'give the body as it is, without content-encoding');
  const { incoming } = context.env as { incoming: HttpBindings['incoming'] };
  if (Number(context.req.header('content-length') ?? 0) > limits.max_bytes) throw tooLong(limits);
  const parts = await partsOf(incoming as IncomingMessage, limits);
  return new TextDecoder().decode(Buffer.concat(parts));
}

/** Leaves the rest where it is once it throws, so that the answer can still be sent. */
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
      // Nobody listens any more.
      incoming.on('error', () => {}).pause();
      reject(error);
    };
    const cutOff = () => settle(new RequestProblem(400, 'the request was cut off'));
    const take = (part: Buffer) => {
      parts.push(part);
      bytes += part.length;
      try {
        if (bytes > limits.max_bytes) throw tooLong(limits);
        limits.hold?.(bytes);
      } catch (error) {
        settle(error);
      }
    };
    const watch = () => {
      const left = began + patienceFor(bytes, limits.body_ms) - performance.now();
      if (left > 0) timer = setTimeout(watch, left);
      else settle(new RequestProblem(408, `the body comes too slowly: send ${PACE} kB a second or more`));
    };
    watch();
    incoming.on('data', take).on('end', settle).on('error', settle).on('close', cutOff);
  });
}

function unsupported(field: string, detail: string, what: string): RequestProblem {
  return new RequestProblem(415, what, { errors: [{ field, detail }] });
}

function tooLong({ max_bytes, advice }: BodyLimits): RequestProblem {
  const detail = `give at most ${max_bytes} bytes`;
  return new RequestProblem(413, `body: ${detail}: ${advice}`, { errors: [{ field: 'body', detail }] });
}
