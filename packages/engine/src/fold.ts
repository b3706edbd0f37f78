import { type ArchiveEntry, type Eras, handleOf } from './archive.ts';
import { type Budget, exceeds } from './budget.ts';
import type { Dialect, Reading } from './dialect.ts';
import { type Digest, DigestBuilder } from './digest.ts';
import { enforce } from './enforce.ts';
import { HoldfastError } from './errors.ts';
import { cutsOf, WORDS_PREVIEW } from './mask.ts';
import { noteText } from './note.ts';
import { cutPiece, type Piece, PieceTurn, pieceTexts, unthinkPiece } from './piece.ts';
import type { NoteKind, Strategy, Verdict } from './strategy.ts';
import { type Calibration, tokensOf } from './tokens.ts';
import { firstDifference, sizeOf, type View, viewLoad, viewOf } from './view.ts';

export interface FoldInput<M> {
  readonly dialect: Dialect<M>;
  readonly strategies: readonly Strategy[];
  readonly view: View<M>;
  readonly budget: Budget;
  readonly calibration: Calibration;
  readonly digest: Digest;
  readonly eras: Eras;
  /** Messages of the history that the view accounts for. */
  readonly seen: number;
  /** Places of pinned messages. */
  readonly pins: ReadonlySet<number>;
  readonly focus?: string;
}

/** A piece before the fold and what becomes of it; undefined if it is dropped. */
export interface Seat<M> {
  readonly before: Piece<M>;
  now: Piece<M> | undefined;
  /** May not be dropped; its results may be masked only if it is `maskable`. */
  readonly floor: boolean;
  readonly maskable: boolean;
  /** The newest words of the user stand in it, beside tool results: it goes when nothing else is left to go. */
  readonly aside: boolean;
  readonly newest: boolean;
  readonly head: boolean;
}

export interface FoldOutput<M> {
  readonly view: View<M>;
  readonly digest: Digest;
  readonly archived: readonly ArchiveEntry<M>[];
  readonly seats: readonly Seat<M>[];
  /** First position of the view that is not as before. */
  readonly changedFrom: number;
}

/** Finds the newest call with the very same result; undefined if it is this one or there is none. */
export type Repeats = (content: unknown, id: string) => string | undefined;

const MASK_CHARS = 400;
/** Shorter results are not worth a comparison. */
const REPEATED_CHARS = 400;
/** Share of the target that the user's words keep, word for word and then as previews, the newest first. Not measured. */
const WORDS_SHARE = 0.2;

/** Judges and enacts. Pure. Undefined if nothing would change. Throws OVER_BUDGET if the floor alone is too large. */
export function foldView<M>(input: FoldInput<M>): FoldOutput<M> | undefined {
  const { view, budget, calibration } = input;
  const seats = seatsOf(input);
  const repeats = repeatedResults(view.pieces, budget);
  const { verdicts, note, maskChars } = judge(input, seats, repeats);
  for (const [i, seat] of seats.entries()) {
    const verdict = verdicts[i] === 'drop' && seat.aside ? 'mask' : verdicts[i];
    if (verdict === 'drop' && !seat.floor) seat.now = undefined;
    if (verdict === 'mask' && seat.maskable) seat.now = maskPiece(input, seat.before, maskChars, repeats);
  }
  restoreWords(input, seats);
  enforce(input, seats, Math.min(maskChars, MASK_CHARS));
  if (input.dialect.systemInside === 'after-user') dropMisplaced(seats);
  const unchanged = seats.every((seat) => seat.now === seat.before);
  if (unchanged && !exceeds(sizeOf(viewLoad(view), budget, calibration), budget.max)) return undefined;
  return assemble(input, seats, note);
}

/** Which pieces are the floor and which the head. */
function seatsOf<M>({ view, budget, pins }: FoldInput<M>): Seat<M>[] {
  const { pieces } = view;
  const firstAsk = pieces.findIndex((piece) => piece.asks);
  const newestAsk = pieces.findLastIndex((piece) => piece.asks);
  const newestWords = pieces.findLastIndex((piece) => piece.words && piece.role !== 'system');
  const head = headLength(pieces, budget.preserve_first_n);
  let leading = true;
  return pieces.map((piece, i) => {
    leading &&= piece.role === 'system';
    const pinned = pins.size > 0 && piece.messages.some((_, k) => pins.has(piece.from + k));
    const newest = i === pieces.length - 1;
    const floor = leading || i === firstAsk || i === newestAsk || newest || pinned;
    const maskable = !floor || (newest && !pinned);
    return { before: piece, now: piece, floor, maskable, aside: !floor && i === newestWords, newest, head: i < head };
  });
}

