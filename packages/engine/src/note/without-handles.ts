import { plainFirstLine } from './render-note.ts';

const PLACE = /^m(\d+)(?:~\d+)?(?:@[\w-]+)?: /;
/** First lines that speak of handles. */
const NOTED =
  /^\[Note on the earlier conversation: (\d+) messages.*(?: Recall a handle such as \S+ for the exact text\.| and tools said\. .+)\]$/;
const SHORT = /^\[(\d+) earlier messages were taken out(?:: recall a handle such as \S+|\. .+)\]$/;
const WAY_BACK = /^\[(?:For the exact text recall a handle such as |Taken out: m\d).*\]$/;

/** A note's text without its handles, for logs that kept them although the model could not recall. Pure and idempotent. */
export function withoutHandles(note: string): string {
  const lines = note.split('\n');
  const at = lines.findIndex((line) => NOTED.test(line) || SHORT.test(line) || WAY_BACK.test(line));
  const first = lines[at];
  if (first === undefined) return note;
  const [, count] = NOTED.exec(first) ?? SHORT.exec(first) ?? [];
  const head = count === undefined ? [] : [plainFirstLine(Number(count))];
  return [...lines.slice(0, at), ...head, ...lines.slice(at + 1).map((line) => line.replace(PLACE, ''))].join('\n');
}
