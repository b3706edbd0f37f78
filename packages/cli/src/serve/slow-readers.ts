import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Cuts off who takes nothing of what was written to them for so long. Who takes a little, however slowly, stays: Node tells
 * of a socket only once its queue of writes has not become shorter, which the system lets it see in steps of a megabyte or so.
 */
export function endSlowReaders(server: Pick<Server, 'on' | 'setTimeout'>, write_ms: number): void {
  const answering = new WeakMap<Socket, number>();
  const add = (socket: Socket, count: number) => answering.set(socket, (answering.get(socket) ?? 0) + count);
  server.on('request', ({ socket }: { readonly socket: Socket }, response: ServerResponse) => {
    add(socket, 1);
    response.once('close', () => add(socket, -1));
  });
  server.setTimeout(write_ms, (socket: Socket) => {
    // An answer that is still thought about has nothing to be taken yet.
    if (socket.writableLength > 0 || !answering.get(socket)) socket.destroy();
  });
}
