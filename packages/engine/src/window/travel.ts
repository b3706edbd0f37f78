import type { Receipt } from '../fold/receipt.ts';
import type { Memory } from '../history/memory.ts';
import { originalAt, unknownHandle } from '../history/recall.ts';
import { holdAfter, rebuildView, undoRefused } from '../history/undo.ts';
import { overLimits } from '../size/media-limits.ts';
import { handleOf } from '../text/handles.ts';
import { checkMessages } from '../turns/check.ts';
import { firstDifference, sendable, sizeOf } from '../view/view.ts';
import { budgetOf, type Core } from './core.ts';
import { receiptFor } from './plan.ts';

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
  const receipt = receiptFor(core, memory, budget, { view, turns: [], changedFrom }, reason);
  await core.archive.put(unarchived);
  core.memory = reason === 'undo' ? { ...rebuilt, hold: holdAfter(size, budget) } : rebuilt;
  core.emit({ type: `fold-${reason}`, receipt });
  return receipt;
}
