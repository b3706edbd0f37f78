import type { Dialect } from '../dialect.ts';
import { isRecord } from '../json/record.ts';
import type { Digest } from '../note/digest.ts';
import { addLoads, NO_LOAD, UNCALIBRATED } from '../size/tokens.ts';
import { readMessages } from '../turns/read-turns.ts';
import { viewMessages, viewOf } from '../view/view.ts';
import { type ViewTurn, viewTurnsOf } from '../view/view-turn.ts';
import type { WrittenNote } from '../view/written-note.ts';
import { keptTurns, NO_SUMMARY, type WindowState } from './state.ts';
import { isDigest } from './state-shape.ts';

/** What a note stands for. Who keeps nothing but a view carries it beside the note, so that a later fold can merge the two. */
export interface CarriedNote {
  readonly version: 1;
  /** How many messages of the history are in neither the view nor the note's text. */
  readonly messages: number;
  readonly digest: Digest;
}

/** More than any note stands for, and more than any note's data takes: what somebody made up. */
const MOST_MESSAGES = 1_000_000;
const MOST_CHARS = 200_000;

/** What the note of this state stands for; undefined without a fold. Pure. */
export function carriedNote({
  log,
  seen,
  turns,
}: Pick<WindowState, 'log' | 'seen' | 'turns'>): CarriedNote | undefined {
  const newest = log.at(-1);
  const shown = turns.reduce((sum, { count }) => sum + count, 0);
  return newest && { version: 1, messages: seen - shown, digest: newest.digest };
}

/** The same as somebody sent it; undefined unless it is what `carriedNote` returns in this release. Pure. */
export function readCarriedNote(value: unknown): CarriedNote | undefined {
  if (!isRecord(value)) return undefined;
  const { version, messages, digest } = value;
  const isCount = Number.isSafeInteger(messages) && Number(messages) >= 0 && Number(messages) <= MOST_MESSAGES;
  if (version !== 1 || !isCount || !isDigest(digest) || JSON.stringify(digest).length > MOST_CHARS) return undefined;
  return { version, messages: Number(messages), digest };
}

/** A view that another window made. */
export interface CarriedView<M> {
  /** Its messages without the note. */
  readonly messages: readonly M[];
  /** The note's text, and how many of the messages precede it; undefined if it has none. */
  readonly note?: { readonly text: string; readonly at: number };
  /** What left the view. */
  readonly carried: CarriedNote;
}

/**
 * The state of a window that continues from a view which another window folded: what left the view gets positions after its
 * first turn, so that the next fold counts and merges it. Throws INVALID_HISTORY. Pure.
 */
export function continueView<M>(dialect: Dialect<M>, { messages, note, carried }: CarriedView<M>): WindowState<M> {
  const turns = viewTurnsOf(dialect, readMessages(dialect, messages, 0, 0));
  // A client may have moved the note: it belongs between turns and is never last.
  const before = turns.filter((turn) => turn.from + turn.messages.length <= (note?.at ?? 0)).length;
  const head = Math.max(0, Math.min(before, turns.length - 1));
  const first = turns.find(({ role }) => role !== 'system');
  const whole = first === undefined ? messages.length : first.from + first.messages.length;
  const gap = Math.min(whole, turns[head]?.from ?? 0);
  const moved = turns.map((turn): ViewTurn<M> => {
    return turn.from < gap ? turn : { ...turn, from: turn.from + carried.messages };
  });
  const covered = (turns[head]?.from ?? 0) + carried.messages;
  const written: WrittenNote | undefined = note && [{ lines: note.text.split('\n').map((text): [string] => [text]) }];
  const entry = {
    covered,
    edge: '',
    prior: 0,
    kept: keptTurns(moved.slice(0, head)),
    head,
    ...(written ? { note: written } : {}),
    digest: carried.digest,
    summary: NO_SUMMARY,
    said: saidBy(turns, covered),
    calibration: UNCALIBRATED,
  };
  return {
    version: 1,
    dialect: dialect.name,
    revisions: [],
    folds: 1,
    seen: messages.length + carried.messages,
    log: [entry],
    undone: [],
    pins: [],
    view: viewMessages(viewOf(dialect, moved, head, written)),
    turns: keptTurns(moved),
    calibration: UNCALIBRATED,
  };
}

/** The load of so many messages, if they are like these on average. */
function saidBy<M>(turns: readonly ViewTurn<M>[], messages: number) {
  const load = addLoads(NO_LOAD, turns);
  const chars = Math.round((load.chars / Math.max(1, load.messages)) * messages);
  return { ...NO_LOAD, messages, chars };
}
