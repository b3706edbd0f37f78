import { type Archive, type Eras, handleOf, parseHandle } from './archive.ts';
import type { Dialect } from './dialect.ts';
import { HoldfastError } from './errors.ts';
import type { Known } from './intake.ts';

/** What a handle names: the originals, and the content of one result where it names that. */
export interface Recalled<M> {
  readonly handle: string;
  readonly messages: readonly M[];
  readonly content?: unknown;
}

/** The originals that a handle names, from the archive or from the view. Throws UNKNOWN_HANDLE. */
export async function recallFrom<M>(
  archive: Archive<M>,
  dialect: Dialect<M>,
  known: Known<M>,
  handle: string,
): Promise<Recalled<M>> {
  const { from, to, eras, part } = parseHandle(String(handle));
  const messages: M[] = [];
  for (let i = from; i <= to; i++) {
    const message = (await archive.get(handleOf(i, eras))) ?? (await originalAt(archive, known, i, eras));
    if (message === undefined) throw unknownHandle(handle);
    messages.push(message);
  }
  if (part === undefined) return { handle, messages };
  const result = messages.slice(0, 1).flatMap((message) => dialect.read(message).results)[part];
  if (result === undefined) throw unknownHandle(handle);
  return { handle, messages, content: result.content };
}

/** The message that is at this place now, if that is what a handle of these eras means. */
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
  return whole ? piece.messages[index - piece.from] : await archive.get(name);
}

/** A handle without an era means the message that stands there now. */
function isNow(eras: Eras): boolean {
  return eras[0]?.[1] === 0;
}

export function unknownHandle(handle: string): HoldfastError {
  return new HoldfastError('UNKNOWN_HANDLE', `nothing is kept as ${handle}`, { handle });
}
