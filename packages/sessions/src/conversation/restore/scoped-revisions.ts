import type { WindowState } from 'holdfast';
import { eachEntry, type SessionInfo, type SessionStore } from '../../store.ts';
import type { FoldChange } from './fold-stack.ts';

type Revisions = WindowState['revisions'];

/**
 * The revisions of a session whose own messages have this scope: those of the newest fold, and one for each rewind since.
 * Copied messages have the scopes that the fork recorded. Its own messages start at the first position that its `model`
 * entries name, or to which it was rewound; without a fold, no handles can be in the view, and all messages are its own.
 */
export async function scopedRevisions(
  store: SessionStore,
  { id, last, messages }: SessionInfo,
  happened: readonly (FoldChange & { readonly seq: number })[],
  scope: string,
): Promise<Revisions> {
  const fold = happened.findLast((entry) => entry.type === 'fold');
  let revisions: Revisions = (fold?.type === 'fold' ? fold.revisions : undefined) ?? [];
  let scopes: Revisions = [];
  let rewinds = 0;
  let own = 0;
  let copied = 0;
  for await (const { seq, entry } of eachEntry(store, id, { types: ['fork', 'model', 'rewind'] })) {
    if (seq > last) break;
    if (entry.type === 'fork') {
      copied = seq + entry.entries;
      own = messages;
      // A later fold recorded the scopes of what was copied, too.
      if (entry.revisions && (fold?.seq ?? 0) <= copied) scopes = entry.revisions;
    } else if (entry.type === 'model' && seq > copied) own = Math.min(own, entry.from ?? 0);
    else if (entry.type === 'rewind') {
      rewinds++;
      if (seq > copied) own = Math.min(own, entry.to);
      // Numbers of revisions are not used twice, even if the fold that used them was rewound.
      if (seq > (fold?.seq ?? 0))
        revisions = startRevision(revisions, entry.to, Math.max(newestOf(revisions) + 1, rewinds));
    }
  }
  const known = scopes.filter(([start]) => start < own);
  return withScope(rescoped(revisions, known), fold ? own : 0, scope);
}

function newestOf(revisions: Revisions): number {
  return revisions.at(-1)?.[1] ?? 0;
}

function startRevision(revisions: Revisions, from: number, revision: number): Revisions {
  const scope = revisions.at(-1)?.[2];
  const next: Revisions[number] = scope === undefined ? [from, revision] : [from, revision, scope];
  return [...revisions.filter(([start]) => start < from), next];
}

/** The revisions with the scopes of these, where there are any. */
function rescoped(revisions: Revisions, scopes: Revisions): Revisions {
  if (scopes.length === 0) return revisions;
  const starts = [...new Set([...revisions, ...scopes].map(([start]) => start))].sort((a, b) => a - b);
  const at = (list: Revisions, from: number) => list.findLast(([start]) => start <= from);
  return starts.map((start): Revisions[number] => {
    const scope = at(scopes, start)?.[2];
    const revision = at(revisions, start)?.[1] ?? 0;
    return scope === undefined ? [start, revision] : [start, revision, scope];
  });
}

/** The revisions with this scope from this position on. An entry that changes nothing would split the handles of runs in two. */
function withScope(revisions: Revisions, from: number, scope: string): Revisions {
  const before = revisions.filter(([start]) => start < from);
  const revision = revisions.findLast(([start]) => start <= from)?.[1] ?? 0;
  const later = revisions.filter(([start]) => start > from).map(([start, number]) => [start, number, scope] as const);
  const last = before.at(-1);
  const isSame = last?.[1] === revision && last[2] === scope;
  return [...before, ...(isSame ? [] : [[from, revision, scope] as const]), ...later];
}
