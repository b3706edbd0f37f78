import { factsWithResult } from '../calls/call-facts.ts';
import type { FileUse } from '../calls/file-use.ts';
import { contentText } from '../content/text.ts';
import type { Call, Reading } from '../dialect.ts';
import type { FileFacts } from '../note/files.ts';
import { type Calibration, tokensOf } from '../size/tokens.ts';
import type { Turn, TurnResult } from '../strategy.ts';
import { type Excerpts, excerptText } from '../view/excerpt.ts';
import { argumentChars, cutsAt, type Repeats } from '../view/mask.ts';
import type { ViewTurn } from '../view/view-turn.ts';

const NO_FACTS = { kind: 'other', files: [], uses: [] } as const;

/** What all turns of a fold are measured with. */
export interface Measure {
  readonly calibration: Calibration;
  readonly repeats: Repeats;
  readonly files: () => FileFacts;
  readonly excerpts: Excerpts;
}

/** A turn as a strategy sees it. Facts about calls are read on first use. */
export class JudgedTurn<M> implements Turn {
  readonly from: number;
  readonly messages: number;
  readonly tokens: number;
  readonly role: Turn['role'];
  readonly words: boolean;
  readonly kept: boolean;
  readonly recent: boolean;
  readonly latest: boolean;
  readonly focus: number;
  readonly #turn: ViewTurn<M>;
  readonly #measure: Measure;
  #results: readonly TurnResult[] | undefined;

  constructor(turn: ViewTurn<M>, measure: Measure, place: Pick<Turn, 'kept' | 'recent' | 'latest'>, focus: number) {
    this.from = turn.from;
    this.messages = turn.messages.length;
    this.tokens = tokensOf(turn.load, measure.calibration);
    this.role = turn.role;
    this.words = turn.words;
    this.kept = place.kept;
    this.recent = place.recent;
    this.latest = place.latest;
    this.focus = focus;
    this.#turn = turn;
    this.#measure = measure;
  }

  get argument_tokens(): number {
    const chars = this.#turn.readings
      .flatMap((reading) => argumentChars(reading, 0))
      .reduce((sum, one) => sum + one, 0);
    return Math.floor(chars * this.#measure.calibration.slope);
  }

  get results(): readonly TurnResult[] {
    this.#results ??= this.#readResults();
    return this.#results;
  }

  #readResults(): TurnResult[] {
    const { readings, from } = this.#turn;
    const { calibration, repeats, files: facts, excerpts } = this.#measure;
    const calls = new Map<string, Call>();
    const found: TurnResult[] = [];
    for (let i = 0; i < readings.length; i++) {
      const reading = readings[i] as Reading;
      for (const call of reading.calls) calls.set(call.id, call);
      const cuts = cutsAt(this.#turn, from + i);
      reading.results.forEach(({ id, content, error }, part) => {
        const call = calls.get(id);
        const cut = cuts?.get(part);
        const text = contentText(content);
        const chars = text.length;
        const { kind, files, uses } = call ? factsWithResult(call, text) : NO_FACTS;
        found.push({
          tool: call?.name ?? '',
          kind,
          files,
          lines: linesOf(uses),
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

/** The lines that a call asked for; all if it asked for several ranges. */
function linesOf(uses: readonly FileUse[]): readonly [from: number, to: number] {
  const [from = 0, to = Number.POSITIVE_INFINITY] = (uses.length === 1 ? uses[0]?.lines : undefined) ?? [];
  return [from, to];
}
