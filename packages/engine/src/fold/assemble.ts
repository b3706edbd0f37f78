import type { Dialect } from '../dialect.ts';
import { DigestBuilder } from '../note/build-digest.ts';
import type { Digest } from '../note/digest.ts';
import { fittingNote } from '../note/fit-note.ts';
import type { ArchivedRun, Removed } from '../state/archive.ts';
import type { NoteKind, Wording } from '../strategy.ts';
import type { DistantTurn } from '../view/distant.ts';
import { cutsAt, isCut, WORDS } from '../view/mask.ts';
import { firstDifference, type View, viewOf } from '../view/view.ts';
import { unthinkTurn, type ViewTurn } from '../view/view-turn.ts';
import { type Decision, hasDigest } from './ask-strategy.ts';
import { endsInSystem, type FoldInput, type FoldTurn, foldTurns, verdictOf } from './fold-turn.ts';
import { areNeighbors } from './neighbors.ts';

export interface FoldOutput<M> {
  readonly view: View<M>;
  readonly digest: Digest;
  readonly kind: NoteKind;
  readonly wording: Wording;
  readonly hidden: Removed<M>;
  readonly turns: readonly FoldTurn<M>[];
  /** Dropped turns that are not among them. */
  readonly distant: readonly DistantTurn[];
  /** First position of the view that is not as before. */
  readonly changedFrom: number;
  /** Indexes of instructions that it shortened or dropped because the quota had no room for them. */
  readonly crowdedOut: readonly number[];
}

/** The new view with a new note, the digest behind it, and the originals that left the view. */
export function assemble<M>(
  input: FoldInput<M>,
  turns: readonly FoldTurn<M>[],
  decision: Decision,
  gap: FoldTurn<M> | undefined,
): FoldOutput<M> {
  const { dialect } = input;
  const { note: kind, wording } = decision;
  const digest = hasDigest(kind) ? digestOf(input, turns) : changesOf(input, turns);
  // Thinking that stays must be one unbroken run, so none stays, neither behind a change nor before it.
  if (dialect.thinking === 'bound') removeThinking(dialect, turns);
  const left = turns.filter(({ now }) => now);
  const staying = left.flatMap(({ now }) => now ?? []);
  const first = left.findLastIndex(({ head }) => head) + 1;
  const newest = left.findLastIndex((turn) => turn.newest);
  const late = Math.max(first, newest < 0 ? staying.length - 1 : newest);
  const isLate = decision.place === 'newest' && mayStandLate(dialect, staying, first, late);
  const head = gap ? left.indexOf(gap) : isLate ? late : first;
  // A note is never last: if nothing follows the head, because the newest was all thinking, there is none.
  const isNoted = (kind !== 'none' || gap) && head < staying.length;
  const own = kind === 'none' ? 'marker' : kind;
  const note = isNoted ? fittingNote({ ...input, wording }, staying, digest, own, input.summary.text) : undefined;
  return outputOf(input, turns, viewOf(dialect, staying, head, note), { digest, kind, wording });
}

/** A fold that only cuts results: what was dropped stays after all. Undefined if nothing was cut. */
export function trimOnly<M>(input: FoldInput<M>, turns: readonly FoldTurn<M>[]): FoldOutput<M> | undefined {
  const { dialect } = input;
  if (!turns.some((turn) => verdictOf(turn) === 'mask')) return undefined;
  for (const turn of turns) turn.now ??= turn.before;
  if (dialect.thinking === 'bound' && thinksBehindCut(turns)) removeThinking(dialect, turns);
  return cutOnly(input, turns);
}

/** A fold that keeps every turn. Only thinking goes, because what preceded it has changed. */
export function keepAll<M>(input: FoldInput<M>): FoldOutput<M> {
  const turns = foldTurns(input);
  if (input.dialect.thinking === 'bound') removeThinking(input.dialect, turns);
  return cutOnly(input, turns);
}

/** The view with these turns, and its note where and as it was. */
export function cutOnly<M>(input: FoldInput<M>, turns: readonly FoldTurn<M>[]): FoldOutput<M> {
  const { dialect, view } = input;
  const staying = turns.flatMap(({ now }) => now ?? []);
  const head = turns.slice(0, view.head).filter(({ now }) => now).length;
  const isWhole = staying.length === view.turns.length;
  const next = isWhole ? { ...view, turns: staying } : viewOf(dialect, staying, head, view.note?.written);
  return outputOf(input, turns, next, { digest: digestOf(input, turns), kind: 'none', wording: {} });
}

