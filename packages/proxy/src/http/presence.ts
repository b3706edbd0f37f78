import type { Socket } from 'node:net';

/** Which conversations still have a client. */
export interface Presence {
  /** A client asks on this connection. */
  came(conversation: string, connection: Socket): void;
  /** True if a conversation had clients here, and the connections of all of them are closed. */
  hasLeft(conversation: string): boolean;
}

/** `most`: conversations to remember. */
export function createPresence(most = 1_000): Presence {
  const connections = new Map<string, Set<Socket>>();
  return {
    came(conversation, connection) {
      const open = connections.get(conversation) ?? new Set<Socket>();
      connections.delete(conversation);
      connections.set(conversation, open);
      const [oldest] = connections.keys();
      if (connections.size > most && oldest !== undefined) connections.delete(oldest);
      if (connection.destroyed || open.has(connection)) return;
      open.add(connection);
      connection.once('close', () => open.delete(connection));
    },
    hasLeft: (conversation) => connections.get(conversation)?.size === 0,
  };
}
