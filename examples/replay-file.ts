import { createPolicy, type ReplayResult, replay, summarize } from '@holdfast/replay';
import { readTranscript } from '@holdfast/replay/transcripts';

/** Replays the conversations of a file: what a policy would have cost at a budget, and how much stayed in view. */
export async function replayFile(file: string, policy: string, budget: number) {
  const reserve = 10_000;
  const [base, own]: [ReplayResult[], ReplayResult[]] = [[], []];
  const onRemark = ({ line, reason }: { line: number; reason: string }) => console.warn(`line ${line}: ${reason}`);
  for await (const recording of readTranscript(file, { onRemark })) {
    base.push(await replay(recording, () => createPolicy('everything', { budget, reserve })));
    own.push(await replay(recording, () => createPolicy(policy, { budget, reserve }), { budget }));
  }
  const { relativeCost, coverage, spans, pointed } = summarize(own, base);
  return { relativeCost, coverage, spans, pointed };
}
