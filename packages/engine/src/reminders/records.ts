import { contentText } from '../content.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { fileName } from '../note/files.ts';
import { callFacts } from '../text/calls.ts';

/** A text of a file that left the view: what a call read, or what it wrote. */
export interface FileRecord {
  /** Index of the message that contains it, and of the result in that message if it has several. */
  readonly at: number;
  readonly part?: number;
  readonly written: boolean;
  readonly text: string;
  /** What the call replaced by it. */
  readonly replaced: string;
}

/** Messages after the call that may have its result. */
const REACH = 4;

/** What the calls of the message at this index read of a file and wrote to it. `original` returns undefined for what is lost. */
export async function recordsAt<M>(
  dialect: Dialect<M>,
  file: string,
  at: number,
  original: (index: number) => Promise<M | undefined>,
): Promise<FileRecord[]> {
  const message = await original(at);
  if (message === undefined) return [];
  const records: FileRecord[] = [];
  const open = new Set<string>();
  for (const call of dialect.read(message).calls) {
    for (const { file: path, use, put, replaced = [] } of callFacts(call).uses) {
      if (fileName(path) !== file) continue;
      if (use === 'read') open.add(call.id);
      else if (put) records.push({ at, written: true, text: put.join('\n'), replaced: replaced.join('\n') });
    }
  }
  for (let i = at + 1; open.size > 0 && i <= at + REACH; i++) {
    const next = await original(i);
    const { results }: Pick<Reading, 'results'> = next === undefined ? { results: [] } : dialect.read(next);
    if (results.length === 0) break;
    results.forEach(({ id, content }, part) => {
      if (!open.delete(id)) return;
      const place = results.length > 1 ? { at: i, part } : { at: i };
      records.push({ ...place, written: false, text: contentText(content), replaced: '' });
    });
  }
  return records;
}
