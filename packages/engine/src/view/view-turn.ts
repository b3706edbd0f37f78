import { contentText, jsonChars, mediaIn } from '../content.ts';
import type { Call, Dialect, Reading, Result } from '../dialect.ts';
import type { FileFacts } from '../note/files.ts';
import { type Calibration, type Load, loadOf, tokensOf } from '../size/tokens.ts';
import type { Eras } from '../state/archive.ts';
import type { Turn, TurnResult, Wording } from '../strategy.ts';
import { argumentText, callFacts } from '../text/calls.ts';
import { placeholder, type RawTurn } from '../turns/read-turns.ts';
import { copyOf } from '../turns/snapshot.ts';
import { type Excerpts, excerptText } from './excerpt.ts';
import { applyCuts, type Cut, cutsOf, isCut, WORDS_PREVIEW } from './mask.ts';

/** A turn as it stands in the view. Immutable; a masked turn is another piece. */
export interface Piece<M> {
  /** Place in the history of its first message. */
  readonly from: number;
  readonly messages: readonly M[];
  readonly readings: readonly Reading[];
  readonly load: Load;
  readonly role: Turn['role'];
  /** Holds the words of the user or of a system message. */
  readonly words: boolean;
  /** A message of the user alone, no tool results. */
  readonly asks: boolean;
  readonly markers: number;
  /** Holds what no fold may touch. */
  readonly firm: boolean;
  readonly cuts: readonly Cut[];
  /** Its thinking blocks were removed. */
  readonly unthought: boolean;
}

const NO_CUTS: readonly Cut[] = [];

export function pieceOf<M>(turn: RawTurn<M>): Piece<M> {
  const { from, messages, readings } = turn;
  return makePiece(from, messages, readings, NO_CUTS, false);
}

function makePiece<M>(
  from: number,
  messages: readonly M[],
  readings: readonly Reading[],
  cuts: readonly Cut[],
  unthought: boolean,
): Piece<M> {
  const first = readings[0]?.role;
  let words = false;
  let markers = 0;
  let firm = false;
  for (const reading of readings) {
    if (reading.words && reading.role !== 'assistant') words = true;
    markers += reading.markers;
    firm ||= reading.firm;
  }
  return {
    from,
    messages,
    readings,
    load: loadOf(readings),
    role: first === undefined || first === 'tool' ? 'assistant' : first,
    words,
    asks: first === 'user',
    markers,
    firm,
    cuts,
    unthought,
  };
}

/** The piece with these messages at the same places: only those that are others are read. */
function remakePiece<M>(
  dialect: Dialect<M>,
  piece: Piece<M>,
  messages: readonly M[],
  cuts = piece.cuts,
  unthought = piece.unthought,
): Piece<M> {
  const readings = messages.map((message, i) =>
    message === piece.messages[i] ? (piece.readings[i] as Reading) : dialect.read(message),
  );
  return makePiece(piece.from, messages, readings, cuts, unthought);
}

/** The piece with more cuts made. The piece must still hold its originals where the cuts go. */
export function cutPiece<M>(dialect: Dialect<M>, piece: Piece<M>, cuts: readonly Cut[], eras: Eras): Piece<M> {
  if (cuts.length === 0) return piece;
  // Copies throughout: what the caller changes in place later must not show.
  const messages = piece.messages.map((message, i) => {
    const at = piece.from + i;
    return cuts.some((cut) => cut.at === at) ? copyOf(applyCuts(dialect, message, at, cuts, eras)) : message;
  });
  return remakePiece(dialect, piece, messages, [...piece.cuts, ...cuts]);
}

/** Finds the newest call with the very same result; undefined if it is this one or there is none. */
export type Repeats = (content: unknown, id: string) => string | undefined;

interface Cutter<M> {
  readonly dialect: Dialect<M>;
  readonly eras: Eras;
  readonly calibration: Calibration;
  readonly wording?: Wording;
  /** The view holds more images or bytes than the provider takes: freeing one is worth a few tokens. */
  readonly overLimits?: boolean;
}

/** The piece with those of these cuts made that save something; the same piece if none does. */
function shortenPiece<M>(cutter: Cutter<M>, piece: Piece<M>, cuts: readonly Cut[]): Piece<M> {
  const made = cutPiece(cutter.dialect, piece, cuts, cutter.eras);
  const saving = savingCuts(cutter, piece, cuts, made);
  return saving.length === cuts.length ? made : cutPiece(cutter.dialect, piece, saving, cutter.eras);
}

