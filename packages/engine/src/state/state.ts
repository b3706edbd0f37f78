import type { Dialect } from '../dialect.ts';
import { recognized } from '../dialects/identify.ts';
import { HoldfastError } from '../errors.ts';
import { isScope, type Revisions } from '../handles/handles.ts';
import { type Digest, EMPTY_DIGEST } from '../note/digest.ts';
import type { Range } from '../note/ranges.ts';
import type { Size } from '../size/budget.ts';
import type { Calibration, Load } from '../size/tokens.ts';
import { checkMessages } from '../turns/read-turns.ts';
import type { Cut, Masker } from '../view/mask.ts';
import { sendable, type View, viewOf } from '../view/view.ts';
import {
  cutTurn,
  type Reminder,
  remindersOf,
  remindTurn,
  unthinkTurn,
  type ViewTurn,
  viewTurnOf,
} from '../view/view-turn.ts';
import type { WrittenNote } from '../view/written-note.ts';
import { isStateShape } from './state-shape.ts';

/** A turn of the view: its place in the history, and how it differs from the originals. */
export interface KeptTurn {
  readonly from: number;
  readonly count: number;
  readonly cuts?: readonly Cut[];
  readonly unthought?: true;
  readonly reminder?: Reminder;
  /** In a fold entry: the hash of the originals. */
  readonly hash?: string;
}

/** One entry of the fold log: all it takes to rebuild the folded part of the view from the history. */
export interface FoldEntry {
  /** How many messages of the history the fold covers, and the hash of the last one. */
  readonly covered: number;
  readonly edge: string;
  /** The same without the newest turn, if that is unchanged: then an edit of the last message does not discard the fold. */
  readonly settled?: { readonly covered: number; readonly edge: string; readonly said: Load };
  /** How many messages the fold before it covered; 0 without one. */
  readonly prior: number;
  /** The covered turns that stay in the view; all others are dropped. */
  readonly kept: readonly KeptTurn[];
  readonly head: number;
  /** The note as it was sent. */
  readonly note?: WrittenNote;
  readonly digest: Digest;
  readonly summary: Summary;
  /** The load of all covered messages. */
  readonly said: Load;
  readonly calibration: Calibration;
  /** It only cut results that had left the last exchange. */
  readonly trims?: true;
  /** The reminders that it removed, for an undo. */
  readonly reminders?: readonly Reminder[];
}

/** The summary in a note, and the dropped messages that it does not cover yet. */
export interface Summary {
  readonly text: string;
  readonly pending: readonly Range[];
  /** How many attempts failed in a row, and how many folds will not ask for a summary because of that. */
  readonly failed?: number;
  readonly paused?: number;
}

export const NO_SUMMARY: Summary = { text: '', pending: [] };

/** A window as plain JSON: its fold log and its view. Bounded, however long the history is. */
export interface WindowState<M = unknown> {
  readonly version: 1;
  readonly dialect: string;
  readonly revisions: Revisions;
  readonly folds: number;
  /** Messages of the history that the view represents. */
  readonly seen: number;
  readonly log: readonly FoldEntry[];
  /** Undone folds, the next to redo first, and the size that the view may reach before the next fold. */
  readonly undone: readonly FoldEntry[];
  readonly hold?: Partial<Size>;
  readonly pins: readonly number[];
  readonly view: readonly M[];
  readonly turns: readonly KeptTurn[];
  readonly calibration: Calibration;
  /** How many transient messages ended the last view. */
  readonly transient?: number;
  /** The view changed since it was sent. */
  readonly unsent?: true;
  /** Messages before this index that came since then have no thinking. */
  readonly bareTo?: number;
  /** The lowest offset of a call that passed folded messages again; `unchecked`: the one that the call after an undo needs. */
  readonly passedAgain?: number;
  readonly unchecked?: number;
}

export function keptTurns<M>(turns: readonly ViewTurn<M>[]): KeptTurn[] {
  return turns.map((turn) => {
    const { from, messages, cuts, unthought } = turn;
    const [reminder] = remindersOf([turn]);
    return {
      from,
      count: messages.length,
      ...(cuts.length > 0 ? { cuts } : {}),
      ...(unthought ? { unthought } : {}),
      ...(reminder ? { reminder } : {}),
    };
  });
}

