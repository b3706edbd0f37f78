import type { WindowState } from 'holdfast';
import { eachEntry, type SessionInfo, type SessionStore } from '../store.ts';
import type { FoldChange } from './fold-stack.ts';

type Eras = WindowState['eras'];

/**
 * The revisions of a session whose own messages have this scope: those of the newest fold, and one for each rewind since. Copied
 * messages have the scopes that the fork recorded. Own are the messages from the first position that its `model` entries name, or to which it was rewound; without a fold, whose
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
  let scopes: Eras = [];
  let rewinds = 0;
  let own = 0;
  let copied = 0;
  for await (const { seq, entry } of eachEntry(store, id, { types: ['fork', 'model', 'rewind'] })) {
    if (seq > last) break;
    if (entry.type === 'fork') {
      copied = seq + entry.entries;
      own = messages;
      // A later fold recorded the scopes of what was copied, too.
      if (entry.eras && (fold?.seq ?? 0) <= copied) scopes = entry.eras;
    } else if (entry.type === 'model' && seq > copied) own = Math.min(own, entry.from ?? 0);
    else if (entry.type === 'rewind') {
      rewinds++;
      if (seq > copied) own = Math.min(own, entry.to);
      // Numbers of revisions are not used twice, even if the fold that used them was rewound.
      if (seq > (fold?.seq ?? 0)) eras = startEra(eras, entry.to, Math.max(newestOf(eras) + 1, rewinds));
    }
  }
  const known = scopes.filter(([start]) => start < own);
  return withScope(rescoped(eras, known), fold ? own : 0, scope);
}

function newestOf(eras: Eras): number {
  return eras.at(-1)?.[1] ?? 0;
}

function startEra(eras: Eras, from: number, revision: number): Eras {
  const scope = eras.at(-1)?.[2];
  const next: Eras[number] = scope === undefined ? [from, revision] : [from, revision, scope];
  return [...eras.filter(([start]) => start < from), next];
}

/** The eras with the scopes of these, where there are any. */
function rescoped(eras: Eras, scopes: Eras): Eras {
  if (scopes.length === 0) return eras;
  const starts = [...new Set([...eras, ...scopes].map(([start]) => start))].sort((a, b) => a - b);
  const at = (list: Eras, from: number) => list.findLast(([start]) => start <= from);
  return starts.map((start): Eras[number] => {
    const scope = at(scopes, start)?.[2];
    const revision = at(eras, start)?.[1] ?? 0;
    return scope === undefined ? [start, revision] : [start, revision, scope];
  });
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
