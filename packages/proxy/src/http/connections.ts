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
    // Only once all that has arrived is read: a connection may look idle because its request was not read yet.
    setImmediate(() => {
      if (waiting.size + asking.size <= max) return;
      const ended = oldest(socket);
      waiting.delete(ended);
      asking.delete(ended);
      ended.destroy();
    });
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

/**
 * Ends connections that are silent for this long, between requests or within one. An upload may take any time as long as it
 * continues. Before a connection ends, what has arrived is read: if the process was busy or stopped, its timers are late, too.
 */
export function endSilent(server: Server, ms: number): void {
  Object.assign(server, { headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: ms, timeout: ms });
  const latest = new WeakMap<Socket, { readonly request: IncomingMessage; readonly response: ServerResponse }>();
  const begin = (request: IncomingMessage, response: ServerResponse) =>
    void latest.set(request.socket, { request, response });
  server.on('request', begin).on('checkExpectation', begin);
  server.on('timeout', (socket: Socket) => {
    const { bytesRead } = socket;
    setImmediate(() => {
      const { request, response } = latest.get(socket) ?? {};
      const isSending = request?.complete === false && !response?.headersSent;
      // A client cannot send what is not read, and has nothing to say while it waits for its answer.
      const isWaiting = isSending ? request.readableLength > 0 : response?.closed === false;
      if (isWaiting || socket.bytesRead !== bytesRead) socket.setTimeout(ms);
      else if (isSending) socket.end(TOO_SLOW, () => socket.destroy());
      else socket.destroy();
    });
  });
}

const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n';
