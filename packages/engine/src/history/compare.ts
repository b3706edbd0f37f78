import { definedKeys, hashValue, isRecord, isText, ownText, sameValue } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import { placeholder } from '../turns/read-turns.ts';
import { isIntact, type Print, printOf, restored, type Trace, traceOf } from '../turns/snapshot.ts';
import { type Piece, renewPiece } from '../view/view-turn.ts';
import { coveredBy, type Given, type Known } from './memory.ts';

/** The hash by which a fold knows a message; cache markers do not count. Pure. */
export function hashMessage<M>(dialect: Dialect<M>, message: M): string {
  return hashValue(plainForm(dialect, message));
}

/** The hash by which a fold knows a turn that it kept. Pure. */
export function hashTurn<M>(dialect: Dialect<M>, messages: readonly M[]): string {
  return hashValue(messages.map((message) => plainForm(dialect, message)));
}

/**
 * Cache markers do not count, nor whether a text stands alone or in a block. A message that was restored from a state may
 * lack its thinking, or be nothing (undefined) if it was all thinking.
 */
export function isSame<M>(dialect: Dialect<M>, message: M, before: M | undefined): boolean {
  const plain = plainForm(dialect, message);
  if (before !== undefined && sameValue(plain, plainForm(dialect, before))) return true;
  if (dialect.thinking !== 'bound' || !isRecord(message) || !hasThinking(dialect, message)) return false;
  const bare = dialect.withoutThinking(message);
  if (before === undefined) return bare === undefined;
  return sameValue(plainForm(dialect, bare ?? placeholder(dialect)), plainForm(dialect, before));
}

/** False also for what cannot be read: it is refused where it is taken in. */
function hasThinking<M>(dialect: Dialect<M>, message: M): boolean {
  try {
    return dialect.read(message).thinking;
  } catch {
    return false;
  }
}

function plainForm<M>(dialect: Dialect<M>, message: M): unknown {
  const plain: unknown = isRecord(message) ? dialect.withMarkers(message, 0) : message;
  if (!isRecord(plain) || !Array.isArray(plain.content) || plain.content.length !== 1) return plain;
  const [block] = plain.content;
  const isBare = isRecord(block) && isText(block) && definedKeys(block).length === 2;
  return isBare ? { ...plain, content: block.text } : plain;
}

/**
 * The first place at which the history is not what it was, if any: of the folded part all that stands in the view and the
 * last message, and everything since. Newer objects of the same messages are taken over.
 */
export function compare<M>(
  dialect: Dialect<M>,
  known: Known<M>,
  given: Given<M>,
): { readonly current: Known<M>; readonly index?: number } {
  const { history, offset } = given;
  const covered = coveredBy(known);
  const end = offset + history.length;
  const renewed: Renewed<M> = { messages: new Map(), prints: new Map() };
  for (const piece of known.view.pieces) {
    if (piece.from >= covered) break;
    const index = changedIn(dialect, known, piece, given, renewed);
    if (index !== undefined) return { current: known, index: Math.min(index, end) };
  }
  let { edge } = known;
  if (covered > offset) {
    const message = history[covered - 1 - offset];
    if (message === undefined) return { current: known, index: end };
    if (!edge || message !== edge.message || !isIntact(message, edge.held)) {
      if (hashMessage(dialect, message) !== known.log.at(-1)?.edge) return { current: known, index: covered - 1 };
      edge = traceOf(message);
    }
  }
  for (let at = Math.max(covered, offset); at < known.seen; at++) {
    const message = history[at - offset];
    const { [at - covered]: before } = known.recent;
    const { [at - covered]: held } = known.snapshots;
    if (message === before && message !== undefined && held && isIntact(message, held)) continue;
    if (message === undefined || !isSame(dialect, message, held && restored(held)))
      return { current: renew(dialect, known, edge, renewed), index: at };
    renewed.messages.set(at, message);
  }
  return { current: renew(dialect, known, edge, renewed) };
}

/** True if the history is the one that is known, or goes on from it. Pure. */
export function goesOn<M>(dialect: Dialect<M>, known: Known<M>, given: Given<M>): boolean {
  return given.offset <= known.seen && compare(dialect, known, given).index === undefined;
}