/** The folded part of the view, rebuilt from the history. Pure: the same history and entry give the same bytes. */
export function enact<M>(
  masker: Masker<M>,
  history: readonly M[],
  entry: Pick<FoldEntry, 'kept' | 'head' | 'note'>,
): View<M> {
  const { dialect } = masker;
  const turns = entry.kept.flatMap(({ from, count, cuts = [], unthought, reminder }) => {
    const whole = read(dialect, from, history.slice(from, from + count));
    const cut = cutTurn(masker, whole, cuts);
    const turn = unthought ? unthinkTurn(dialect, cut) : cut;
    return (turn && reminder ? remindTurn(dialect, turn, reminder) : turn) ?? [];
  });
  return viewOf(dialect, turns, entry.head, entry.note);
}

/** The fold without its newest turn; undefined if it changed that turn. Its view may then end with its note. Pure. */
export function withoutNewest(entry: FoldEntry): FoldEntry | undefined {
  const { settled, ...whole } = entry;
  if (!settled) return undefined;
  const kept = entry.kept.filter(({ from }) => from < settled.covered);
  return { ...whole, ...settled, kept, head: Math.min(entry.head, kept.length) };
}

function read<M>(dialect: Dialect<M>, from: number, messages: readonly M[]): ViewTurn<M> {
  return viewTurnOf(dialect, { from, messages, readings: messages.map((message) => dialect.read(message)) });
}

/** The view of a state. Throws BAD_STATE if the state contradicts itself. */
export function restoreView<M>(dialect: Dialect<M>, state: WindowState<M>): View<M> {
  const last = state.log.at(-1);
  const head = last?.head ?? 0;
  const noted = last?.note !== undefined;
  let at = 0;
  const turns = state.turns.map(({ from, count, cuts = [], unthought = false, reminder }, i) => {
    if (noted && i === head) at++;
    const messages = state.view.slice(at, at + count);
    at += count;
    const turn = { ...read(dialect, from, messages), cuts, unthought };
    return reminder ? remindTurn(dialect, turn, reminder) : turn;
  });
  if (at !== state.view.length) throw badState(`its turns have ${at} messages, its view has ${state.view.length}`);
  const view = viewOf(dialect, turns, head, last?.note);
  checkView(dialect, view);
  return view;
}

/** Throws BAD_STATE for a view that may not be sent: somebody changed it. */
function checkView<M>(dialect: Dialect<M>, view: View<M>): void {
  if (view.turns.length === 0) return;
  try {
    checkMessages(dialect, sendable(dialect, view), true);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    throw badState(`in its view, ${error.message}`, error);
  }
}

/** Throws BAD_STATE for anything that `state()` cannot have returned. */
export function checkState(state: unknown, dialects: readonly Dialect[], dialect: string | undefined): void {
  if (!isStateShape(state) || (state as WindowState).version !== 1) throw badState('it is not a state of version 1');
  const { view, turns, log, undone, seen, revisions, dialect: own } = state as WindowState;
  if (!revisions.every(([, , scope]) => scope === undefined || isScope(scope)))
    throw badState('one of its revisions has an invalid scope');
  if (dialect !== undefined && own !== dialect) throw badState(`its dialect is ${own}, the window's is ${dialect}`);
  // A caller's own dialect may look like any other.
  const found = dialects.some(({ name }) => name === own) ? recognized(dialects, view) : undefined;
  if ((found ?? own) !== own) throw badState(`its dialect is ${own}, but its messages are ${found}`);
  const entries = [...log, ...undone];
  const other = entries.find(({ digest }) => digest.version !== EMPTY_DIGEST.version);
  if (other)
    throw badState(
      `its digest has version ${other.digest.version}, and this release of holdfast reads version ${EMPTY_DIGEST.version}`,
    );
  const ends = entries.map(({ kept, covered }) => inOrder(kept, covered));
  if (![...ends, inOrder(turns, seen), (log.at(-1)?.covered ?? 0) <= seen].every(Boolean))
    throw badState('its turns do not match its history');
}

/** True if the turns are in order and within a history of this length. */
function inOrder(turns: readonly KeptTurn[], seen: number): boolean {
  const ends = turns.map(({ from, count }) => from + count);
  return turns.every(({ from }, i) => from >= (ends[i - 1] ?? 0)) && (ends.at(-1) ?? 0) <= seen;
}

/** The dialect of a state. Throws BAD_STATE if it is not among these. */
export function stateDialect(dialects: readonly Dialect[], name: string): Dialect {
  const dialect = dialects.find((one) => one.name === name);
  if (dialect) return dialect;
  throw badState(`its dialect ${name} is not built in: pass it as parts.dialect`);
}

function badState(wrong: string, cause?: unknown): HoldfastError {
  return new HoldfastError(
    'BAD_STATE',
    `parts.state cannot be restored: ${wrong}. Pass what state() returned, or start without it`,
    {},
    cause,
  );
}
