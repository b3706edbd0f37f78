import type { Writable } from 'node:stream';

/** Resolves once everything written so far is out, or the stream can take no more. */
export function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write('', () => resolve());
  });
}
