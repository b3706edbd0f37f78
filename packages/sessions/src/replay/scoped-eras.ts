import type { WindowState } from 'holdfast';
import { eachEntry, type SessionInfo, type SessionStore } from '../store.ts';
import type { FoldChange } from './fold-stack.ts';

type Eras = WindowState['eras'];

/**
 * The revisions of a session whose own messages have this scope: those that the newest fold or fork recorded, and one for each
 * rewind since. Own are the messages from the first position that its `model` entries name, or to which it was rewound; without a fold, whose
 * handles could be in the view, all messages.
 */
export async function scopedEras(
  store: SessionStore,
  { id, last, messages }: SessionInfo,
  happened: readonly (FoldChange & { readonly seq: number })[],
  scope: string,
): Promise<Eras> {
  const fold = happened.findLast((entry) => entry.type === 'fold');
  let eras: Eras = (fold?.type === 'fold' ? fold.eras : undefined) ?? [];
  /** The entry that recorded them. */
  let recorded = fold?.seq ?? 0;
  let rewinds = 0;
  let own = 0;
  let copied = 0;
  for await (const { seq, entry } of eachEntry(store, id, { types: ['fork', 'model', 'rewind'] })) {
    if (seq > last) break;
    if (entry.type === 'fork') {
      copied = seq + entry.entries;
      own = messages;
      if (entry.eras && recorded <= copied) [eras, recorded] = [entry.eras, copied];
    } else if (entry.type === 'model' && seq > copied) own = Math.min(own, entry.from ?? 0);
    else if (entry.type === 'rewind') {
      rewinds++;
      if (seq > copied) own = Math.min(own, entry.to);
      // Numbers of revisions are not used twice, even if the fold that used them was rewound.
      if (seq > recorded) eras = startEra(eras, entry.to, Math.max(newestOf(eras) + 1, rewinds));
    }
  }
  return withScope(eras, fold ? own : 0, scope);
}

function newestOf(eras: Eras): number {
  return eras.at(-1)?.[1] ?? 0;
}

function startEra(eras: Eras, from: number, revision: number): Eras {
  const scope = eras.at(-1)?.[2];
  const next: Eras[number] = scope === undefined ? [from, revision] : [from, revision, scope];
  return [...eras.filter(([start]) => start < from), next];
}

/** The eras with this scope from this position on. An entry that changes nothing would split the handles of runs in two. */
function withScope(eras: Eras, from: number, scope: string): Eras {
  const before = eras.filter(([start]) => start < from);
  const revision = eras.findLast(([start]) => start <= from)?.[1] ?? 0;
  const later = eras.filter(([start]) => start > from).map(([start, number]) => [start, number, scope] as const);
  const last = before.at(-1);
  const isSame = last?.[1] === revision && last[2] === scope;
  return [...before, ...(isSame ? [] : [[from, revision, scope] as const]), ...later];
}
