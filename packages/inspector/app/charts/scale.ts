/** Maps values to places on a chart. */
export interface Scale {
  (value: number): number;
  readonly ticks: readonly number[];
}

/** A scale with round limits around `low` and `high`, and about `count` ticks. Pure. */
export function scaleOf(low: number, high: number, from: number, to: number, count = 5): Scale {
  const step = roundStep((high - low || 1) / count);
  const first = Math.floor(low / step + 1e-9) * step;
  const last = Math.max(first + step, Math.ceil(high / step - 1e-9) * step);
  const ticks = Array.from({ length: Math.round((last - first) / step) + 1 }, (_, n) => rounded(first + n * step));
  const place = (value: number) => rounded(from + ((value - first) / (last - first || 1)) * (to - from), 1);
  return Object.assign(place, { ticks });
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const [step = 10] = [1, 2, 5, 10].filter((one) => one * power >= rough - 1e-12);
  return step * power;
}

function rounded(value: number, digits = 6): number {
  return Number(value.toFixed(digits));
}