/** Leading system messages and whole turns up to `preserve_first_n` messages, at least the first; never the newest turn. */
function headLength<M>(pieces: readonly Piece<M>[], first: number): number {
  let head = 0;
  while (pieces[head]?.role === 'system') head++;
  const system = head;
  let messages = 0;
  while (head < pieces.length - 1) {
    messages += pieces[head]?.messages.length ?? 0;
    if (messages > first && head > system) break;
    head++;
  }
  return head;
}

const SEVERITY: Readonly<Record<Verdict, number>> = { keep: 0, mask: 1, drop: 2 };
const WEIGHT: Readonly<Record<NoteKind, number>> = { none: 0, marker: 1, digest: 2 };

function judge<M>(input: FoldInput<M>, seats: readonly Seat<M>[], repeats: Repeats) {
  const { budget, calibration, dialect, strategies } = input;
  const last = input.seen - budget.preserve_last_n;
  const words = focusWords(input.focus);
  const isRepeated = (content: unknown, id: string) => repeats(content, id) !== undefined;
  const turns = seats.map(({ before, floor, head }) => {
    const recent = before.from + before.messages.length > last;
    return new PieceTurn(
      before,
      calibration,
      budget,
      { kept: floor || head, recent, focus: focusOf(dialect, before, words) },
      isRepeated,
    );
  });
  const verdicts: Verdict[] = turns.map(() => 'keep');
  let note: NoteKind = 'none';
  let maskChars = Number.POSITIVE_INFINITY;
  for (const strategy of strategies) {
    const answer = strategy.judge(turns, budget);
    if (answer.verdicts.length !== turns.length) throw wrongCount(strategy, answer.verdicts.length, turns.length);
    for (const [i, verdict] of answer.verdicts.entries()) {
      if (SEVERITY[verdict] > SEVERITY[verdicts[i] ?? 'keep']) verdicts[i] = verdict;
    }
    if (WEIGHT[answer.note] > WEIGHT[note]) note = answer.note;
    maskChars = Math.min(maskChars, answer.mask_chars ?? MASK_CHARS);
  }
  return { verdicts, note, maskChars };
}

function wrongCount(strategy: Strategy, verdicts: number, turns: number): HoldfastError {
  const message = `strategy ${strategy.name ?? 'custom'} gave ${verdicts} verdicts for ${turns} turns: judge() must return one for each`;
  return new HoldfastError('BAD_CONFIG', message, { key: 'strategy', verdicts, turns });
}

function focusWords(focus = ''): readonly string[] {
  return focus.toLowerCase().match(/[\p{L}\p{N}_./-]{3,}/gu) ?? [];
}

function focusOf<M>(dialect: Dialect<M>, piece: Piece<M>, words: readonly string[]): number {
  if (words.length === 0) return 0;
  const text = pieceTexts(dialect, piece).join('\n').toLowerCase();
  return words.filter((word) => text.includes(word)).length;
}

/** Looks at as many of the newest results as the budget could hold: older ones will hardly stay in any form. */
function repeatedResults<M>(pieces: readonly Piece<M>[], budget: Budget): Repeats {
  const newest = new Map<string, string>();
  let chars = 0;
  for (let i = pieces.length - 1; i >= 0 && chars * budget.rates.character <= 2 * budget.max.tokens; i--) {
    const piece = pieces[i] as Piece<M>;
    chars += piece.load.chars;
    for (const { results } of piece.readings) {
      for (const { id, content } of results) {
        if (typeof content === 'string' && content.length > REPEATED_CHARS && !newest.has(content))
          newest.set(content, id);
      }
    }
  }
  return (content, id) => {
    const later = typeof content === 'string' ? newest.get(content) : undefined;
    return later === id ? undefined : later;
  };
}

/** The piece with its results shortened; the same piece if it was masked before or nothing would be saved. */
export function maskPiece<M>(
  input: FoldInput<M>,
  piece: Piece<M>,
  chars: number,
  repeats: Repeats = () => undefined,
): Piece<M> {
  if (piece.cuts.length > 0) return piece;
  const cuts = piece.readings.flatMap((reading, i) => cutsOf(reading, piece.from + i, chars, repeats));
  return cutPiece(input.dialect, piece, cuts, input.eras);
}

