interface Timed {
  /** The ratio that is good enough: nothing is repeated once it is reached. */
  readonly enough: number;
  readonly tries?: number;
}

/**
 * Returns how many times as long `work` takes as `yardstick`, by the time that this thread had of the processor, which
 * other programs do not lengthen. Both run in turns, and the quickest run of each counts.
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

/** Milliseconds, without those in which the thread waited for a processor: of short work those cannot be told. */
async function time(work: () => unknown): Promise<number> {
  const [start, cpu] = [performance.now(), process.threadCpuUsage()];
  await work();
  const passed = performance.now() - start;
  const { user, system } = process.threadCpuUsage(cpu);
  return Math.min(passed, (user + system) / 1_000 || passed);
}
