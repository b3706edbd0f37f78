import { type Dialect, openaiChat } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';

/** Whose words a note of the history is: no agent and no group may be called so. */
export const NOTE_NAME = 'holdfast_note';

const CHAT = openaiChat<CrewMessage>();

/** Chat Completions as a crew's history uses it: its note is marked by a name, and shows no handles, which no agent could recall. */
export const CREW_DIALECT: Dialect<CrewMessage> = {
  ...CHAT,
  handles: false,
  note: (role, text) => ({ ...CHAT.note(role, text), name: NOTE_NAME }) as CrewMessage,
};

/** True for what a fold of the history left in place of messages. Pure. */
export function isNote(message: CrewMessage): boolean {
  return (message.role === 'user' || message.role === 'assistant') && message.name === NOTE_NAME;
}
