import type { Dialect } from '../dialect.ts';
import { HoldfastError } from '../errors.ts';
import { type Archive, type Eras, handleOf, type Named, parseHandle } from '../state/archive.ts';
import { isIntact, restored } from '../turns/snapshot.ts';
import { type Known, traceAt } from './memory.ts';

/** What a handle names: the originals, and the content of one result where it names that. */
export interface Recalled<M> {
  readonly handle: string;
  readonly messages: readonly M[];
  readonly content?: unknown;
}

/** The originals that a handle, or a list of handles, names, from the archive or from the view. Throws UNKNOWN_HANDLE. */
export async function recallFrom<M>(
  archive: Archive<M>,
  dialect: Dialect<M>,
  known: Known<M>,
  handle: string,
): Promise<Recalled<M>> {
  const all = String(handle).split(',').map(parseHandle);
  const messages: M[] = [];
  for (const named of all) {
    const eras = erasOf(named, known.eras);
    for (let i = named.from; i <= named.to; i++) {
      const message = eras && ((await archive.get(handleOf(i, eras))) ?? (await originalAt(archive, known, i, eras)));
      if (message === undefined) throw unknownHandle(handle);
      messages.push(message);
    }
  }
  const [{ part } = { part: undefined }] = all.length === 1 ? all : [];
  if (part === undefined) return { handle, messages };
  const result = messages.slice(0, 1).flatMap((message) => dialect.read(message).results)[part];
  if (result === undefined) throw unknownHandle(handle);
  return { handle, messages, content: result.content };
}

/**
 * The eras of a run. Older notes have runs over several, such as m1-m55~1: where each began is known only as long as the
 * last message has that name, for a rewrite before it would have given it another.
 */
function erasOf({ from, to, eras }: Named, now: Eras): Eras | undefined {
  if (eras.length === 1) return eras;
  return handleOf(from, eras) === handleOf(from, now) && handleOf(to, eras) === handleOf(to, now) ? now : undefined;
}

/** The message at this place, if that is what a handle of these eras means now. */
export async function originalAt<M>(
  archive: Archive<M>,
  known: Known<M>,
  index: number,
  eras = known.eras,
): Promise<M | undefined> {
  const name = handleOf(index, known.eras);
  if (!isNow(eras) && name !== handleOf(index, eras)) return undefined;
  const { pieces } = known.view;
  const piece = pieces.find(({ from, messages }) => from <= index && index < from + messages.length);
  const whole = piece && !piece.unthought && !piece.cuts.some(({ at }) => at === index);
  if (!whole) return archive.get(name);
  const trace = traceAt(known, index);
  return trace && !isIntact(trace.message, trace.held) ? restored(trace.held) : piece.messages[index - piece.from];
}

/** A handle without an era of which nothing is archived means the message that stands there now. */
function isNow(eras: Eras): boolean {
  return eras.length === 1 && eras[0]?.[1] === 0;
}

export function unknownHandle(handle: string): HoldfastError {
  return new HoldfastError('UNKNOWN_HANDLE', `nothing is kept as ${handle}`, { handle });
}
