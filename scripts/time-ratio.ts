interface Timed {
  /** A ratio that is low enough to stop trying. */
  readonly enough: number;
  readonly tries?: number;
  /** Runs before each of both, and does not count. */
  readonly prepare?: () => unknown;
}

/**
 * Returns how many times as long as `baseline` `work` takes: the lowest ratio of several tries. On a quiet machine the first
 * try is enough; a busy one spoils some tries, but hardly all.
 */
export async function timeRatio(
  work: () => unknown,
  baseline: () => unknown,
  { enough, tries = 30, prepare = () => undefined }: Timed,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let left = tries; left > 0 && !(least <= enough); left--) {
    await prepare();
    const short = await time(baseline);
    await prepare();
    least = Math.min(least, (await time(work)) / short);
  }
  return least;
}

/** CPU time is counted in steps of some milliseconds: shorter times are not reliable. */
const RELIABLE_MS = 30;

/** Milliseconds; for longer work, those in which this thread had a CPU. */
async function time(work: () => unknown): Promise<number> {
  const [start, before] = [performance.now(), process.threadCpuUsage()];
  await work();
  const passed = performance.now() - start;
  const { user, system } = process.threadCpuUsage(before);
  const cpu = (user + system) / 1_000;
  return cpu > RELIABLE_MS ? Math.min(cpu, passed) : passed;
}
