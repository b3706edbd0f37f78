import { type Dialect, EMPTY_DIGEST, openaiChat, type WindowState } from 'holdfast';
import { type CarriedNote, carriedNote, continueView, readCarriedNote } from 'holdfast/restore';
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

/** What left a history, as its note carries it; what a client dropped or changed counts for nothing. Pure. */
export function carriedIn(history: readonly CrewMessage[]): CarriedNote | undefined {
  const note = history.findLast(isNote);
  return note && 'holdfast' in note ? readCarriedNote(note.holdfast) : undefined;
}

/** Makes the note of a view carry what left it. The same note always gives the same object. */
export function noteCarrier() {
  let from: CrewMessage | undefined;
  let carrier: CrewMessage | undefined;
  return (view: readonly CrewMessage[], state: () => WindowState<CrewMessage>): readonly CrewMessage[] => {
    const at = view.findIndex(isNote);
    const note = view[at];
    if (note === undefined || note.role === 'tool') return view;
    if (!carrier || from !== note) {
      from = note;
      const holdfast = carriedNote(state());
      carrier = holdfast ? { ...note, holdfast } : note;
    }
    return view.with(at, carrier);
  };
}

const NOTHING: CarriedNote = { version: 1, messages: 0, digest: EMPTY_DIGEST };

/**
 * The state of a window that continues from a history which another window folded. `left` says what left a history without a
 * note. Undefined if nothing did. Throws INVALID_HISTORY.
 */
export function noteState(
  history: readonly CrewMessage[],
  left?: Omit<CarriedNote, 'version'>,
): WindowState<CrewMessage> | undefined {
  const index = history.findLastIndex(isNote);
  // The newest note contains the older ones.
  const messages = history.filter((message) => !isNote(message));
  const text = messages.length === 0 ? undefined : history[index]?.content;
  if (text === undefined)
    return left && continueView(CREW_DIALECT, { messages, carried: { ...left, version: NOTHING.version } });
  const at = history.slice(0, index).filter((message) => !isNote(message)).length;
  return continueView(CREW_DIALECT, { messages, note: { text, at }, carried: carriedIn(history) ?? NOTHING });
}
