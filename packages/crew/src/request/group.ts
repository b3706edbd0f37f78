import type { ErrorCategory } from '@holdfast/agent';
import type { CrewMessage } from '../config/config.ts';
import type { AppendSource } from '../history/history.ts';
import { MAX_CONTENT_CHARS } from '../history/messages.ts';
import { shared } from '../turn/shorten.ts';
import { type TurnEnd, takeTurn } from '../turn/turn.ts';
import { stopText } from './limits.ts';
import type { CrewRun } from './run.ts';

/** The outcome of one agent's turn, or of a group's. */
export interface Step {
  readonly said?: { readonly output: string; readonly agent: string };
  readonly handed?: boolean;
  /** The answer is in the history. */
  readonly kept?: true;
  readonly failed?: { readonly reason: string; readonly errorCategory?: ErrorCategory };
}

/** The step of an agent that failed. Pure. */
export function failedStep(name: string, { error, errorCategory }: TurnEnd['result']): Step {
  return { failed: { reason: `${name}: ${error ?? 'no answer'}`, ...(errorCategory ? { errorCategory } : {}) } };
}

const GAP = '\n\n';

/** Runs the agents of a group in parallel and appends their answers as one message, in their order. */
export async function runGroup(run: CrewRun, name: string): Promise<Step> {
  const group = run.crew.groups[name];
  if (!group) throw new Error(`no group ${name}`);
  const { stop, emit } = run;
  emit({ type: 'group-start', group: name, agents: group.agents });
  const time = group.max_seconds > 0 ? AbortSignal.timeout(Math.ceil(group.max_seconds * 1_000)) : undefined;
  const signal = time ? AbortSignal.any([stop.signal, time]) : stop.signal;
  const ends = await runAll(run, group.agents, signal);
  if (!ends) return {};
  const failed = ends.filter(({ end }) => !end.result.success);
  emit({ type: 'group-end', group: name, failed: failed.map(({ agent }) => agent) });
  const { why } = stop;
  const allFailed = failed.length === ends.length;
  // A cancelled group runs again as a whole; a limit keeps what was found before it.
  if (why === 'cancelled' || (why !== undefined && allFailed)) return {};
  const [first] = failed;
  if (first && allFailed) return failedStep(first.agent, first.end.result);
  const late = time?.aborted ? `not done within ${group.max_seconds} s` : undefined;
  const ended = why === undefined ? late : `not done: ${stopText(why, run.crew, run.spent)}`;
  const texts = shared(
    ends.map((end) => answerOf(end, ended)),
    MAX_CONTENT_CHARS - GAP.length * ends.length,
  );
  await keep(run, 'parallel', [{ role: 'user', name, content: texts.join(GAP) }]);
  return { kept: true };
}

/** Does a step of a request. Anything it throws is the request's error and stops it; the result is undefined then. */
async function guarded<T>(run: CrewRun, step: () => Promise<T>): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    run.fault ??= { error };
    run.stop.now('fault');
    return undefined;
  }
}

/** Appends to the history. If that fails, the request stops, and its error is the request's. */
export async function keep(run: CrewRun, source: AppendSource, messages: readonly CrewMessage[]): Promise<void> {
  await guarded(run, () => run.history.append(source, messages));
}

interface Ended {
  readonly agent: string;
  readonly end: TurnEnd;
}

/** Runs agents in parallel until the last one has ended; a failing model or tool fails one agent. Undefined after a fault. */
async function runAll(run: CrewRun, agents: readonly string[], signal: AbortSignal): Promise<Ended[] | undefined> {
  // Only the answers of a group enter the history, not its tool calls.
  const turn = async (agent: string) => ({ agent, end: await takeTurn(run, agent, async () => {}, signal) });
  const ends = await Promise.all(agents.map((agent) => guarded(run, () => turn(agent))));
  return run.fault ? undefined : ends.filter((end) => end !== undefined);
}

function answerOf({ agent, end: { result, handed } }: Ended, ended: string | undefined): string {
  const why = (result.errorCategory === 'cancelled' ? ended : undefined) ?? result.error ?? 'no answer';
  const words = [result.output.trim(), handed?.message ?? ''].filter((part) => part !== '').join(GAP);
  return `[${agent}] ${result.success ? words || '(no answer)' : `(${why})`}`;
}
