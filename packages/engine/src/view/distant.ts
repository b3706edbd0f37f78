import type { Dialect, Reading } from '../dialect.ts';
import type { Budget } from '../size/budget.ts';
import { type Calibration, tokensOf } from '../size/tokens.ts';
import { type ReadMessages, turnAt } from '../turns/read-turns.ts';
import { joinAnswers } from './text-calls.ts';
import { type ViewTurn, viewTurnOf } from './view-turn.ts';

/** A turn that is certain to be dropped: its place in the history, and its size. */
export interface DistantTurn {
  readonly from: number;
  readonly messages: number;
  readonly chars: number;
  readonly media: number;
}

/** The turns of a cold start that no budget could hold. A long history has thousands, so none is made unless it is needed. */
export interface Distant<M> {
  readonly turns: readonly DistantTurn[];
  /** The messages of the history, and what the dialect read in them. */
  readonly history: readonly M[];
  readonly readings: readonly Reading[];
  /** Makes all turns of the view, distant or not. */
  readonly all: () => readonly ViewTurn<M>[];
}

/** How much a fold can keep at most. */
export interface Reach {
  readonly budget: Pick<Budget, 'max' | 'preserve_first_n'>;
  readonly calibration: Calibration;
}

/**
 * The turns of a whole history that a fold could keep, if its strategies keep only the newest, and those that are too distant.
 * Pure.
 */
export function turnsWithin<M>(
  dialect: Dialect<M>,
  given: ReadMessages<M>,
  reach: Reach,
): { readonly turns: readonly ViewTurn<M>[]; readonly distant?: Distant<M> } {
  const read = joinAnswers(dialect, given);
  const { starts, messages, readings } = read;
  const make = (place: number) => viewTurnOf(dialect, turnAt(read, place));
  const head = headEnd(read, reach);
  const near = nearest(read, head, reach);
  const turns: ViewTurn<M>[] = [];
  const distant: DistantTurn[] = [];
  for (let place = 0; place < starts.length; place++) {
    const loose = place >= head && place < near ? looseTurn(read, place) : undefined;
    if (loose) distant.push(loose);
    else turns.push(make(place));
  }
  if (distant.length === 0) return { turns };
  return {
    turns,
    distant: { turns: distant, history: messages, readings, all: () => starts.map((_, place) => make(place)) },
  };
}

/** The place of the first turn that is certainly not in the head. */
function headEnd<M>({ starts, readings }: ReadMessages<M>, { budget }: Reach): number {
  let counted = 0;
  const beyond = readings.findIndex(({ role }) => role !== 'system' && counted++ > budget.preserve_first_n);
  const end = starts.findIndex((at) => at >= beyond);
  return beyond < 0 || end < 0 ? starts.length : end;
}

/** The place of the oldest turn that the budget may have room for. */
function nearest<M>(read: ReadMessages<M>, head: number, { budget: { max }, calibration }: Reach): number {
  let messages = 0;
  let tokens = 0;
  // The newest turns stay in any case, and so may those that are not loose.
  let place = read.starts.length - 2;
  while (place > head && messages <= max.messages && tokens <= max.tokens) {
    const loose = looseTurn(read, --place);
    messages += loose?.messages ?? 0;
    tokens += loose ? tokensOf(loose, calibration) : 0;
  }
  return place;
}

/** The turn at this place, if nothing keeps it but a strategy: only calls, results and the assistant's words. */
function looseTurn<M>({ starts, readings, messages: all }: ReadMessages<M>, place: number): DistantTurn | undefined {
  const from = starts[place] ?? 0;
  const end = starts[place + 1] ?? all.length;
  const isAlone = end === from + 1;
  // An assistant message may have to follow a system message; one of nothing but thinking may vanish.
  if (readings[from - 1]?.role === 'system' || (isAlone && readings[from]?.thinking)) return undefined;
  let chars = 0;
  let media = 0;
  for (let i = from; i < end; i++) {
    const reading = readings[i] as Reading;
    const { role, words, firm } = reading;
    if (firm || (role !== 'assistant' && (role !== 'tool' || words))) return undefined;
    chars += reading.chars;
    media += reading.media;
  }
  return { from, messages: end - from, chars, media };
}