/** The user's own words outlive a strategy's verdict up to their share; then the oldest are shortened behind handles. */
function restoreWords<M>(input: FoldInput<M>, seats: readonly Seat<M>[]): void {
  const { budget, calibration } = input;
  const room = (budget.target.tokens - budget.reserve) * WORDS_SHARE;
  let tokens = 0;
  let messages = 0;
  for (const seat of seats.toReversed()) {
    if (seat.floor || seat.aside || !seat.before.words) continue;
    messages += seat.before.messages.length;
    if (messages > budget.target.messages / 4) return;
    const whole = seat.before.asks ? seat.before : (seat.now ?? maskPiece(input, seat.before, 0));
    const preview = previewWords(input, seat.before);
    const fits = tokens + tokensOf(whole.load, calibration) <= room;
    if (!fits && (tokens >= room || preview === seat.before)) return;
    seat.now = fits ? whole : preview;
    tokens += tokensOf(seat.now.load, calibration);
  }
}

/** The piece with long words of the user shortened; the same piece if they are short or were shortened before. */
export function previewWords<M>(input: FoldInput<M>, piece: Piece<M>): Piece<M> {
  if (piece.cuts.length > 0) return piece;
  const isLong = (message: M) => input.dialect.text(message).length > 2 * WORDS_PREVIEW;
  const cuts = piece.messages.flatMap((message, i) => {
    const { role, words } = piece.readings[i] as Reading;
    return words && role !== 'assistant' && isLong(message)
      ? [{ at: piece.from + i, part: -1, chars: WORDS_PREVIEW }]
      : [];
  });
  return cutPiece(input.dialect, piece, cuts, input.eras);
}

/** A system message inside the conversation goes when a fold leaves it between others than it may stand between. */
function dropMisplaced<M>(seats: readonly Seat<M>[]): void {
  const left = seats.filter((seat) => seat.now !== undefined);
  for (const [i, seat] of left.entries()) {
    const before = left[i - 1];
    const after = left[i + 1];
    if (seat.floor || seat.before.role !== 'system' || !before) continue;
    const follows = before.before.asks || before.before.readings.at(-1)?.role === 'tool';
    if (!follows || (after && after.before.role !== 'assistant')) seat.now = undefined;
  }
}

function assemble<M>(input: FoldInput<M>, seats: readonly Seat<M>[], kind: NoteKind): FoldOutput<M> {
  const { dialect, eras, view } = input;
  const digest = kind === 'digest' ? digestOf(input, seats) : input.digest;
  // Thinking that stays must be one unbroken run, so behind a change none stays, nor before it.
  if (dialect.thinking === 'bound') for (const seat of seats) seat.now &&= unthinkPiece(dialect, seat.now);
  const pieces: Piece<M>[] = [];
  const archived: ArchiveEntry<M>[] = [];
  let head = 0;
  for (const { before, now, head: isHead } of seats) {
    if (now) pieces.push(now);
    if (now && isHead) head++;
    if (now === before) continue;
    for (const [i, message] of before.messages.entries()) {
      if (isOriginal(before, before.from + i)) archived.push({ handle: handleOf(before.from + i, eras), message });
    }
  }
  const next = viewOf(dialect, pieces, head, kind === 'none' ? undefined : noteText(input, pieces, digest, kind));
  return { view: next, digest, archived, seats, changedFrom: firstDifference(view, next) };
}

/** A message that an earlier fold changed is in the archive already. */
function isOriginal<M>(piece: Piece<M>, at: number): boolean {
  return !piece.unthought && !piece.cuts.some((cut) => cut.at === at);
}

/** What became of a seat. */
export function verdictOf<M>({ before, now }: Seat<M>): Verdict {
  if (now === undefined) return 'drop';
  return now.cuts.length > before.cuts.length ? 'mask' : 'keep';
}

/** Takes in what this fold changes. Only a cold start has more text than the budget holds: then the newest of it. */
function digestOf<M>(input: FoldInput<M>, seats: readonly Seat<M>[]): Digest {
  const fresh = seats.filter(({ before, now }) => now !== before && before.cuts.length === 0);
  const room = Math.min(400_000, (1.2 * input.budget.max.tokens) / input.calibration.slope);
  let chars = 0;
  let start = fresh.length;
  while (start > 0 && chars < room) chars += fresh[--start]?.before.load.chars ?? 0;
  const builder = new DigestBuilder(input.dialect, input.digest);
  for (const { before } of fresh.slice(start)) builder.add(before.from, before.messages, before.readings);
  return builder.finish(input.seen);
}
