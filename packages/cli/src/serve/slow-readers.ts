import type { Server, ServerResponse } from 'node:http';

/** Cuts off who does not take the end of an answer: once it is written, nobody else looks after it. */
export function endSlowReaders(server: Pick<Server, 'on'>, write_ms: number): void {
  server.on('request', (_: unknown, response: ServerResponse) => {
    response.once('prefinish', () => {
      const timer = setTimeout(() => response.destroy(), write_ms).unref();
      response.once('close', () => clearTimeout(timer));
    });
  });
}
