import type { CachePrices } from 'holdfast';
import type { CompareFigures, CompareResult, CompareSide } from '../api/types.ts';
import type { ModelFacts } from '../data/call-costs.ts';
import type { SideResult } from './compare-sides.ts';

const MILLION = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/** The prices of a model's cache as multiples of plain input; undefined if unknown. Pure. */
export function cachePricesOf(model: ModelFacts | undefined): CachePrices | undefined {
  const input = model?.cost({ ...MILLION, input: 1e6 });
  const read = model?.cost({ ...MILLION, cacheRead: 1e6 });
  if (!input || read === undefined) return undefined;
  return { read: read / input, write: (model?.cost({ ...MILLION, cacheWrite: 1e6 }) ?? input) / input };
}

/** The figures of a replay, in dollars if the price of the model is known. Pure. */
export function figuresOf(
  { result, series }: Pick<SideResult, 'result' | 'series'>,
  everything: number,
  model: ModelFacts | undefined,
): CompareFigures {
  const { calls, cost: units, tokens, cached, folds, needed, had, spans, spansHad, askedAgain } = result;
  const cost = model?.cost({ ...MILLION, input: units });
  const wanted = needed + spans;
  return {
    calls,
    ...(cost === undefined ? {} : { cost }),
    units,
    relativeCost: everything > 0 ? units / everything : 1,
    peak: series.reduce((most, { viewTokens }) => Math.max(most, viewTokens), 0),
    tokens,
    cached,
    folds,
    ...(wanted > 0 ? { kept: (had + spansHad) / wanted } : {}),
    missing: needed - had,
    missingLines: spans - spansHad,
    askedAgain,
  };
}

/** A side for the API. Pure. */
export function resultOf(
  side: CompareSide,
  done: SideResult,
  everything: number,
  model: ModelFacts | undefined,
): CompareResult {
  const figures = figuresOf(done, everything, model);
  const rate = figures.cost !== undefined && figures.units > 0 ? figures.cost / figures.units : 1;
  const series = done.series.map((call) => ({ ...call, cost: call.cost * rate }));
  return { ...figures, ...side, series, foldings: done.foldings };
}