/** The first place of a folded turn at which another message is given than the one that the view was made of. */
function changedIn<M>(
  dialect: Dialect<M>,
  known: Known<M>,
  piece: Piece<M>,
  given: Given<M>,
  renewed: Renewed<M>,
): number | undefined {
  const { history, offset } = given;
  for (let i = 0; i < piece.messages.length; i++) {
    const at = piece.from + i;
    const isCut = piece.cuts.some((cut) => cut.at === at);
    const trace = known.kept.get(at);
    if (at < offset && (isCut || !trace)) continue;
    const message = at < offset ? trace?.message : history[at - offset];
    if (message === undefined) return at;
    if (isCut) {
      const before = known.prints.get(at);
      // A later fold may show more of it than the print covers.
      const seen = isRecord(message) && before?.object.has(message) && before.ends === shownOf(piece, at) && before;
      if (seen && seen.print === printOf(message, seen.ends)) continue;
      const isKept = before
        ? before.hash === hashMessage(dialect, message)
        : isKeptTurn(dialect, known, piece, given) && isRecord(message);
      if (!isKept) return at;
      renewed.prints.set(at, takePrint(dialect, piece, at, message));
    } else if (message !== trace?.message || !isIntact(message, trace.held)) {
      if (!isSameSource(dialect, piece, message, trace ? restored(trace.held) : piece.messages[i])) return at;
      renewed.messages.set(at, message);
    }
  }
  return undefined;
}

/** Characters that the view shows at most of each end of the message at this place. */
function shownOf<M>({ cuts }: Piece<M>, at: number): number {
  return cuts.reduce((most, cut) => (cut.at === at ? Math.max(most, cut.chars) : most), 0);
}

function takePrint<M>(dialect: Dialect<M>, piece: Piece<M>, at: number, message: M, was = message): Print {
  const ends = shownOf(piece, at);
  return {
    object: new WeakSet([message as object]),
    ends,
    print: ownText(printOf(was, ends)),
    hash: hashMessage(dialect, was),
  };
}

/** Newer objects for messages that are the same, whole or shortened. */
interface Renewed<M> {
  readonly messages: Map<number, M>;
  readonly prints: Map<number, Print>;
}

/** Where a fold took out thinking, it does not matter whether the caller did, too. */
function isSameSource<M>(dialect: Dialect<M>, { unthought }: Piece<M>, message: M, before: M | undefined): boolean {
  if (isSame(dialect, message, before)) return true;
  if (!unthought || before === undefined || !dialect.read(before).thinking) return false;
  return isSame(dialect, message, dialect.withoutThinking(before));
}

/** A restored window knows a shortened turn by its hash. */
function isKeptTurn<M>(dialect: Dialect<M>, known: Known<M>, piece: Piece<M>, { history, offset }: Given<M>): boolean {
  const hash = known.log.at(-1)?.kept.find(({ from }) => from === piece.from)?.hash;
  const from = piece.from - offset;
  if (hash === undefined || from < 0) return true;
  return hashTurn(dialect, history.slice(from, from + piece.messages.length)) === hash;
}

/** What a window remembers of the messages behind the folded part of its view. */
export function sourcesOf<M>(
  dialect: Dialect<M>,
  pieces: readonly Piece<M>[],
  source: (index: number) => Trace<M> | undefined,
  before: ReadonlyMap<number, Print>,
): Pick<Known<M>, 'kept' | 'prints'> {
  const kept = new Map<number, Trace<M>>();
  const prints = new Map<number, Print>();
  for (const piece of pieces) {
    const { from, messages, cuts } = piece;
    for (let at = from; at < from + messages.length; at++) {
      const trace = source(at);
      if (!cuts.some((cut) => cut.at === at)) {
        if (trace) kept.set(at, trace);
      } else {
        const print = trace ? takePrint(dialect, piece, at, trace.message, restored(trace.held)) : before.get(at);
        if (print !== undefined) prints.set(at, print);
      }
    }
  }
  return { kept, prints };
}

/** The caller's newer objects for the same messages: their cache markers may differ. */
function renew<M>(dialect: Dialect<M>, known: Known<M>, edge: Trace<M> | undefined, renewed: Renewed<M>): Known<M> {
  const { messages } = renewed;
  const prints = renewed.prints.size === 0 ? known.prints : new Map([...known.prints, ...renewed.prints]);
  if (messages.size === 0) return edge === known.edge && prints === known.prints ? known : { ...known, edge, prints };
  const covered = coveredBy(known);
  const kept = new Map(known.kept);
  const recent = known.recent.slice(0, known.seen - covered);
  const snapshots = known.snapshots.slice(0, known.seen - covered);
  for (const [at, message] of messages) {
    const trace = traceOf(message);
    if (at < covered) kept.set(at, trace);
    else {
      recent[at - covered] = message;
      snapshots[at - covered] = trace.held;
    }
  }
  const pieces = known.view.pieces.map((piece) => renewPiece(dialect, piece, messages));
  return { ...known, edge, kept, prints, recent, snapshots, view: { ...known.view, pieces } };
}
