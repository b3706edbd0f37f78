import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Time to read the answer before the connection is destroyed: closing one with unread input would discard the answer. */
const LINGER_MS = 2_000;
/** File descriptors for other purposes. No measurement supports it; an idle server has about 30. */
const OTHERS = 64;
const LEAST = 16;
/** Used if the system has no limit. */
const MOST = 10_000;

/** Connections that this process has file descriptors for, each with another one to a model. */
export function maxConnections(): number {
  // With the network part, the report would look up the names of all connections.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = Number(userLimits?.open_files?.soft ?? Number.NaN);
  const limit = Number.isFinite(soft) ? soft : 2 * MOST;
  return Math.min(MOST, Math.max(LEAST, Math.floor((limit - OTHERS) / 2)));
}

/** Destroys a connection soon after its last answer, unless `isFine` by then. */
export function endSoon(socket: Duplex, isFine: () => boolean = () => false): void {
  setTimeout(() => {
    if (!isFine()) socket.destroy();
  }, LINGER_MS).unref();
}

/**
 * Limits the number of connections. A new one replaces the oldest without a request, else the oldest whose body is
 * incomplete, else the oldest that does not read its answer; if there is none, the new one is refused. Also destroys
 * connections whose request was answered but never completes.
 */
export function boundConnections(server: Pick<Server, 'on'>, max: number): void {
  const waiting = new Set<Socket>();
  const asking = new Map<Socket, IncomingMessage>();
  const oldest = (socket: Socket) => {
    const [idle] = waiting;
    if (idle !== undefined && idle !== socket) return idle;
    for (const [slow, request] of asking) if (!request.complete) return slow;
    for (const [slow] of asking) if (slow.writableLength > 0) return slow;
    return socket;
  };
  server.on('connection', (socket: Socket) => {
    waiting.add(socket);
    socket.once('close', () => {
      waiting.delete(socket);
      asking.delete(socket);
    });
    if (waiting.size + asking.size <= max) return;
    const ended = oldest(socket);
    waiting.delete(ended);
    asking.delete(ended);
    ended.destroy();
  });
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    waiting.delete(socket);
    asking.set(socket, request);
    response.once('close', () => {
      if (!request.complete) endSoon(socket, () => request.complete);
      if (asking.get(socket) !== request || !asking.delete(socket)) return;
      if (!socket.destroyed) waiting.add(socket);
    });
  };
  server.on('request', begin).on('checkExpectation', begin);
}
