import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProxyEvent } from '../events.ts';
import type { Vendor } from '../http/api-error.ts';
import { forwarded } from '../http/headers.ts';
import { pathOf } from '../routes.ts';
import type { Answer } from './send.ts';

/** Who gets an answer, and to what. */
interface Receiver {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly vendor: Vendor;
  readonly parts: { readonly onEvent: (event: ProxyEvent) => void };
}

/** Reads along; must not change the bytes or throw. */
export interface Tap {
  write(chunk: Uint8Array): void;
  /** Nothing more comes: the answer ended, or either side hung up. */
  end(): void;
}

/**
 * Sends an answer to the client: status and headers immediately, then every chunk as it comes, no faster than the client
 * reads. If the upstream breaks off, so does the answer. Resolves when the answer is over, however it ended.
 */
export function relay({ status, headers, body }: Answer, receiver: Receiver, tap?: Tap): Promise<void> {
  const { request, response, vendor, parts } = receiver;
  // Clients look for what an API may not have.
  if (status >= 400 && request.method === 'POST')
    parts.onEvent({ type: 'answer-fail', upstream: vendor, path: pathOf(request.url ?? '/'), status });
  response.sendDate = false;
  response.writeHead(status, forwarded(headers));
  // Sends the headers. Unlike flushHeaders(), it keeps bytes that are not ASCII.
  response.write(Buffer.of());
  return new Promise((resolve) => {
    let isOver = false;
    const over = () => {
      if (isOver) return;
      isOver = true;
      tap?.end();
      resolve();
    };
    body.on('data', (chunk: Uint8Array) => {
      tap?.write(chunk);
      if (!response.write(chunk)) body.pause();
    });
    response.on('drain', () => body.resume());
    response.on('close', () => body.destroy());
    body.on('end', () => {
      over();
      response.end();
    });
    body.on('error', () => {
      over();
      response.destroy();
    });
    body.on('close', over);
  });
}