function outputOf<M>(
  input: FoldInput<M>,
  turns: readonly FoldTurn<M>[],
  view: View<M>,
  noted: Pick<FoldOutput<M>, 'digest' | 'kind' | 'wording'>,
): FoldOutput<M> {
  const runs: ArchivedRun<M>[] = [];
  const crowdedOut: number[] = [];
  for (const { before, now, crowded } of turns) {
    crowdedOut.push(...crowded.filter((at) => !now || isCut(now, at, WORDS)));
    if (now === before || before.unthought) continue;
    // A message that an earlier fold changed is in the archive already.
    if (before.cuts.length === 0) runs.push(before);
    else
      before.messages.forEach((message, i) => {
        const from = before.from + i;
        if (!cutsAt(before, from)) runs.push({ from, messages: [message] });
      });
  }
  const { turns: distant = [], history = [] } = input.view.distant ?? {};
  for (let i = 0; i < distant.length; ) {
    const from = distant[i]?.from ?? 0;
    let end = from;
    for (let next = distant[i]; next?.from === end; next = distant[++i]) end += next.messages;
    runs.push({ from, messages: history.slice(from, end) });
  }
  const hidden = { runs, revisions: input.revisions };
  return { ...noted, view, hidden, turns, distant, crowdedOut, changedFrom: firstDifference(input.view, view) };
}

function removeThinking<M>(dialect: Dialect<M>, turns: readonly FoldTurn<M>[]): void {
  for (const turn of turns) turn.now &&= unthinkTurn(dialect, turn.now);
}

/** True if there is thinking behind the first message that is cut. */
function thinksBehindCut<M>(turns: readonly FoldTurn<M>[]): boolean {
  let isBehind = false;
  return turns.some(({ before, now }) =>
    before.readings.some(({ thinking }, i) => {
      isBehind ||= now?.messages[i] !== before.messages[i];
      return isBehind && thinking;
    }),
  );
}

/**
 * False if the note has to follow the head: it would come between a system message and what must follow that, or before
 * thinking, which providers remove if it precedes the last words in the user's role; or it has to part the head from the rest.
 */
function mayStandLate<M>(dialect: Dialect<M>, turns: readonly ViewTurn<M>[], head: number, late: number): boolean {
  const { [head - 1]: last, [head]: next } = turns;
  if (last && next && !areNeighbors(dialect, last, next)) return false;
  if (late > head && endsInSystem(dialect, turns[late - 1])) return false;
  const ask = turns.findLastIndex((turn) => turn.asks);
  return !turns.slice(ask + 1, late).some(({ readings }) => readings.some(({ thinking }) => thinking));
}

/** The same fold with this summary in its note. Pure. */
export function withSummary<M>(input: FoldInput<M>, output: FoldOutput<M>, summary: string): FoldOutput<M> {
  const { digest, kind, view, wording } = output;
  const note = fittingNote({ ...input, wording }, view.turns, digest, kind, summary);
  const next = viewOf(input.dialect, view.turns, view.head, note);
  return { ...output, view: next, changedFrom: firstDifference(input.view, next) };
}

/** The digest with the files that dropped turns changed: what a marker names. */
export function changesOf<M>(input: FoldInput<M>, turns: readonly FoldTurn<M>[]): Digest {
  const { dialect, seen, view } = input;
  const builder = new DigestBuilder(dialect, input.digest, input.reader);
  const { turns: distant = [], history = [], readings = [] } = view.distant ?? {};
  for (const { from, messages } of distant) {
    const end = from + messages;
    builder.changes({ from, messages: history.slice(from, end), readings: readings.slice(from, end) });
  }
  for (const { before, now } of turns) if (!now) builder.changes(before);
  return builder.finish(seen);
}

/** Most characters of hidden text that a digest is made from, where the budget does not bound them. */
const DIGEST_CHARS = 400_000;

/** Adds what this fold hides. Only a cold start hides more text than the budget holds: then only the newest is read. */
function digestOf<M>(input: FoldInput<M>, turns: readonly FoldTurn<M>[]): Digest {
  const hidden = turns.filter((turn) => verdictOf(turn) !== 'keep');
  let room = Math.min(DIGEST_CHARS, input.budget.max.tokens / input.calibration.slope);
  let near = hidden.length;
  while (near > 0 && room > 0) room -= hidden[--near]?.before.load.chars ?? 0;
  const builder = new DigestBuilder(input.dialect, input.digest, input.reader);
  for (const { before, now } of hidden.slice(near)) builder.add(before, now);
  for (const { before, now } of hidden.slice(0, near).reverse()) if (!now) builder.skim(before);
  return builder.finish(input.seen, input.budget.note);
}
