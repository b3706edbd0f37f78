import type { Dialect } from '../dialect.ts';
import { brokenRule } from '../errors.ts';
import { endsInSystem } from '../fold/fold-turn.ts';
import { handleOf } from '../handles/handles.ts';
import type { ArchiveEntry } from '../state/archive.ts';
import { checkMessages } from '../turns/read-turns.ts';
import { sendable, viewLoad } from '../view/view.ts';
import { remindersOf, remindTurns, unthinkTurn, type ViewTurn } from '../view/view-turn.ts';
import { append, type FoldAhead } from './append.ts';
import { compare } from './compare.ts';
import { foldedUpTo, type HistoryInput, type Memory } from './memory.ts';
import { needsWholeHistory, rewind } from './rewind.ts';

/**
 * Brings the memory up to date with a history: compares the two, goes back to before the first edit, and appends what is new.
 * The work grows with the messages since the last fold.
 * Throws INVALID_HISTORY; the memory stays as it was.
 */
export function update<M>(dialect: Dialect<M>, before: Memory<M>, input: HistoryInput<M>, ahead: FoldAhead): Memory<M> {
  checkOffset(before, input.offset);
  const memory = withPassed(before, input.offset);
  const { current, index: edited } = compare(dialect, memory, input);
  const { repaired = Number.POSITIVE_INFINITY } = input;
  const index = repaired < (edited ?? memory.seen) ? repaired : edited;
  const start = index === undefined ? current : rewind(dialect, current, input, index);
  const appended = append(dialect, start, input, ahead);
  const grown = index === undefined ? appended : withReminders(dialect, appended, memory, index);
  const bare = stripThinking(dialect, memory, grown, Math.min(repaired, index ?? repaired));
  const updated = memory.unsent ? { ...bare, bareTo: bare.seen } : bare;
  if (index === undefined) return updated;
  checkMessages(dialect, sendable(dialect, updated.view), input.rest);
  const foldsDiscarded = memory.log.length - start.log.length;
  const pinsLost = memory.pins.filter((pin) => !start.pins.includes(pin));
  return { ...updated, rewritten: { index, foldsDiscarded, pinsLost } };
}

/** The memory once messages from this offset on were passed. */
function withPassed<M>({ unchecked: _, ...memory }: Memory<M>, offset: number): Memory<M> {
  const { passedAgain = Number.POSITIVE_INFINITY } = memory;
  return offset < Math.min(foldedUpTo(memory), passedAgain) ? { ...memory, passedAgain: offset } : memory;
}

/** The memory with the reminders from before the edited message: what was sent up to there stays as it was. */
function withReminders<M>(dialect: Dialect<M>, memory: Memory<M>, before: Memory<M>, index: number): Memory<M> {
  const reminders = remindersOf(before.view.turns).filter(({ at }) => at < index);
  const turns = remindTurns(dialect, memory.view.turns, reminders);
  const view = { ...memory.view, turns };
  return turns === memory.view.turns ? memory : { ...memory, view, load: viewLoad(view) };
}

/** Throws INVALID_HISTORY for an offset beyond the messages seen, or beyond those that an undo brought back unchecked. */
export function checkOffset<M>({ seen, unchecked = seen }: Memory<M>, offset: number): void {
  if (!Number.isInteger(offset) || offset < 0 || offset > seen) {
    const fix = `Pass an offset from 0 to ${seen}, the number of messages that the window has seen.`;
    throw brokenRule({ index: offset, rule: 'bad-offset', fix });
  }
  if (offset > unchecked) throw needsWholeHistory(unchecked);
}

/**
 * Thinking is bound to the messages before it, so it is removed where an edit, a repair or a transient message preceded it, or
 * the view that it answers is no longer this one.
 * Thinking that was removed before stays removed.
 */
function stripThinking<M>(dialect: Dialect<M>, before: Memory<M>, memory: Memory<M>, index: number): Memory<M> {
  const answered = before.transient || before.unsent ? before.seen : memory.seen;
  if (dialect.thinking !== 'bound' || (index >= memory.seen && answered >= memory.seen)) return memory;
  const thinking = new Set(before.view.turns.flatMap(({ from, unthought }) => (unthought ? [] : from)));
  const mustStrip = ({ from, messages }: ViewTurn<M>) =>
    from >= index ||
    from + messages.length > answered ||
    (index < memory.seen && from >= foldedUpTo(memory) && from < before.seen && !thinking.has(from));
  const unarchived: ArchiveEntry<M>[] = [];
  const turns = memory.view.turns.flatMap((turn, i, all) => {
    const bare = turn.unthought || !mustStrip(turn) ? turn : unthinkTurn(dialect, turn);
    // An assistant message must follow a system message, even if it is nothing but thinking.
    if (bare === turn || (!bare && endsInSystem(dialect, all[i - 1]))) return turn;
    for (const [i, message] of turn.messages.entries())
      unarchived.push({ handle: handleOf(turn.from + i, memory.revisions), message });
    return bare ?? [];
  });
  const view = { ...memory.view, turns };
  return unarchived.length === 0 ? memory : { ...memory, view, load: viewLoad(view), unarchived };
}
