import { join } from 'node:path';
import { type JobResult, type Report, reportOf, runJob } from '@holdfast/replay/report';
import { readTranscript } from '@holdfast/replay/transcripts';
import { type Plan, planOf, type ReplayFlags } from '../src/replay/plan.ts';

/** A replay's report and what it was made from. */
export interface Measured {
  readonly plan: Plan;
  readonly jobs: readonly JobResult[];
  readonly report: Report;
}

/** Replays files in this process, without threads. `names` name the conversations; by default, the files do. */
export async function replayHere(
  cwd: string,
  files: readonly string[],
  flags: ReplayFlags,
  names: readonly string[] = files,
): Promise<Measured> {
  const plan = planOf(flags, { cwd });
  const jobs: JobResult[] = [];
  for (const [at, file] of files.entries())
    for await (const recording of readTranscript(join(cwd, file), { name: names[at] ?? file }))
      jobs.push(await runJob(recording, plan.settings));
  return { plan, jobs, report: reportOf(jobs, plan, flags.advise === true) };
}
