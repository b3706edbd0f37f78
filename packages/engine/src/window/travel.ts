import type { Dialect } from '../dialect.ts';
import { HoldfastError } from '../errors.ts';
import { makeReceipt, type Receipt } from '../fold/receipt.ts';
import { handleOf } from '../handles/handles.ts';
import { originalsOf } from '../history/compare.ts';
import { type Memory, seenAt, withView } from '../history/memory.ts';
import { originalAt, unknownHandle } from '../history/recall.ts';
import type { Budget, Size } from '../size/budget.ts';
import { overLimits } from '../size/media-limits.ts';
import type { ArchiveEntry } from '../state/archive.ts';
import { enact } from '../state/state.ts';
import { checkMessages, readMessages } from '../turns/read-turns.ts';
import { seenMessage } from '../turns/snapshot.ts';
import { firstDifference, sendable, sizeOf, type View, viewOf } from '../view/view.ts';
import { remindersOf, remindTurns, unthinkTurn, type ViewTurn, viewTurnsOf } from '../view/view-turn.ts';
import { budgetOf, type Core } from './core.ts';

/** The memory with its newest fold moved to `undone`; undefined if the state before that fold is no longer known. */
export function withoutLastFold<M>(memory: Memory<M>): Memory<M> | undefined {
  const { log, undone, folds } = memory;
  const last = log.at(-1);
  if (!last || (last.prior !== 0 && log.at(-2)?.covered !== last.prior)) return undefined;
  return { ...memory, log: log.slice(0, -1), undone: [last, ...undone], folds: folds - 1 };
}

/** The memory with the last undone fold back in its log; undefined if there is none. */
export function withUndoneFold<M>({ hold: _, ...memory }: Memory<M>): Memory<M> | undefined {
  const [entry, ...undone] = memory.undone;
  return entry && { ...memory, log: [...memory.log, entry], undone, folds: memory.folds + 1 };
}

/** Goes to another state of the fold log: rebuilds the view from its last entry and the archive. Throws OVER_BUDGET. */
export async function travel<M>(core: Core<M>, memory: Memory<M>, reason: 'undo' | 'redo'): Promise<Receipt> {
  const { dialect } = core.format;
  const before = core.memory;
  const { rebuilt, unarchived } = await rebuildView(dialect, memory, before, async (index) => {
    const message = await originalAt(core.archive, before, index);
    if (message === undefined) throw unknownHandle(handleOf(index, memory.revisions));
    return message;
  });
  const { view, load } = rebuilt;
  checkMessages(dialect, sendable(dialect, view), true);
  const budget = budgetOf(core);
  const size = sizeOf(load, budget, core.calibration);
  const over = overLimits(load, dialect.limits);
  if (reason === 'undo' && (size.tokens > budget.limit || over !== '')) throw undoRefused(size, budget.limit, over);
  const changedFrom = firstDifference(memory.view, view);
  const receipt = makeReceipt(core, memory, budget, { view, turns: [], changedFrom }, reason);
  await core.archive.put(unarchived);
  const { passedAgain: unchecked } = rebuilt;
  const undone = { ...rebuilt, hold: holdAfter(size, budget), ...(unchecked === undefined ? {} : { unchecked }) };
  core.memory = reason === 'undo' ? undone : rebuilt;
  core.emit({ type: `fold-${reason}`, receipt });
  return receipt;
}

/**
 * The memory with the view of its last logged fold: what that kept, and everything later as it arrived. `unarchived` holds
 * originals to archive before the view goes out.
 */
async function rebuildView<M>(
  dialect: Dialect<M>,
  memory: Memory<M>,
  before: Memory<M>,
  original: (index: number) => Promise<M>,
): Promise<{ readonly rebuilt: Memory<M>; readonly unarchived: readonly ArchiveEntry<M>[] }> {
  const { seen, revisions } = memory;
  const entry = memory.log.at(-1);
  const covered = entry?.covered ?? 0;
  const history: M[] = new Array(seen);
  for (const { from, count } of [...(entry?.kept ?? []), { from: covered, count: seen - covered }])
    for (let i = from; i < from + count; i++) history[i] = await original(i);
  const base: View<M> = entry ? enact({ dialect, revisions }, history, entry) : { turns: [], head: 0 };
  const unarchived: ArchiveEntry<M>[] = [];
  // The view before it changes, so thinking bound to that view is removed; what was removed before stays removed.
  const withoutThinking = (turn: ViewTurn<M>): ViewTurn<M> | [] => {
    const bare = dialect.thinking === 'bound' ? unthinkTurn(dialect, turn) : turn;
    if (bare !== turn)
      for (const [i, message] of turn.messages.entries())
        unarchived.push({ handle: handleOf(turn.from + i, revisions), message });
    return bare ?? [];
  };
  const later = viewTurnsOf(dialect, readMessages(dialect, history, covered, covered)).flatMap(withoutThinking);
  // Those that the undone fold removed come back.
  const reminders = [...(memory.undone[0]?.reminders ?? []), ...remindersOf(before.view.turns)];
  const turns = remindTurns(dialect, [...base.turns, ...later], reminders);
  const view = viewOf(dialect, turns, base.head, entry?.note);
  // A message that was changed in place is compared with what it was.
  const seenMessageAt = (at: number) => seenAt(before, at) ?? seenMessage(history[at] as M);
  const since = history.slice(covered).map((_, i) => seenMessageAt(covered + i));
  const rebuilt = {
    ...memory,
    unsent: true as const,
    ...originalsOf(dialect, base.turns, seenMessageAt, new Map()),
    recent: since.map(({ message }) => message),
    snapshots: since.map(({ snapshot }) => snapshot),
    lastFolded: history[covered - 1] === undefined ? undefined : seenMessageAt(covered - 1),
  };
  return { rebuilt: withView(dialect, rebuilt, view), unarchived };
}

/** How large a view may grow after an undo before the next fold: by as much as a fold would free. */
function holdAfter(size: Size, { max, target }: Budget): Partial<Size> {
  const units = (['messages', 'tokens'] as const).filter((unit) => Number.isFinite(max[unit]));
  return Object.fromEntries(units.map((unit) => [unit, size[unit] + max[unit] - target[unit]]));
}

/** The error for an undo that would exceed the model's window. */
function undoRefused(size: Size, limit: number, over: string): HoldfastError {
  const bounds = over === '' ? `the limit is ${limit}` : over;
  return new HoldfastError(
    'OVER_BUDGET',
    `undo refused: without the fold the view has ${size.tokens} tokens (${size.messages} messages), ${bounds}. Recall single handles instead`,
    { floor: size, max: { tokens: limit } },
  );
}
