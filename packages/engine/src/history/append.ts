import type { Dialect, Reading } from '../dialect.ts';
import { brokenRule } from '../errors.ts';
import { isRecord } from '../json/record.ts';
import { badImage } from '../size/media-limits.ts';
import { addLoads, type Load, loadOf, NO_LOAD } from '../size/tokens.ts';
import { checkRules, fillsPlace, type ReadMessages, readMessages, unpaired } from '../turns/read-turns.ts';
import type { Snapshot } from '../turns/snapshot.ts';
import { type Reach, turnsWithin } from '../view/distant.ts';
import { answersText } from '../view/text-calls.ts';
import { sendable, viewOf } from '../view/view.ts';
import { remindersOf, remindTurns, type ViewTurn, viewTurnsOf } from '../view/view-turn.ts';
import { callIds, foldedUpTo, type HistoryInput, type Memory } from './memory.ts';

/** What is known about the next fold when messages arrive. */
export interface FoldAhead {
  /** True if a view of this load is about to be folded. */
  readonly isOver: (load: Load) => boolean;
  /** How much it can keep, if its strategies keep only the newest. */
  readonly reach?: Reach;
}

/**
 * Appends the messages that the window has not seen: reads them into turns, weighs and checks them. The work grows with the
 * new messages only. Throws INVALID_HISTORY.
 */
export function append<M>(
  dialect: Dialect<M>,
  memory: Memory<M>,
  { history, offset, rest, repaired }: HistoryInput<M>,
  { isOver, reach }: FoldAhead,
): Memory<M> {
  const start = memory.seen - offset;
  if (start >= history.length) return memory;
  const reopened = reopenedTurn(dialect, memory, history[start]);
  const before = reopened ? memory.view.turns.slice(0, -1) : memory.view.turns;
  const newSnapshots: Snapshot<M>[] = [];
  const again = reopened ? [...reopened.messages, ...history.slice(start)] : [];
  const read = reopened
    ? readMessages(dialect, again, 0, reopened.from, newSnapshots)
    : readMessages(dialect, history, start, memory.seen, newSnapshots);
  const isWhole = memory.seen === 0 && memory.pins.length === 0 && repaired === undefined;
  const { turns: added, distant } =
    isWhole && reach ? turnsWithin(dialect, read, reach) : { turns: newTurns(dialect, read, reopened) };
  const growth = { load: reopened ? addLoads(addLoads(NO_LOAD, added), [reopened], -1) : loadOf(read.readings) };
  const load = addLoads(memory.load, [growth]);
  const turns = before.length === 0 ? added : [...before, ...added];
  // A fold checks the whole view, so a cold start that is about to fold skips this check. Later messages are checked with the
  // one before them, because rules are about neighbours.
  const context = Math.min(1, start);
  if (memory.seen > 0) checkRules(dialect, history.slice(start - context), rest, memory.seen - context);
  else if (!isOver(load)) checkRules(dialect, sendable(dialect, { turns, head: 0 }), rest);
  checkImages(dialect, read);
  const newIds = callIds(dialect, reopened ? added.slice(1) : [read]);
  checkIds(memory, read, newIds);
  const count = memory.seen - foldedUpTo(memory);
  const { view } = memory;
  // The role of a note depends on the message after it.
  const isNoteLast = view.note !== undefined && view.head >= view.turns.length;
  return {
    ...memory,
    view: isNoteLast
      ? viewOf(dialect, turns, view.head, view.note?.written)
      : { ...view, turns, ...(distant ? { distant } : {}) },
    load,
    said: addLoads(memory.said, [growth]),
    seen: offset + history.length,
    newIds,
    recent: extend(memory.recent, count, history, start),
    snapshots: extend(memory.snapshots, count, newSnapshots, reopened?.messages.length ?? 0),
  };
}

/** The turns of new messages. The first of them continues the reopened turn, and keeps its reminder. */
function newTurns<M>(dialect: Dialect<M>, read: ReadMessages<M>, reopened: ViewTurn<M> | undefined) {
  const turns = viewTurnsOf(dialect, read);
  return reopened ? remindTurns(dialect, turns, remindersOf([reopened])) : turns;
}

/** The newest turn, if the next message belongs to it: a result, or a system message that must follow it. */
function reopenedTurn<M>(dialect: Dialect<M>, memory: Memory<M>, next: M | undefined): ViewTurn<M> | undefined {
  const turn = memory.view.turns.at(-1);
  if (!turn || !isRecord(next) || turn.from < foldedUpTo(memory) || turn.unthought) return undefined;
  const reading = dialect.read(next);
  const { role } = reading;
  const last = turn.readings.at(-1);
  const speaker = turn.readings.findLast((reading) => reading.role === 'assistant');
  const isSystem =
    dialect.systemInside === 'after-user' && (role === 'system' || fillsPlace(dialect, last?.role, next, reading));
  const isSameResponse = role === 'assistant' && last?.role === 'assistant' && dialect.splitResponses;
  const belongs = isSystem || isSameResponse || speaker?.joined || answersText(dialect, turn, next, reading);
  return belongs ? turn : undefined;
}

/** Cuts the list to `count` items and appends the new ones in place: a copy would cost more than what is new. */
function extend<T>(list: T[], count: number, items: readonly T[], start: number): T[] {
  list.length = count;
  if (count === 0) return items.slice(start);
  for (let i = start; i < items.length; i++) list.push(items[i] as T);
  return list;
}

/** No fold can shrink an image that is too large. */
function checkImages<M>({ limits }: Dialect<M>, { first, readings }: ReadMessages<M>): void {
  for (let i = 0; i < readings.length; i++) {
    const { mediaSizes } = readings[i] as Reading;
    const message = mediaSizes && badImage(mediaSizes, limits);
    if (message) throw brokenRule({ index: first + i, rule: 'image-too-large', fix: 'Scale the image down.', message });
  }
}

/** Reading checks new turns by themselves; only ids must also differ from those before. */
function checkIds<M>(memory: Memory<M>, { first, readings }: ReadMessages<M>, newIds: readonly string[]): void {
  const met = new Set<string>();
  const twice = newIds.find((id) => memory.ids.has(id) || met.size === met.add(id).size);
  if (twice === undefined) return;
  const at = readings.findLastIndex(({ calls }) => calls.some(({ id }) => id === twice));
  throw unpaired(first + at, 'duplicate-call-id', [twice]);
}
