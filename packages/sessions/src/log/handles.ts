import { type HandleTarget, handleTarget, messageHandle } from 'holdfast';

/** The position and revision that a handle names, whatever its scope; undefined if it names no single message. Pure. */
export function readHandle(handle: string): { readonly place: number; readonly revision: number } | undefined {
  const { index: place, revision = 0, part, to }: Partial<HandleTarget> = handleTarget(handle) ?? {};
  return place === undefined || part !== undefined || to ? undefined : { place, revision };
}

/** The store's own name for the message that a handle names; the text itself if it names no single message. Pure. */
export function plainHandle(handle: string): string {
  const named = readHandle(handle);
  return named ? messageHandle(named.place, named.revision) : handle;
}
