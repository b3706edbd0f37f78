import type { CrewMessage } from '../config/config.ts';
import { MAX_CONTENT_CHARS } from '../history/clean-message.ts';
import { agentTurn } from '../turn/agent-turn.ts';
import { shared } from '../turn/shorten.ts';
import type { TurnEnd } from '../turn/turn.ts';
import { type CrewRun, failureOf, type Step } from './crew-run.ts';
import { reasonFor } from './stop.ts';

/** Lets the agents of a group work at the same time and appends what they found as one message, in their order. */
export async function runGroup(run: CrewRun, name: string): Promise<Step> {
  const group = run.crew.groups[name];
  if (!group) throw new Error(`no group ${name}`);
  const { stop, emit } = run;
  emit({ type: 'group-start', group: name, agents: group.agents });
  const time = group.max_seconds > 0 ? AbortSignal.timeout(Math.ceil(group.max_seconds * 1_000)) : undefined;
  const signal = time ? AbortSignal.any([stop.signal, time]) : stop.signal;
  const ends = await allAtOnce(run, group.agents, signal);
  if (!ends) return {};
  const failed = ends.filter(({ end }) => !end.result.success);
  emit({ type: 'group-end', group: name, failed: failed.map(({ agent }) => agent) });
  const { why } = stop;
  // Who cancels will have the group at work again, whole; a limit drops nothing that was found before it.
  if (why === 'cancelled' || (why !== undefined && failed.length === ends.length)) return {};
  const [first] = failed;
  if (first && failed.length === ends.length) return { failed: failureOf(first.agent, first.end.result) };
  const late = time?.aborted ? `not done within ${group.max_seconds} s` : undefined;
  const ended = why === undefined ? late : `not done: ${reasonFor(why, run.crew, run.spent)}`;
  // As one message it has the room of one: what each found stands in it.
  const texts = shared(
    ends.map((end) => found(end, ended)),
    MAX_CONTENT_CHARS - GAP.length * ends.length,
  );
  const message: CrewMessage = { role: 'user', name, content: texts.join(GAP) };
  try {
    await run.history.append('parallel', [message]);
  } catch (error) {
    run.fault ??= { error };
    stop.now('fault');
  }
  return { kept: true };
}

const GAP = '\n\n';

interface Ended {
  readonly agent: string;
  readonly end: TurnEnd;
}

/**
 * All at once, to the end of the last. A model or a tool that fails is one agent's failure; what is thrown all the same is
 * a fault of the request: it stops the others, they are waited for, and it is undefined.
 */
async function allAtOnce(run: CrewRun, agents: readonly string[], signal: AbortSignal): Promise<Ended[] | undefined> {
  const ends = await Promise.all(
    agents.map(async (agent) => {
      try {
        // What they do on the way is their own: only what they found comes into the history.
        return { agent, end: await agentTurn(run, agent, async () => {}, signal) };
      } catch (error) {
        run.fault ??= { error };
        run.stop.now('fault');
        return undefined;
      }
    }),
  );
  return run.fault ? undefined : ends.filter((end) => end !== undefined);
}

function found({ agent, end: { result, handed } }: Ended, ended: string | undefined): string {
  const why = (result.errorCategory === 'cancelled' ? ended : undefined) ?? result.error ?? 'no answer';
  const words = [result.output.trim(), handed?.message ?? ''].filter((part) => part !== '').join('\n\n');
  return `[${agent}] ${result.success ? words || '(no answer)' : `(${why})`}`;
}
