import { type Dialect, openaiChat } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';

/** The name of notes in the history, reserved. */
export const NOTE_NAME = 'holdfast_note';

const CHAT = openaiChat<CrewMessage>();

/** Chat Completions as a crew's history uses it: its note is marked by a name, and shows no handles, which no agent could recall. */
export const CREW_DIALECT: Dialect<CrewMessage> = {
  ...CHAT,
  handles: false,
  note: (role, text) => ({ ...CHAT.note(role, text), name: NOTE_NAME }) as CrewMessage,
};

/** True for the note that a fold left in the history. Pure. */
export function isNote(message: CrewMessage): boolean {
  return (message.role === 'user' || message.role === 'assistant') && message.name === NOTE_NAME;
}
