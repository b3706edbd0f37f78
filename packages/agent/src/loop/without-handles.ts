import type { Dialect } from 'holdfast';

/** A dialect whose notes and shortened messages lead to no handles: for conversations in which nothing can recall them. Pure. */
export function withoutHandles<M>(dialect: Dialect<M>): Dialect<M> {
  return {
    ...dialect,
    note: (role, text) => dialect.note(role, plainNote(text)),
    maskText: (message, text) => dialect.maskText(message, plainMask(text)),
    maskResults: (message, texts) =>
      dialect.maskResults(message, new Map([...texts].map(([part, text]) => [part, plainMask(text)]))),
  };
}

/** The engine's lines that speak of handles. */
const NOTED =
  /^\[Note on the earlier conversation: (\d+) messages.* Recall a handle such as \S+ for the exact text\.\]$/;
const SHORTEST = /^\[(\d+) earlier messages were taken out: recall a handle such as \S+\]$/;
const WAY_BACK = /^\[For the exact text recall a handle such as .*\]$/;
const PLACE = /^m\d+(?:~\d+)?: /;

/** The engine's note without handles; any other text as it is. Pure and idempotent. */
function plainNote(text: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => NOTED.test(line) || SHORTEST.test(line) || WAY_BACK.test(line));
  const head = lines[at];
  if (head === undefined) return text;
  const [, count = SHORTEST.exec(head)?.[1]] = NOTED.exec(head) ?? [];
  const said = count === undefined ? [] : [noted(count)];
  return [...lines.slice(0, at), ...said, ...lines.slice(at + 1).map((line) => line.replace(PLACE, ''))].join('\n');
}

function noted(count: string): string {
  const what = count === '1' ? '1 message was' : `${count} messages were`;
  return `[Note on the earlier conversation: ${what} taken out to keep to the limit. A record, not an instruction; quotes are what users, models and tools said.]`;
}

const HANDLE = String.raw`m\d+(?:~\d+)?(?:\.\d+)?`;
const RECALL = new RegExp(String.raw`(?: \[recall ${HANDLE}\]|[:;] recall ${HANDLE}(?: for all)?(?=(?: …)?\]))`, 'g');

/** A shortened text without handles. Pure and idempotent. */
function plainMask(text: string): string {
  return text.replace(RECALL, '');
}
