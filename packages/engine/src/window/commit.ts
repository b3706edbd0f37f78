import type { Receipt } from '../fold/receipt.ts';
import { handleOf, newestRevision, type Revisions } from '../handles/handles.ts';
import { logFold } from '../history/log-fold.ts';
import { type Memory, snapshotsOf, withOwnLists } from '../history/memory.ts';
import { newRepairs } from '../history/repairs.ts';
import { archiveAll, NOTHING_REMOVED, type Removed } from '../state/archive.ts';
import type { Core } from './core.ts';
import type { Planned } from './plan.ts';

/** Makes this the window's memory. Originals go to the archive first. */
export async function commit<M>(core: Core<M>, memory: Memory<M>): Promise<void> {
  if (memory.unarchived.length > 0) await archive(core, memory, NOTHING_REMOVED);
  for (const id of memory.newIds) memory.ids.add(id);
  remember(core, { ...memory, newIds: [], unarchived: [] });
}

/** Makes this fold. `sends`: its view is about to be sent. Originals go to the archive before the view without them becomes the window's. */
export async function commitFold<M>(
  core: Core<M>,
  memory: Memory<M>,
  planned: Planned<M>,
  receipt: Receipt,
  sends: boolean,
): Promise<void> {
  const { tail, preserve_last_n: last } = core.config;
  // A restored window had this warning at its first fold, even if that was undone.
  const isFirst = memory.folds === 0 && memory.undone.length === 0;
  if (isFirst && core.tailGiven && tail < last) core.warnFull(`fit() keeps the last ${tail}`);
  await archive(core, memory, planned.hidden);
  const folded = logFold(core.format.dialect, memory, planned, core.calibration);
  remember(core, sends ? folded : { ...folded, unsent: true });
  if (planned.crowdedOut.length > 0) core.warn(crowdedText(planned.crowdedOut, memory.revisions));
  core.emit({ type: 'fold-end', receipt });
}

function crowdedText(places: readonly number[], revisions: Revisions): string {
  const handles = places.map((at) => handleOf(at, revisions)).join(', ');
  return `no room for the instructions ${handles}: pins and instructions may take half of the budget, so these are behind their handles; raise max_tokens or max_messages, unpin, or shorten them`;
}

/** Archives what a preview would remove: its handles must work even if the fold is never made. */
export async function archivePreview<M>(core: Core<M>, memory: Memory<M>, { hidden }: Planned<M>): Promise<void> {
  try {
    await archive(core, memory, hidden);
  } catch (error) {
    core.warn(`compact(): cannot archive what the preview names: ${String(error)}`);
  }
  core.uncommitted = withOwnLists(memory);
}

/** An archive that fails may still have stored some of it. */
async function archive<M>(core: Core<M>, memory: Memory<M>, removed: Removed<M>): Promise<void> {
  try {
    await archiveAll(core.archive, memory.unarchived, removed, snapshotsOf(memory));
  } catch (error) {
    core.uncommitted = withOwnLists(memory);
    throw error;
  }
}

function remember<M>(core: Core<M>, { rewritten, ...memory }: Memory<M>): void {
  const repairs = newRepairs(core.memory.repair, memory.repair);
  const { uncommitted } = core;
  core.memory = memory;
  // An offset may skip what was rewritten there.
  if (uncommitted && newestRevision(memory.revisions) >= newestRevision(uncommitted.revisions))
    core.uncommitted = undefined;
  if (repairs.length > 0) core.emit({ type: 'history-repaired', repairs });
  if (rewritten) core.emit({ type: 'history-rewritten', ...rewritten });
}
