import {
  ConversationWindow,
  type Dialect,
  type Digest,
  type FoldEntry,
  type KeptTurn,
  openaiChat,
  type WindowState,
} from 'holdfast';
import { readNote } from 'holdfast/read-note';
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

/** Messages that were folded before, and their digest. */
export interface Folded {
  readonly count: number;
  readonly digest: Digest;
}

/**
 * The state of a window that continues from a history which another window folded, and of which only the note is known. The
 * removed messages get positions after the first turn, so that the next fold counts them and merges the note's digest.
 * `folded` replaces the note if there is none. Throws INVALID_HISTORY.
 */
export async function noteState(
  history: readonly CrewMessage[],
  folded?: Folded,
): Promise<WindowState<CrewMessage> | undefined> {
  const at = history.findLastIndex(isNote);
  // The newest note contains the older ones.
  const messages = history.filter((message) => !isNote(message));
  const note = messages.length === 0 ? undefined : history[at]?.content;
  if (note === undefined && folded === undefined) return undefined;
  const state = await wide(messages);
  const upTo = history.slice(0, Math.max(0, at)).filter((message) => !isNote(message)).length;
  const count = note === undefined ? (folded?.count ?? 0) : readNote(note).dropped;
  // A client may have moved the note: it belongs between turns and is never last.
  const before = state.turns.filter((turn) => turn.from + turn.count <= upTo).length;
  const first = Math.max(0, Math.min(before, state.turns.length - 1));
  const from = state.turns.slice(0, first).reduce((sum, turn) => sum + turn.count, 0);
  const gap = Math.min(headOf(messages, state.turns), from);
  const turns = state.turns.map((turn) => (turn.from < gap ? turn : { ...turn, from: turn.from + count }));
  const kept = turns.slice(0, first);
  const covered = from + count;
  const entry: FoldEntry = {
    covered,
    edge: '',
    prior: 0,
    kept,
    head: first,
    ...(note === undefined ? {} : { note }),
    digest: folded?.digest ?? readNote(note ?? '', gap + count).digest,
    summary: { text: '', pending: [] },
    said: { messages: covered, chars: charsOf(messages, covered), media: 0, images: 0, wide: 0, bytes: 0 },
    calibration: state.calibration,
  };
  const view = note === undefined ? messages : messages.toSpliced(from, 0, history[at] as CrewMessage);
  return { ...state, folds: 1, seen: messages.length + count, log: [entry], view, turns };
}

/** The state of a window that has seen these messages without folding. */
async function wide(messages: readonly CrewMessage[]): Promise<WindowState<CrewMessage>> {
  const window = new ConversationWindow<CrewMessage>({ max_messages: 0 }, { dialect: CREW_DIALECT });
  await window.fit(messages, { rest: true });
  return window.state();
}

/** The number of leading messages that no fold removes. */
function headOf(messages: readonly CrewMessage[], turns: readonly KeptTurn[]): number {
  const first = turns.find(({ from }) => messages[from]?.role !== 'system');
  return first ? first.from + first.count : messages.length;
}

/** Estimates the characters of `count` such messages. */
function charsOf(messages: readonly CrewMessage[], count: number): number {
  const chars = messages.reduce((sum, { content }) => sum + content.length, 0);
  return Math.round((chars / Math.max(1, messages.length)) * count);
}
