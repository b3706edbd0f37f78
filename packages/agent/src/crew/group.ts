import { agentTurn } from './agent-turn.ts';
import type { CrewMessage } from './crew.ts';
import { type CrewRun, failureOf, type Step } from './crew-run.ts';

/** Lets the agents of a group work at the same time and appends what they found as one message, in their order. */
export async function runGroup(run: CrewRun, name: string): Promise<Step> {
  const group = run.crew.groups[name];
  if (!group) throw new Error(`no group ${name}`);
  const { stop, emit } = run;
  emit({ type: 'group-start', group: name, agents: group.agents });
  const time = group.max_seconds > 0 ? AbortSignal.timeout(group.max_seconds * 1_000) : undefined;
  const signal = time ? AbortSignal.any([stop.signal, time]) : stop.signal;
  // What they do on the way is their own: only what they found comes into the history.
  const ends = await Promise.all(
    group.agents.map(async (agent) => ({ agent, end: await agentTurn(run, agent, async () => {}, signal) })),
  );
  const failed = ends.filter(({ end }) => !end.result.success);
  emit({ type: 'group-end', group: name, failed: failed.map(({ agent }) => agent) });
  if (stop.why !== undefined) return {};
  const [first] = failed;
  if (first && failed.length === ends.length) return { failed: failureOf(first.agent, first.end.result) };
  const parts = ends.map(({ agent, end: { result, handed } }) => {
    const late = time?.aborted && result.errorCategory === 'cancelled';
    const why = late ? `not done within ${group.max_seconds} s` : (result.error ?? 'no answer');
    const words = [result.output.trim(), handed?.message ?? ''].filter((part) => part !== '').join('\n\n');
    return `[${agent}] ${result.success ? words || '(no answer)' : `(${why})`}`;
  });
  const message: CrewMessage = { role: 'user', name, content: parts.join('\n\n') };
  try {
    await run.history.append('parallel', [message]);
  } catch (error) {
    run.fault ??= { error };
    stop.now('fault');
  }
  return {};
}
