import type { Dialect } from '../dialect.ts';
import { isRecord } from '../json/record.ts';
import { ownText } from '../quoting/slice.ts';
import { hashMessage, hashTurn, isSame } from '../turns/same-message.ts';
import {
  type Fingerprint,
  fingerprintOf,
  isUnchanged,
  restored,
  type SeenMessage,
  seenMessage,
} from '../turns/snapshot.ts';
import { cutsAt } from '../view/mask.ts';
import { type Renewed, renewTurn, type ViewTurn } from '../view/view-turn.ts';
import { foldedUpTo, type HistoryInput, type Memory } from './memory.ts';

/** The two sides of a comparison; of messages that have not changed, the newer objects; of shortened ones, new fingerprints. */
interface Comparison<M> extends Renewed<M>, HistoryInput<M> {
  readonly dialect: Dialect<M>;
  readonly memory: Memory<M>;
  readonly fingerprints: Map<number, Fingerprint>;
}

/**
 * Finds the first index at which the history differs from what the window remembers. It compares whatever is in the folded
 * part of the view, the last folded message, and everything after it. `current` is the memory with the caller's newer objects.
 */
export function compare<M>(
  dialect: Dialect<M>,
  memory: Memory<M>,
  input: HistoryInput<M>,
): { readonly current: Memory<M>; readonly index?: number } {
  const { history, offset } = input;
  const covered = foldedUpTo(memory);
  const end = offset + history.length;
  const renewed = { messages: new Map(), markers: new Map(), fingerprints: new Map() };
  const comparison: Comparison<M> = { dialect, memory, ...input, ...renewed };
  for (const turn of memory.view.turns) {
    if (turn.from >= covered) break;
    const index = firstChange(comparison, turn);
    if (index !== undefined) return { current: memory, index: Math.min(index, end) };
  }
  let { lastFolded } = memory;
  if (covered > offset) {
    const message = history[covered - 1 - offset];
    if (message === undefined) return { current: memory, index: end };
    if (!lastFolded || message !== lastFolded.message || !isUnchanged(message, lastFolded.snapshot)) {
      if (hashMessage(dialect, message) !== memory.log.at(-1)?.edge) return { current: memory, index: covered - 1 };
      lastFolded = seenMessage(message);
    }
  }
  for (let at = Math.max(covered, offset); at < memory.seen; at++) {
    const message = history[at - offset];
    const { [at - covered]: before } = memory.recent;
    const { [at - covered]: snapshot } = memory.snapshots;
    if (message === before && message !== undefined && snapshot && isUnchanged(message, snapshot)) continue;
    if (message === undefined || !isSame(dialect, message, snapshot && restored(snapshot)))
      return { current: renew(comparison, lastFolded), index: at };
    comparison.messages.set(at, message);
  }
  return { current: renew(comparison, lastFolded) };
}

/** True if the history contains what the window remembers, unchanged. Pure. */
export function isContinued<M>(dialect: Dialect<M>, memory: Memory<M>, input: HistoryInput<M>): boolean {
  return input.offset <= memory.seen && compare(dialect, memory, input).index === undefined;
}

/** The first index in a folded turn at which the history differs from the original. */
function firstChange<M>(comparison: Comparison<M>, turn: ViewTurn<M>): number | undefined {
  const { dialect, memory, history, offset } = comparison;
  for (let i = 0; i < turn.messages.length; i++) {
    const at = turn.from + i;
    const isCut = cutsAt(turn, at) !== undefined;
    const seen = memory.originals.get(at);
    if (at < offset && (isCut || !seen)) continue;
    const message = at < offset ? seen?.message : history[at - offset];
    if (message === undefined) return at;
    if (isCut) {
      const shown = turn.readings[i]?.markers ?? 0;
      const markers = shown > 0 && isRecord(message) ? dialect.read(message).markers : shown;
      if (markers < shown) comparison.markers.set(at, markers);
      const before = memory.fingerprints.get(at);
      // A later fold may show more of the message than the fingerprint covers.
      const own = isRecord(message) && before?.object.has(message) && before.ends === shownChars(turn, at) && before;
      if (own && own.text === fingerprintOf(message, own.ends)) continue;
      // Hashed once: the original may be long, and a caller that parses the history anew passes it as a new object each time.
      const hash = hashMessage(dialect, message);
      const isKept = before ? before.hash === hash : hasLoggedHash(comparison, turn) && isRecord(message);
      if (!isKept) return at;
      comparison.fingerprints.set(at, takeFingerprint(turn, at, message, message, hash));
    } else if (message !== seen?.message || !isUnchanged(message, seen.snapshot)) {
      if (!isSameSource(dialect, turn, message, seen ? restored(seen.snapshot) : turn.messages[i])) return at;
      comparison.messages.set(at, message);
    }
  }
  return undefined;
}

