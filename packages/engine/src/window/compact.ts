import { planCompact } from '../fold/compact.ts';
import { makeReceipt, type Receipt } from '../fold/receipt.ts';
import { foldedUpTo, type Memory } from '../history/memory.ts';
import { exceeds } from '../size/budget.ts';
import type { Abortable } from '../summaries/summaries.ts';
import { sizeOf, wholeView } from '../view/view.ts';
import { archivePreview, commit, commitFold } from './commit.ts';
import { budgetOf, type Core } from './core.ts';
import { addSummary, foldInput } from './plan.ts';

/** What `compact` takes besides the history. */
export interface CompactOptions {
  readonly offset?: number;
  readonly focus?: string;
  readonly preview?: boolean;
  readonly signal?: Abortable;
}

/** Folds the view on demand, or only says what that would do. */
export async function compactView<M>(core: Core<M>, updated: Memory<M>, options: CompactOptions): Promise<Receipt> {
  const memory = { ...updated, view: wholeView(updated.view) };
  const budget = budgetOf(core, memory);
  const isOver = exceeds(sizeOf(memory.load, budget, core.calibration), budget.max);
  const isNew = memory.seen > foldedUpTo(memory) || memory.log.at(-1)?.trims === true;
  const { input, output, why } =
    isNew || isOver
      ? planCompact({ ...foldInput(core, memory, budget, options.focus), compacts: true })
      : { why: 'nothing has been said since the last fold' };
  const planned = input && output && (await addSummary(core, memory, input, output, { ...options, rest: true }));
  const unchanged = { view: memory.view, turns: [], changedFrom: memory.load.messages };
  const receipt = {
    ...makeReceipt(core, memory, budget, planned ?? unchanged, 'compact'),
    ...(why ? { why } : {}),
  };
  if (options.preview) {
    if (planned) await archivePreview(core, memory, planned);
  } else if (planned) await commitFold(core, memory, planned, receipt, false);
  else await commit(core, memory);
  return receipt;
}