/** Those of the cuts whose mask is shorter than what it stands for, in characters and in tokens. `made` is the piece with all of them. */
export function savingCuts<M>(
  cutter: Cutter<M>,
  piece: Piece<M>,
  cuts: readonly Cut[],
  made = cutPiece(cutter.dialect, piece, cuts, cutter.eras),
): readonly Cut[] {
  return cuts.filter((cut) => isSaving(cutter, piece, cut, made));
}

function isSaving<M>(cutter: Cutter<M>, piece: Piece<M>, cut: Cut, made: Piece<M>): boolean {
  const { dialect, calibration, eras } = cutter;
  const i = cut.at - piece.from;
  const message = piece.messages[i] as M;
  if (made.messages[i] === message) return false;
  const reading = piece.readings[i] as Reading;
  const content = reading.results[cut.part]?.content;
  const mask = contentText(made.readings[i]?.results[cut.part]?.content);
  if (cut.part >= 0 && mediaIn(content) === '') {
    const whole = contentText(content);
    // A caller's counter may find more in the shorter text.
    const size = (text: string) => dialect.read(dialect.note('user', text)).chars;
    return mask.length < whole.length && size(mask) < size(whole);
  }
  if (cut.part >= 0 && mask.length >= jsonChars(content)) return false;
  // Alone, because other cuts of the message may save what this one costs.
  const alone = dialect.read(applyCuts(dialect, message, cut.at, [cut], eras));
  if (cutter.overLimits && (alone.bulk?.bytes ?? 0) < (reading.bulk?.bytes ?? 0)) return true;
  return tokensOf(loadOf([alone]), calibration) < tokensOf(loadOf([reading]), calibration);
}

/** Which results of a piece a mask leaves as they are, and which it shows in excerpts. */
export interface Shown {
  readonly spare: readonly number[];
  readonly excerpts: readonly number[];
  readonly runs: Excerpts;
}

/** The piece with its results shortened, but for those that were before and those that are shown; the same piece if nothing would be saved. */
export function maskPiece<M>(
  cutter: Cutter<M>,
  piece: Piece<M>,
  chars: number,
  repeats?: Repeats,
  shown?: Shown,
): Piece<M> {
  return shortenPiece(cutter, piece, newCuts(piece, chars, repeats, cutter.wording?.mask, shown));
}

/** The cuts that would shorten the piece's results, but for those that are cut already. */
export function newCuts<M>(
  piece: Piece<M>,
  chars: number,
  repeats: Repeats = () => undefined,
  wording?: string,
  shown?: Shown,
): Cut[] {
  let first = 0;
  return piece.readings.flatMap((reading, i) => {
    const cuts = cutsOf(reading, piece.from + i, chars, repeats, wording);
    const before = first;
    first += reading.results.length;
    return cuts.flatMap((cut): Cut[] => {
      const place = before + cut.part;
      if (isCut(piece, cut.at, cut.part) || shown?.spare.includes(place)) return [];
      if (!shown?.excerpts.includes(place) || cut.same !== undefined) return [cut];
      const lines = shown.runs((reading.results[cut.part] as Result).content);
      return [lines.length > 0 ? { ...cut, lines } : cut];
    });
  });
}

/** The piece with long words of the user shortened, and on demand without images; the same piece if that was done before. */
export function previewWords<M>(cutter: Cutter<M>, piece: Piece<M>, images = false): Piece<M> {
  const { dialect } = cutter;
  const cuts = piece.messages.flatMap((message, i): Cut[] => {
    const { role, words, bulk } = piece.readings[i] as Reading;
    const at = piece.from + i;
    if (!words || role === 'assistant' || isCut(piece, at, -1)) return [];
    const isLong = dialect.text(message).length > 2 * WORDS_PREVIEW || (images && bulk !== undefined);
    return isLong ? [{ at, part: -1, chars: WORDS_PREVIEW }] : [];
  });
  return shortenPiece(cutter, piece, cuts);
}

/** The piece without thinking blocks; undefined if nothing would be left of it. */
export function unthinkPiece<M>(dialect: Dialect<M>, piece: Piece<M>): Piece<M> | undefined {
  if (!piece.readings.some((reading) => reading.thinking)) return piece;
  const isAlone = piece.messages.length === 1;
  const messages = piece.messages.flatMap((message, i) => {
    if (!piece.readings[i]?.thinking) return message;
    return copyOf(dialect.withoutThinking(message) ?? (isAlone ? undefined : placeholder(dialect))) ?? [];
  });
  return messages.length === 0 ? undefined : remakePiece(dialect, piece, messages, piece.cuts, true);
}