/** Characters that the view shows at most of either end of the message at this index. */
function shownChars<M>({ cuts }: ViewTurn<M>, at: number): number {
  return cuts.reduce((most, cut) => (cut.at === at ? Math.max(most, cut.chars) : most), 0);
}

/** The fingerprint of a message that said `was`, with this hash. */
function takeFingerprint<M>(turn: ViewTurn<M>, at: number, message: M, was: M, hash: string): Fingerprint {
  const ends = shownChars(turn, at);
  return { object: new WeakSet([message as object]), ends, text: ownText(fingerprintOf(was, ends)), hash };
}

/** Where a fold removed thinking, the caller may have removed it, too. */
function isSameSource<M>(dialect: Dialect<M>, { unthought }: ViewTurn<M>, message: M, before: M | undefined): boolean {
  if (isSame(dialect, message, before)) return true;
  if (!unthought || before === undefined || !dialect.read(before).thinking) return false;
  return isSame(dialect, message, dialect.withoutThinking(before));
}

/** A restored window has only the logged hash of a shortened turn to compare. */
function hasLoggedHash<M>({ dialect, memory, history, offset }: Comparison<M>, turn: ViewTurn<M>): boolean {
  const hash = memory.log.at(-1)?.kept.find(({ from }) => from === turn.from)?.hash;
  const from = turn.from - offset;
  if (hash === undefined || from < 0) return true;
  return hashTurn(dialect, history.slice(from, from + turn.messages.length)) === hash;
}

/** What to remember of the messages behind the folded part of the view: whole ones as they were, shortened ones by fingerprint. */
export function originalsOf<M>(
  dialect: Dialect<M>,
  turns: readonly ViewTurn<M>[],
  seenMessageAt: (index: number) => SeenMessage<M> | undefined,
  before: ReadonlyMap<number, Fingerprint>,
): Pick<Memory<M>, 'originals' | 'fingerprints'> {
  const originals = new Map<number, SeenMessage<M>>();
  const fingerprints = new Map<number, Fingerprint>();
  for (const turn of turns) {
    const { from, messages } = turn;
    for (let at = from; at < from + messages.length; at++) {
      const seen = seenMessageAt(at);
      if (!cutsAt(turn, at)) {
        if (seen) originals.set(at, seen);
        continue;
      }
      const was = seen && restored(seen.snapshot);
      const made = seen && was && takeFingerprint(turn, at, seen.message, was, hashMessage(dialect, was));
      const fingerprint = made ?? before.get(at);
      if (fingerprint !== undefined) fingerprints.set(at, fingerprint);
    }
  }
  return { originals, fingerprints };
}

/** The memory with the caller's newer objects for the same messages: their cache markers may differ. */
function renew<M>(comparison: Comparison<M>, lastFolded: SeenMessage<M> | undefined): Memory<M> {
  const { dialect, memory, messages, markers } = comparison;
  const news = messages.size + markers.size;
  if (news + comparison.fingerprints.size === 0 && lastFolded === memory.lastFolded) return memory;
  const fingerprints = new Map([...memory.fingerprints, ...comparison.fingerprints]);
  if (news === 0) return { ...memory, lastFolded, fingerprints };
  const covered = foldedUpTo(memory);
  const originals = new Map(memory.originals);
  const recent = memory.recent.slice(0, memory.seen - covered);
  const snapshots = memory.snapshots.slice(0, memory.seen - covered);
  for (const [at, message] of messages) {
    const seen = seenMessage(message);
    if (at < covered) originals.set(at, seen);
    else {
      recent[at - covered] = message;
      snapshots[at - covered] = seen.snapshot;
    }
  }
  const turns = memory.view.turns.map((turn) => renewTurn(dialect, turn, comparison));
  return { ...memory, lastFolded, originals, fingerprints, recent, snapshots, view: { ...memory.view, turns } };
}
