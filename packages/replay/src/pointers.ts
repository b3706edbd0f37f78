import { type ChatMessage, remembered } from './chat.ts';
import type { Policy } from './replay.ts';
import { lines } from './spans.ts';

/** A handle of one message or one result. The start of a range points nowhere. */
const HANDLE = /\bm\d+(?:~\d+)?(?:\.\d+)?(?:@[\w-]+)?\b(?!\s*[-–]\s*m?\d)/g;
const FILE_NAME = /[\w@.-]+\.[a-zA-Z]{1,5}\b/g;
/** A line that names more files, or more handles, is a list in which nobody finds anything. */
const MOST_FILES = 3;
const MOST_HANDLES = 3;

/** True if the view points to a line of a file that it lacks. */
export type PointsTo = (view: readonly ChatMessage[], file: string | undefined, line: string) => Promise<boolean>;

/**
 * Returns a function that looks for pointers under this policy: a line of the view names the file and a handle, and
 * recalling the handle returns the missing line. Each handle is recalled once.
 */
export function createPointers({ recall }: Pick<Policy, 'recall'>): PointsTo {
  const recalled = new Map<string, readonly ReadonlySet<string>[]>();
  const linesBehind = async (handle: string) => {
    const known = recalled.get(handle);
    if (known) return known;
    const found = (await recallSafely(recall, handle)).map(lines);
    recalled.set(handle, found);
    return found;
  };
  return async (view, file, line) => {
    if (!recall || !file) return false;
    for (const { text, handles } of view.flatMap(pointersIn)) {
      if (!text.includes(file)) continue;
      for (const handle of handles) if ((await linesBehind(handle)).some((one) => one.has(line))) return true;
    }
    return false;
  };
}

/** Nothing if the policy knows no such handle: conversations may mention handles, too. */
async function recallSafely(recall: Policy['recall'], handle: string): Promise<readonly ChatMessage[]> {
  try {
    return (await recall?.(handle)) ?? [];
  } catch {
    return [];
  }
}

/** The lines of a message that point somewhere, each with its first handles. */
const pointersIn = remembered(({ content }: ChatMessage) =>
  (content ?? '').split('\n').flatMap((text) => {
    const handles = (text.match(HANDLE) ?? []).filter((handle) => !text.includes(`-${handle}`)).slice(0, MOST_HANDLES);
    const isList = new Set(text.match(FILE_NAME)).size > MOST_FILES;
    return handles.length === 0 || isList ? [] : [{ text, handles }];
  }),
);
