import { type CallFigures, type ChatMessage, createPolicy, type ReplayResult, replay } from '@holdfast/replay';
import type { CachePrices, Receipt } from 'holdfast';
import type { CompareCall, CompareFold, CompareSide, ViewRun } from '../api/types.ts';

/** What a comparison replays. Plain data, because it goes to another thread. */
export interface CompareInput {
  readonly messages: readonly ChatMessage[];
  /** For each of the messages its position in the history. */
  readonly origins: readonly number[];
  readonly sides: readonly CompareSide[];
  /** Tokens of system prompt and tools. */
  readonly reserve: number;
  /** Prices of the cache, as multiples of plain input. */
  readonly prices?: CachePrices;
}

/** What a side did; costs are in tokens at the base input price. */
export interface SideResult {
  readonly result: ReplayResult;
  readonly series: readonly CompareCall[];
  readonly foldings: readonly CompareFold[];
}

/** Missing names and lines that a call shows. */
const MOST_MISSING = 20;
/** Tokens of a budget for messages, at least. */
const LEAST = 1_000;

/** Replays the conversation for each side. Deterministic. `onProgress`: the share that is done. Rejects if a policy throws. */
export async function compareSides(
  input: CompareInput,
  onProgress: (share: number) => void = () => {},
): Promise<SideResult[]> {
  const calls = input.messages.filter(({ role }, at) => role === 'assistant' && at > 0).length;
  const results: SideResult[] = [];
  for (const [at, side] of input.sides.entries())
    results.push(
      await replaySide(input, side, (done) => onProgress((at + done / Math.max(1, calls)) / input.sides.length)),
    );
  return results;
}

async function replaySide(
  { messages, origins, reserve, prices }: CompareInput,
  { policy, budget }: CompareSide,
  onCall: (done: number) => void,
): Promise<SideResult> {
  const series: CompareCall[] = [];
  const foldings: CompareFold[] = [];
  const fates = new Fates(origins);
  let cost = 0;
  const watch = (call: CallFigures) => {
    cost += call.cost;
    const index = origins[call.answer] ?? 0;
    const missing = [...call.missing, ...call.missingLines].slice(0, MOST_MISSING);
    series.push({
      index,
      historyTokens: call.history + reserve,
      viewTokens: call.tokens + reserve,
      cost,
      ...(missing.length > 0 ? { missing } : {}),
    });
    if (call.receipt) foldings.push(fates.after(call.receipt, call.answer));
    onCall(series.length);
  };
  const known = prices ? { prices } : {};
  const room = Math.max(LEAST, budget - reserve);
  const make = () => createPolicy(policy, { budget: room, reserve, ...known });
  const result = await replay({ messages }, make, { overhead: reserve, onCall: watch, ...known });
  return { result, series, foldings };
}

/** What became of the messages of a replay, fold by fold. */
class Fates {
  readonly #origins: readonly number[];
  /** By message of the replay. */
  readonly #verdicts = new Map<number, 'mask' | 'drop'>();

  constructor(origins: readonly number[]) {
    this.#origins = origins;
  }

  /** The view from a fold on; `answer`: the message that answered it. */
  after({ turns, note }: Receipt, answer: number): CompareFold {
    for (const { from, to, verdict } of turns)
      for (let at = from; at <= to; at++) {
        if (verdict === 'drop') this.#verdicts.set(at, 'drop');
        else if (verdict === 'mask') this.#verdicts.set(at, 'mask');
      }
    return { index: this.#origins[answer] ?? 0, ...(note === undefined ? {} : { note }), runs: this.#runs(answer) };
  }

  #runs(end: number): ViewRun[] {
    const runs: { type: ViewRun['type']; from: number; to: number }[] = [];
    for (let at = 0; at < end; at++) {
      const verdict = this.#verdicts.get(at);
      const type = verdict === 'drop' ? 'folded' : verdict === 'mask' ? 'shortened' : 'kept';
      const index = this.#origins[at] ?? 0;
      const last = runs.at(-1);
      // Several messages of a replay may be one of the history: what is there in part counts as there.
      if (last && last.to === index && last.type !== type) {
        if (last.type !== 'folded') continue;
        last.to--;
        if (last.to < last.from) runs.pop();
        runs.push({ type, from: index, to: index });
      } else if (last?.type === type) last.to = index;
      else runs.push({ type, from: index, to: index });
    }
    return runs;
  }
}
