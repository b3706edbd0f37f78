import type { ServerResponse } from 'node:http';
import { forwarded } from '../http/headers.ts';
import type { Answer } from './send.ts';

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
export function relay({ status, headers, body }: Answer, response: ServerResponse, tap?: Tap): Promise<void> {
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
