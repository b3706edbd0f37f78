import type { ConversationState, WireMessage } from '@holdfast/sessions';
import type { KeptTurn, WindowState } from 'holdfast';
import type { Fate, KeptBecause, View, ViewRun } from '../api/types.ts';
import { handleAt, runHandle } from './handles.ts';

/** What a view is made of: which messages of the history it has, and in which form. */
export interface ShapedView {
  /** How many messages of the history it represents. */
  readonly messages: number;
  readonly sent: number;
  readonly runs: readonly ViewRun[];
  readonly reminders: View['reminders'];
  readonly pins: readonly number[];
  /** The position of the message that follows the note, if there is one. */
  readonly note?: { readonly before: number };
  /** Why the message at a position is in the view as it is, or what became of it. */
  fate(index: number): Fate;
  /** What the view has instead of the message at this position, if it differs. */
  changed(index: number): WireMessage | undefined;
}

/** The view of a history of which nothing was folded. Pure. */
export function wholeView(messages: number, pins: readonly number[] = []): ShapedView {
  return {
    messages,
    sent: messages,
    runs: messages === 0 ? [] : [{ type: 'kept', from: 0, to: messages - 1 }],
    reminders: [],
    pins,
    fate: (index) => {
      if (index >= messages) return { type: 'later' };
      return pins.includes(index) ? { type: 'kept', why: 'pinned' } : { type: 'kept' };
    },
    changed: () => undefined,
  };
}

/** The view of a history of which only the messages from position `first` on are sent. Pure. */
export function newestView(messages: number, first: number): ShapedView {
  const fate = (index: number): Fate => {
    if (index >= messages) return { type: 'later' };
    return index < first ? { type: 'folded', handle: handleAt(index, []) } : { type: 'kept', why: 'newest' };
  };
  return { ...wholeView(messages), sent: messages - first, runs: runsOf(messages, fate, []), fate };
}

/** The view that a log's window had: of its turns and of everything said since. Pure. */
export function shapedView({ window, pending }: ConversationState<WireMessage>): ShapedView {
  const { turns, log, pins, revisions, seen, view } = window;
  const fold = log.at(-1);
  const messages = seen + pending.length;
  const head = Math.min(fold?.head ?? 0, turns.length);
  const places = placesOf(turns, fold?.note === undefined ? turns.length + 1 : head);
  const isPinned = new Set(pins);
  const newestFrom = newestTurn(window);
  const firstEnd = endOfFirst(turns);
  const why = (index: number, turn: number): KeptBecause | undefined => {
    if (isPinned.has(index)) return 'pinned';
    if (!fold) return undefined;
    if (index >= fold.covered) return 'since';
    if (index < firstEnd) return 'first';
    return turn >= newestFrom ? 'newest' : 'room';
  };
  const fate = (index: number): Fate => {
    if (index >= messages) return { type: 'later' };
    if (index >= seen) return kept(isPinned.has(index) ? 'pinned' : fold && 'since');
    const place = places.get(index);
    if (!place) return { type: 'folded', handle: handleAt(index, revisions) };
    if (place.isCut) return { type: 'shortened', handle: handleAt(index, revisions) };
    return kept(why(index, place.turn));
  };
  const after = turns[head]?.from ?? seen;
  return {
    messages,
    sent: view.length + pending.length,
    runs: runsOf(messages, fate, revisions),
    reminders: turns.flatMap(({ reminder }) => (reminder ? [{ index: reminder.at, text: reminder.text }] : [])),
    pins,
    ...(fold?.note === undefined ? {} : { note: { before: after } }),
    fate,
    changed(index) {
      const place = places.get(index);
      return place?.isChanged ? (view[place.at] as WireMessage) : undefined;
    },
  };
}

function kept(why: KeptBecause | undefined): Fate {
  return why === undefined ? { type: 'kept' } : { type: 'kept', why };
}

interface PlaceInView {
  /** Its index in the view, and that of its turn. */
  readonly at: number;
  readonly turn: number;
  readonly isCut: boolean;
  readonly isChanged: boolean;
}

/** Where each message of the history is in the view; `note`: the turn that follows the note. */
function placesOf(turns: readonly KeptTurn[], note: number): Map<number, PlaceInView> {
  const places = new Map<number, PlaceInView>();
  let at = 0;
  for (const [turn, { from, count, cuts = [], unthought, reminder }] of turns.entries()) {
    if (turn === note) at++;
    const cutAt = new Set(cuts.map((cut) => cut.at));
    for (let index = from; index < from + count; index++, at++) {
      const isCut = cutAt.has(index);
      places.set(index, { at, turn, isCut, isChanged: isCut || unthought === true || reminder?.at === index });
    }
  }
  return places;
}

/** Where the first messages end that no fold has touched. The note may stand far behind them. */
function endOfFirst(turns: readonly KeptTurn[]): number {
  let end = 0;
  for (const { from, count, cuts } of turns) {
    if (from !== end || cuts?.length) break;
    end += count;
  }
  return end;
}

/** The first of the turns at the end of a fold that no fold has changed. */
function newestTurn({ turns, log }: Pick<WindowState, 'turns' | 'log'>): number {
  const covered = log.at(-1)?.covered ?? 0;
  let first = turns.findLastIndex(({ from }) => from < covered) + 1;
  while (first > 0) {
    const turn = turns[first - 1];
    const next = turns[first]?.from ?? covered;
    if (!turn || turn.cuts?.length || turn.from + turn.count < Math.min(next, covered)) break;
    first--;
  }
  return first;
}

function runsOf(messages: number, fate: (index: number) => Fate, revisions: WindowState['revisions']): ViewRun[] {
  const runs: ViewRun[] = [];
  for (let from = 0; from < messages; ) {
    const { type } = fate(from);
    let to = from;
    while (to + 1 < messages && fate(to + 1).type === type) to++;
    if (type !== 'later')
      runs.push({ type, from, to, ...(type === 'folded' ? { handle: runHandle(from, to, revisions) } : {}) });
    from = to + 1;
  }
  return runs;
}
