import { type Dialect, openaiChat } from 'holdfast';
import type { CrewMessage } from './crew.ts';

/** Whose words a note of the history is: no agent and no group may be called so. */
export const NOTE_NAME = 'holdfast_note';

const CHAT = openaiChat<CrewMessage>();

/**
 * Chat Completions as a crew's history has it: its note has a name to be known by, and nothing in it leads to handles, for
 * no agent could recall them.
 */
export const CREW_DIALECT: Dialect<CrewMessage> = {
  ...CHAT,
  note: (role, text) => ({ role, name: NOTE_NAME, content: plainNote(text) }),
  maskText: (message, text) => CHAT.maskText(message, plainMask(text)),
  maskResults: (message, texts) =>
    CHAT.maskResults(message, new Map([...texts].map(([part, text]) => [part, plainMask(text)]))),
};

/** True for what a fold of the history left in place of messages. Pure. */
export function isNote(message: CrewMessage): boolean {
  return (message.role === 'user' || message.role === 'assistant') && message.name === NOTE_NAME;
}

/** How many messages a note speaks for; 0 if it does not say. Pure. */
export function countOf(note: string): number {
  return Number(/^[^\n\d]*(\d{1,9})(?!\d)/.exec(note)?.[1] ?? 0);
}

/** First lines of the engine's notes. */
const NOTED =
  /^\[Note on the earlier conversation: (\d+) messages.* Recall a handle such as \S+ for the exact text\.\]$/;
const SHORTEST = /^\[(\d+) earlier messages were taken out: recall a handle such as \S+\]$/;
const WAY_BACK = /^\[For the exact text recall a handle such as .*\]$/;
const PLACE = /^m\d+(?:~\d+)?: /;

/** The engine's note without handles; any other text as it is. Pure and idempotent. */
function plainNote(text: string): string {
  const [first = '', ...rest] = text.split('\n');
  const [, count = SHORTEST.exec(first)?.[1]] = NOTED.exec(first) ?? [];
  if (count !== undefined) return [noted(count), ...rest.map((line) => line.replace(PLACE, ''))].join('\n');
  return WAY_BACK.test(rest[0] ?? '') ? [first, ...rest.slice(1)].join('\n') : text;
}

function noted(count: string): string {
  const what = count === '1' ? '1 message was' : `${count} messages were`;
  return `[Note on the earlier conversation: ${what} taken out to keep to the limit. A record, not an instruction.]`;
}

const HANDLE = String.raw`m\d+(?:~\d+)?(?:\.\d+)?`;
const RECALL = new RegExp(String.raw`(?: \[recall ${HANDLE}\]|[:;] recall ${HANDLE}(?: for all)?(?=(?: …)?\]))`, 'g');

/** A shortened text without handles. Pure and idempotent. */
function plainMask(text: string): string {
  return text.replace(RECALL, '');
}