/** The same piece with the caller's newer objects for some of its messages: same content, perhaps other cache markers. */
export function renewPiece<M>(dialect: Dialect<M>, piece: Piece<M>, renewed: ReadonlyMap<number, M>): Piece<M> {
  if (!piece.messages.some((_, i) => renewed.has(piece.from + i))) return piece;
  const messages = piece.messages.map((message, i) => {
    const newer = renewed.get(piece.from + i);
    const bare = piece.unthought && newer !== undefined && dialect.read(newer).thinking;
    return (bare ? copyOf(dialect.withoutThinking(newer)) : newer) ?? message;
  });
  return remakePiece(dialect, piece, messages);
}

/** The place of the first piece of the last exchange: the newest calls, or what the user said after them. */
export function latestFrom<M>(pieces: readonly Piece<M>[]): number {
  return pieces.findLastIndex(({ asks, readings }) => asks || readings.some(({ results }) => results.length > 0));
}

/** All texts of a piece as it stands in the view: words, arguments, results. */
export function pieceTexts<M>(dialect: Dialect<M>, piece: Piece<M>): string[] {
  return piece.messages.flatMap((message, i) => {
    const reading = piece.readings[i] as Reading;
    return [
      ...(reading.words ? [dialect.text(message)] : []),
      ...reading.calls.map(argumentText),
      ...reading.results.map((result) => contentText(result.content)),
    ];
  });
}

const NO_FACTS = { kind: 'other', files: [] } as const;

/** What all turns of a fold are measured by. */
export interface Measure {
  readonly calibration: Calibration;
  readonly repeats: Repeats;
  readonly files: () => FileFacts;
  readonly excerpts: Excerpts;
}

/** A piece as a strategy sees it. Facts of calls are read when they are first asked for. */
export class PieceTurn<M> implements Turn {
  readonly from: number;
  readonly messages: number;
  readonly tokens: number;
  readonly role: Turn['role'];
  readonly words: boolean;
  readonly kept: boolean;
  readonly recent: boolean;
  readonly latest: boolean;
  readonly focus: number;
  readonly #piece: Piece<M>;
  readonly #measure: Measure;
  #results: readonly TurnResult[] | undefined;

  constructor(piece: Piece<M>, measure: Measure, place: Pick<Turn, 'kept' | 'recent' | 'latest'>, focus: number) {
    this.from = piece.from;
    this.messages = piece.messages.length;
    this.tokens = tokensOf(piece.load, measure.calibration);
    this.role = piece.role;
    this.words = piece.words;
    this.kept = place.kept;
    this.recent = place.recent;
    this.latest = place.latest;
    this.focus = focus;
    this.#piece = piece;
    this.#measure = measure;
  }

  get results(): readonly TurnResult[] {
    this.#results ??= this.#readResults();
    return this.#results;
  }

  #readResults(): TurnResult[] {
    const { readings, from } = this.#piece;
    const { calibration, repeats, files: facts, excerpts } = this.#measure;
    const calls = new Map<string, Call>();
    const found: TurnResult[] = [];
    for (let i = 0; i < readings.length; i++) {
      const reading = readings[i] as Reading;
      for (const call of reading.calls) calls.set(call.id, call);
      reading.results.forEach(({ id, content, error }, part) => {
        const call = calls.get(id);
        const { kind, files } = call ? callFacts(call) : NO_FACTS;
        const cut = this.#piece.cuts.find((one) => one.at === from + i && one.part === part);
        const chars = typeof content === 'string' ? content.length : contentText(content).length;
        found.push({
          tool: call?.name ?? '',
          kind,
          files,
          chars,
          tokens: Math.ceil(chars * calibration.slope),
          error,
          masked: cut !== undefined,
          get excerpt() {
            if (cut) return cut.lines ? Math.ceil(chars * calibration.slope) : 0;
            const runs = excerpts(content);
            return runs.length === 0
              ? 0
              : Math.ceil(excerptText(contentText(content), runs, '').length * calibration.slope);
          },
          repeated: repeats(content, id) !== undefined,
          edited: facts().edited(files, from),
          named: facts().named(files, from),
        });
      });
    }
    return found;
  }
}
