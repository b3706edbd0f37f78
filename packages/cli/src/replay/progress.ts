import type { WriteStream } from 'node:tty';
import { counted, duration } from '../view/amounts.ts';
import { drawn } from '../view/printed.ts';

/** Tells a person how far it is. */
export interface Progress {
  /** So many more bytes were read. */
  read(bytes: number): void;
  /** So many conversations are done. */
  replayed(conversations: number): void;
  end(): void;
}

const EVERY_MS = 100;
const CELLS = 24;
const CLEAR = '\r\x1b[2K';

/** A bar on a terminal; nothing anywhere else. `total`: bytes of all files. */
export function createProgress(stream: WriteStream, total: number): Progress {
  if (stream.isTTY !== true || process.env.TERM === 'dumb')
    return { read: () => {}, replayed: () => {}, end: () => {} };
  const screen = drawn(stream);
  const start = Date.now();
  let [last, bytes, conversations] = [0, 0, 0];
  const draw = (): void => {
    const now = Date.now();
    if (now - last < EVERY_MS) return;
    last = now;
    const share = total > 0 ? Math.min(1, bytes / total) : 1;
    const full = Math.round(share * CELLS);
    const bar = '█'.repeat(full) + '░'.repeat(CELLS - full);
    const text = `${bar} ${Math.floor(share * 100)}% read · ${counted(conversations, 'conversation')} replayed · ${duration(now - start)}`;
    screen.write(CLEAR + text.slice(0, Math.max(10, (stream.columns || 80) - 1)));
  };
  return {
    read(more) {
      bytes += more;
      draw();
    },
    replayed(count) {
      conversations = count;
      draw();
    },
    end: () => void screen.write(CLEAR),
  };
}
