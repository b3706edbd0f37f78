import { withoutHandles } from '@holdfast/agent';
import { type Dialect, openaiChat } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';

/** Whose words a note of the history is: no agent and no group may be called so. */
export const NOTE_NAME = 'holdfast_note';

const PLAIN = withoutHandles(openaiChat<CrewMessage>());

/**
 * Chat Completions as a crew's history has it: its note has a name to be known by, and nothing in it leads to handles, for
 * no agent could recall them.
 */
export const CREW_DIALECT: Dialect<CrewMessage> = {
  ...PLAIN,
  note: (role, text) => ({ ...PLAIN.note(role, text), name: NOTE_NAME }) as CrewMessage,
};

/** True for what a fold of the history left in place of messages. Pure. */
export function isNote(message: CrewMessage): boolean {
  return (message.role === 'user' || message.role === 'assistant') && message.name === NOTE_NAME;
}

/** How many messages a note speaks for; 0 if it does not say. Pure. */
export function countOf(note: string): number {
  return Number(/^[^\n\d]*(\d{1,9})(?!\d)/.exec(note)?.[1] ?? 0);
}
