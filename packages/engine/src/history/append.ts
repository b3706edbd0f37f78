import { isRecord } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import { brokenRule } from '../errors.ts';
import { badImage } from '../size/media-limits.ts';
import { addLoads, type Load, NO_LOAD } from '../size/tokens.ts';
import { checkPart, checkRules, fillsPlace, readTurns, unpaired } from '../turns/read-turns.ts';
import type { Snapshot } from '../turns/snapshot.ts';
import { answersText } from '../view/text-calls.ts';
import { sendable, viewOf } from '../view/view.ts';
import { remindersOf, remindTurns, type ViewTurn, viewTurnsOf } from '../view/view-turn.ts';
import { callIds, foldedUpTo, type HistoryInput, type Memory } from './memory.ts';

/**
 * Appends the messages that the window has not seen: reads them into turns, weighs and checks them. The work grows with the
 * new messages only. `isOver` says whether a view of this load is about to be folded. Throws INVALID_HISTORY.
 */
export function append<M>(
  dialect: Dialect<M>,
  memory: Memory<M>,
  { history, offset, rest }: HistoryInput<M>,
  isOver: (load: Load) => boolean,
): Memory<M> {
  const start = memory.seen - offset;
  if (start >= history.length) return memory;
  const reopened = reopenedTurn(dialect, memory, history[start]);
  const before = reopened ? memory.view.turns.slice(0, -1) : memory.view.turns;
  const newSnapshots: Snapshot<M>[] = [];
  const again = reopened ? [...reopened.messages, ...history.slice(start)] : [];
  const added = reopened
    ? remindTurns(
        dialect,
        viewTurnsOf(dialect, readTurns(dialect, again, 0, reopened.from, newSnapshots)),
        remindersOf([reopened]),
      )
    : viewTurnsOf(dialect, readTurns(dialect, history, start, memory.seen, newSnapshots));
  const growth = { load: addLoads(addLoads(NO_LOAD, added), [reopened], -1) };
  const load = addLoads(memory.load, [growth]);
  const turns = before.length === 0 ? added : [...before, ...added];
  // A fold checks the whole view, so a cold start that is about to fold skips this check. Later messages are checked with the
  // one before them, because rules are about neighbours.
  const context = Math.min(1, start);
  if (memory.seen > 0) checkPart(dialect, history.slice(start - context), memory.seen - context, rest);
  else if (!isOver(load)) checkRules(dialect, sendable(dialect, { turns, head: 0 }), 0, false, rest);
  checkImages(dialect, added);
  const newIds = callIds(dialect, reopened ? added.slice(1) : added);
  checkIds(memory, added, newIds);
  const count = memory.seen - foldedUpTo(memory);
  const { view } = memory;
  // The role of a note depends on the message after it.
  const isNoteLast = view.note !== undefined && view.head >= view.turns.length;
  return {
    ...memory,
    view: isNoteLast ? viewOf(dialect, turns, view.head, view.note?.text) : { ...view, turns },
    load,
    said: addLoads(memory.said, [growth]),
    seen: offset + history.length,
    newIds,
    recent: extend(memory.recent, count, history, start),
    snapshots: extend(memory.snapshots, count, newSnapshots, reopened?.messages.length ?? 0),
  };
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
function checkImages<M>({ limits }: Dialect<M>, added: readonly ViewTurn<M>[]): void {
  for (const { from, load, readings } of added) {
    if (load.images === 0) continue;
    for (const [i, { bulk }] of readings.entries()) {
      const message = bulk && badImage(bulk, limits);
      if (message)
        throw brokenRule({ index: from + i, rule: 'image-too-large', fix: 'Scale the image down.', message });
    }
  }
}

/** Reading checks new turns by themselves; only ids must also differ from those before. */
function checkIds<M>(memory: Memory<M>, added: readonly ViewTurn<M>[], newIds: readonly string[]): void {
  const met = new Set<string>();
  const twice = newIds.find((id) => memory.ids.has(id) || met.size === met.add(id).size);
  if (twice === undefined) return;
  const turn = added.findLast(({ readings }) => readings[0]?.calls.some(({ id }) => id === twice));
  throw unpaired(turn?.from ?? memory.seen, 'duplicate-call-id', [twice]);
}
