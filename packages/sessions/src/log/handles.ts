import { type HandleTarget, handleTarget, messageHandle } from 'holdfast';

/**
 * The position and revision that a handle names; undefined if it names no single message. A scope (`m41@ID`) is ignored, because
 * the session is known. Pure.
 */
export function readHandle(handle: string): { readonly place: number; readonly era: number } | undefined {
  const { index: place, revision: era = 0, part, to }: Partial<HandleTarget> = handleTarget(handle) ?? {};
  return place === undefined || part !== undefined || to ? undefined : { place, era };
}

/** The store's own name for the message that a handle names; the text itself if it names no single message. Pure. */
export function plainHandle(handle: string): string {
  const named = readHandle(handle);
  return named ? messageHandle(named.place, named.era) : handle;
}
