import { identify } from '../dialects/identify.ts';
import { checkList, isHoldfastError } from '../errors.ts';
import { checkArrived } from '../fold/pins.ts';
import { newRevision, type Revisions } from '../handles/handles.ts';
import { isContinued } from '../history/compare.ts';
import type { HistoryInput, Memory } from '../history/memory.ts';
import { firstPlace } from '../history/repairs.ts';
import { restartInDialect, startOver } from '../history/rewind.ts';
import { checkOffset, update } from '../history/update.ts';
import type { Load } from '../size/tokens.ts';
import { checkMessages } from '../turns/read-turns.ts';
import { isTooMuch, sendable } from '../view/view.ts';
import { budgetOf, type Core } from './core.ts';
import { formatOf } from './dialect.ts';

/**
 * Calls `use` with the memory brought up to date. If that fails because the history contradicts the memory, it starts over
 * with the history alone: a window accepts whatever a new one would.
 */
export async function withUpdatedMemory<M, T>(
  core: Core<M>,
  input: HistoryInput<M>,
  use: (memory: Memory<M>) => Promise<T>,
): Promise<T> {
  checkList(input.history);
  try {
    return await use(updateKnown(core, input));
  } catch (error) {
    if (!isAboutHistory(error) || input.offset !== 0 || core.memory.seen === 0) throw error;
    try {
      return await use(updateFromScratch(core, input));
    } catch (again) {
      // The same problem, but the first error names current handles.
      throw isHoldfastError(again) && isHoldfastError(error) && again.code === error.code ? error : again;
    }
  }
}

/** True for an error about the history, or from reading it. */
function isAboutHistory(error: unknown): boolean {
  if (isHoldfastError(error)) return error.code === 'INVALID_HISTORY' || error.code === 'OVER_BUDGET';
  return error instanceof RangeError || error instanceof TypeError;
}

function updateKnown<M>(core: Core<M>, all: HistoryInput<M>): Memory<M> {
  checkOffset(core.memory, all.offset);
  const { memory, input } = detect(core, all);
  return repairAndUpdate(core, { ...memory, revisions: unusedRevisions(core, memory, input) }, input);
}

/** Revisions under which the archive has no messages of an uncommitted history. */
function unusedRevisions<M>(core: Core<M>, { revisions, seen }: Memory<M>, input: HistoryInput<M>): Revisions {
  const { uncommitted } = core;
  if (!uncommitted || isContinued(core.format.dialect, uncommitted, input)) return revisions;
  return newRevision(uncommitted.revisions, seen);
}

function updateFromScratch<M>(core: Core<M>, input: HistoryInput<M>): Memory<M> {
  if (!core.named) {
    const { dialect, certain } = identify(core.dialects, input.history);
    core.format = formatOf<M>(dialect, core, certain);
  }
  const { dialect } = core.format;
  const { revisions } = core.uncommitted ?? core.memory;
  const start = startOver(dialect, { ...core.memory, revisions }, input);
  // All thinking is removed: it is bound to the previous history.
  const memory = repairAndUpdate(core, start, { ...input, repaired: 0 });
  // Without its thinking, a view that was to be folded and checked then may fit as it is.
  if (!isTooMuch(dialect, memory.load, budgetOf(core, memory), core.calibration))
    checkMessages(dialect, sendable(dialect, memory.view), input.rest);
  return { ...memory, ...(start.rewritten ? { rewritten: start.rewritten } : {}) };
}

/** Text-only messages look alike in all dialects. The first other message decides which one it is. */
function detect<M>(core: Core<M>, input: HistoryInput<M>) {
  const { memory, format } = core;
  if (format.certain) return { memory, input };
  const { dialect, certain, possible } = identify(
    core.dialects,
    input.history,
    Math.max(0, memory.seen - input.offset),
  );
  const isStill = memory.seen > 0 && possible.includes(format.dialect.name);
  core.format = isStill ? { ...format, certain } : formatOf<M>(dialect, core, certain);
  return isStill || memory.seen === 0 ? { memory, input } : restartInDialect(memory, input);
}

function repairAndUpdate<M>(core: Core<M>, start: Memory<M>, input: HistoryInput<M>): Memory<M> {
  const { dialect } = core.format;
  const budget = budgetOf(core);
  const { calibration, strategies } = core;
  const ahead = {
    isOver: (load: Load) => isTooMuch(dialect, load, budget, calibration),
    ...(strategies.every(({ newest }) => newest) ? { reach: { budget, calibration } } : {}),
  };
  let memory: Memory<M>;
  const { repair: repairAgain } = core.parts;
  if (core.config.repair && repairAgain) {
    const { history, offset } = input;
    const repair = repairAgain(dialect, start.repair, history, offset);
    const repaired = input.repaired ?? repair.edited ?? firstPlace(repair.places, start.seen);
    memory = { ...update(dialect, start, { history: repair.messages, offset, repaired }, ahead), repair };
  } else memory = update(dialect, start, input, ahead);
  checkArrived(memory, core.memory.seen, budget, calibration);
  return memory;
}
