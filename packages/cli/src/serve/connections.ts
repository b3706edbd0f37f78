import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Room for the answer to be read before its connection goes: a connection with unread bytes takes its answer along. */
const LINGER_MS = 2_000;
/** Descriptors for files, databases and MCP servers. No measurement supports it; an idle server has about 30. */
const OTHERS = 64;
const LEAST = 16;
/** Where the system names no limit. */
const MOST = 10_000;

/** Connections that this process has descriptors for, each with one of its own to a model. */
export function maxConnections(): number {
  // Without the addresses of all connections, whose names it would look up.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = Number(userLimits?.open_files?.soft ?? Number.NaN);
  const limit = Number.isFinite(soft) ? soft : 2 * MOST;
  return Math.min(MOST, Math.max(LEAST, Math.floor((limit - OTHERS) / 2)));
}

/** Destroys a connection soon after its last answer was written, whether or not its client closes it; not if `isFine` by then. */
export function endSoon(socket: Duplex, isFine: () => boolean = () => false): void {
  setTimeout(() => {
    if (!isFine()) socket.destroy();
  }, LINGER_MS).unref();
}

/**
 * Keeps at most so many connections. A new one takes the place of the one that has waited longest: first of those without a
 * request, then of those whose body is still coming, then of those that do not read. If all are being answered, the new
 * one is refused. A connection whose request was answered, and then does not come to its end, is ended.
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
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    waiting.delete(socket);
    asking.set(socket, request);
    response.once('close', () => {
      if (!request.complete) endSoon(socket, () => request.complete);
      if (asking.get(socket) !== request || !asking.delete(socket)) return;
      if (!socket.destroyed) waiting.add(socket);
    });
  });
}
