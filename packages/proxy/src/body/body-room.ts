import { Refused } from '../http/api-error.ts';

/** The memory that the bodies of all requests may take together. */
export interface BodyRoom {
  /** The part of a new body: nothing yet. The signal aborts when its client leaves. */
  open(signal: AbortSignal): OwnRoom;
}

/** A body's part of the room. */
export interface OwnRoom {
  /**
   * Changes it to this many bytes. To grow, it waits until there is room, or no other body is left. Rejects with a Refused if that
   * takes too long or the client leaves. 0 frees it.
   */
  resize(bytes: number): Promise<void>;
}

/** Room for `most` bytes. `ms`: how long a body may wait. */
export function createBodyRoom(most: number, ms: number): BodyRoom {
  /** Those that wait to grow, the oldest first; each says whether it could. */
  const waiting = new Set<() => boolean>();
  let used = 0;
  /** The body that may grow beyond the room: bodies that have come in part would otherwise wait for each other. */
  let beyond: object | undefined;
  const message = `running requests already hold ${most} bytes, the limit; try again when some are answered`;
  const refusal = { status: 503, message, headers: { 'retry-after': '5' } };
  const admit = () => {
    for (const resize of waiting) if (resize()) waiting.delete(resize);
  };
  const open = (signal: AbortSignal): OwnRoom => {
    const self = {};
    let own = 0;
    const mayGrow = (bytes: number) => {
      const others = used - own;
      if (others === 0 || others + bytes <= most) return true;
      if (own > 0) beyond ??= self;
      return beyond === self;
    };
    const resizing = (bytes: number, resolve: () => void, reject: (error: Refused) => void) => {
      const resize = () => {
        if (bytes > own && !mayGrow(bytes)) return false;
        used += bytes - own;
        own = bytes;
        if (own === 0 && beyond === self) beyond = undefined;
        resolve();
        return true;
      };
      if (!resize()) waiting.add(resize);
      admit();
      const leave = () => {
        if (waiting.delete(resize)) reject(new Refused(refusal));
      };
      if (signal.aborted) leave();
      else if (waiting.has(resize)) AbortSignal.any([signal, AbortSignal.timeout(ms)]).addEventListener('abort', leave);
    };
    return { resize: (bytes) => new Promise((resolve, reject) => resizing(bytes, resolve, reject)) };
  };
  return { open };
}
