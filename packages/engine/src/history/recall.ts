import { contentText } from '../content/text.ts';
import type { Dialect } from '../dialect.ts';
import { HoldfastError } from '../errors.ts';
import { handleOf, type Named, parseHandle, type Revisions, revisionAt, revisionOf } from '../handles/handles.ts';
import type { Archive } from '../state/archive.ts';
import { isUnchanged, restored } from '../turns/snapshot.ts';
import { cutsAt } from '../view/mask.ts';
import { type Memory, seenAt } from './memory.ts';

/** The originals that a handle names, and the content of a result if it names one. */
export interface Recalled<M> {
  readonly handle: string;
  readonly messages: readonly M[];
  /** Text, or a list of blocks in the format of the messages. */
  readonly content?: string | readonly unknown[];
}

/** The originals that a handle or a comma-separated list names, from the archive or the view. Throws UNKNOWN_HANDLE. */
export async function recallFrom<M>(
  archive: Archive<M>,
  dialect: Dialect<M>,
  memory: Memory<M>,
  handle: string,
): Promise<Recalled<M>> {
  const all = String(handle).split(',').map(parseHandle);
  const messages: M[] = [];
  for (const named of all) {
    const { scope } = named;
    if (scope !== undefined && !scopesOf(memory.revisions).has(scope)) throw unknownScope(handle, scope);
    const revisions = revisionsOf(named, memory.revisions);
    for (let i = named.from; i <= named.to; i++) {
      const message = revisions && (await find(archive, memory, i, revisions, scope));
      if (message === undefined) throw unknownHandle(handle);
      messages.push(message);
    }
  }
  const part = all.length === 1 ? all[0]?.part : undefined;
  if (part === undefined) return { handle, messages };
  const result = messages.slice(0, 1).flatMap((message) => dialect.read(message).results)[part];
  if (result === undefined) throw unknownHandle(handle);
  const { content } = result;
  return { handle, messages, content: Array.isArray(content) ? content : contentText(content) };
}

/** The message that a handle of these revisions names. A handle without a scope may be of any scope of the window. */
async function find<M>(
  archive: Archive<M>,
  memory: Memory<M>,
  index: number,
  revisions: Revisions,
  scope: string | undefined,
): Promise<M | undefined> {
  const now = memory.revisions;
  const own = revisionAt(index, now)[2];
  const scopes = scope === undefined ? new Set([own, ...scopesOf(now), undefined]) : [scope];
  const [, revision] = revisionAt(index, revisions);
  for (const one of scopes) {
    const message = await archive.get(handleOf(index, [revisionOf(0, revision, one)]));
    if (message !== undefined) return message;
  }
  return originalAt(archive, memory, index, [revisionOf(0, revision, scope ?? own)]);
}

function scopesOf(revisions: Revisions): ReadonlySet<string | undefined> {
  return new Set(revisions.map(([, , scope]) => scope));
}

/**
 * The revisions of a run of messages. Runs in older notes span several, such as m1-m55~1. Where each starts is known only while
 * the last message still has that handle: a rewrite before it would have given it a new one.
 */
function revisionsOf({ from, to, revisions }: Named, now: Revisions): Revisions | undefined {
  const isCurrent = (index: number) => revisionAt(index, revisions)[1] === revisionAt(index, now)[1];
  if (revisions.length === 1) return revisions;
  return isCurrent(from) && isCurrent(to) ? now : undefined;
}

/** The original at this index, if a handle of these revisions means it now. */
export async function originalAt<M>(
  archive: Archive<M>,
  memory: Memory<M>,
  index: number,
  revisions = memory.revisions,
): Promise<M | undefined> {
  const name = handleOf(index, memory.revisions);
  // A handle without a revision of which nothing is archived means the message that is there now.
  const [, revision, scope] = revisionAt(index, revisions);
  const isUnversioned = revision === 0 && scope === revisionAt(index, memory.revisions)[2];
  if (!isUnversioned && name !== handleOf(index, revisions)) return undefined;
  const turn = memory.view.turns.find(({ from, messages }) => from <= index && index < from + messages.length);
  if (!turn || turn.unthought || cutsAt(turn, index)) return archive.get(name);
  const seen = seenAt(memory, index);
  return seen && !isUnchanged(seen.message, seen.snapshot) ? restored(seen.snapshot) : turn.messages[index - turn.from];
}

function unknownScope(handle: string, scope: string): HoldfastError {
  const text = `${handle} is a handle of another conversation: this one has no ${scope}`;
  return new HoldfastError('UNKNOWN_HANDLE', text, { handle, scope });
}

export function unknownHandle(handle: string): HoldfastError {
  return new HoldfastError('UNKNOWN_HANDLE', `nothing is stored under ${handle}`, { handle });
}
