interface Timed {
  /** The ratio that is good enough: nothing is repeated once it is reached. */
  readonly enough: number;
  readonly tries?: number;
}

/**
 * Returns how many times as long `work` takes as `baseline`: the least of several tries, each of which runs one after the
 * other. On a quiet machine the first try tells; a busy one spoils some of them, but hardly all.
 */
export async function timeRatio(
  work: () => unknown,
  baseline: () => unknown,
  { enough, tries = 30 }: Timed,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let left = tries; left > 0 && !(least <= enough); left--) {
    const short = await time(baseline);
    least = Math.min(least, (await time(work)) / short);
  }
  return least;
}

/** The processor's time is counted in steps of some milliseconds: below this it says nothing. */
const TOLD_MS = 30;

/** Milliseconds, and of longer work only those in which this thread had a processor. */
async function time(work: () => unknown): Promise<number> {
  const [start, before] = [performance.now(), process.threadCpuUsage()];
  await work();
  const passed = performance.now() - start;
  const { user, system } = process.threadCpuUsage(before);
  const cpu = (user + system) / 1_000;
  return cpu > TOLD_MS ? Math.min(cpu, passed) : passed;
}
