interface Timed {
  /** The ratio that is good enough: nothing is repeated once it is reached. */
  readonly enough: number;
  readonly tries?: number;
}

/**
 * Returns how many times as long `work` takes as `yardstick`. Both run in turns and the quickest run of each counts, so
 * that a busy machine slows both and a test needs no milliseconds.
 */
export async function timeRatio(
  work: () => unknown,
  yardstick: () => unknown,
  { enough, tries = 20 }: Timed,
): Promise<number> {
  let [of, than] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let left = tries; left > 0 && !(of / than <= enough); left--) {
    than = Math.min(than, await time(yardstick));
    of = Math.min(of, await time(work));
  }
  return of / than;
}

async function time(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
