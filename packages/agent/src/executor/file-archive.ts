import { type Archive, HoldfastError } from 'holdfast';
import { openAppended, type Place } from './appended.ts';

/** An archive that is kept in a file. */
export interface FileArchive extends Archive {
  close(): void;
}

/**
 * An archive in one file that only grows: a line for each message, on the disk before a view without it is sent. STORE_CONFLICT
 * if a handle would name two messages.
 */
export function fileArchive(path: string): FileArchive {
  const places = new Map<string, Place>();
  const file = openAppended(path, (line, place) => places.set(entryOf(path, line).handle, place));
  const get = (handle: string) => {
    const place = places.get(handle);
    return place && entryOf(path, file.at(place)).message;
  };
  return {
    put(entries) {
      const fresh = entries.filter(({ handle }) => !places.has(handle));
      const isOther = (one: (typeof entries)[number]) =>
        JSON.stringify(get(one.handle)) !== JSON.stringify(one.message);
      const other = entries.find((one) => places.has(one.handle) && isOther(one));
      if (other) {
        const text = `${path} holds another message as ${other.handle}: use one archive for each conversation`;
        throw new HoldfastError('STORE_CONFLICT', text, { handle: other.handle });
      }
      if (fresh.length === 0) return;
      const added = file.add(fresh.map(({ handle, message }) => JSON.stringify({ handle, message })));
      for (const [at, place] of added.entries()) places.set(fresh[at]?.handle ?? '', place);
    },
    get,
    close: file.close,
  };
}

function entryOf(path: string, line: string): { handle: string; message: unknown } {
  try {
    return JSON.parse(line) as { handle: string; message: unknown };
  } catch (error) {
    throw new HoldfastError(
      'BAD_STATE',
      `${path} is damaged: its line ${line.slice(0, 80)} is no JSON. Put the file back from a copy, or start the task anew, without --resume`,
      {},
      error,
    );
  }
}
