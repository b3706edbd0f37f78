import { createHash } from 'node:crypto';

/** What tells parts of one conversation apart: the number of a part, and the file's ending. */
const PART = /(?:-seg\d+)?(?:\.jsonl|\.ndjson|\.json)?(?:#\d+)?(?: \(side chain\))?$/;

/**
 * Which half a conversation belongs to, by its name alone: rules that were chosen on one half can be confirmed on the other.
 * Parts of one conversation are in the same. Pure.
 */
export function halfOf(name: string): 1 | 2 {
  const [file = ''] = name.split(/[\\/]/).slice(-1);
  const [first = 0] = createHash('sha256').update(file.replace(PART, '')).digest();
  return first % 2 === 0 ? 1 : 2;
}
