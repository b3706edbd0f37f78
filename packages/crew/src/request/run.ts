import type { ErrorCategory, Logger } from '@holdfast/agent';
import type { ModelOverrides } from '@holdfast/models';
import type { CrewConfig, CrewMessage } from '../config/config.ts';
import type { Member } from '../config/members.ts';
import type { CrewEvent, CrewResult } from '../events.ts';
import type { CrewOptions } from '../executor.ts';
import { createHistory, type History, type KeptHistory } from '../history/history.ts';
import { handOffText } from '../routing/hand-off.ts';
import { type NextTurn, whoseTurn } from '../routing/whose-turn.ts';
import { type Lane, takeTurn } from '../turn/turn.ts';
import type { CharsMemory } from '../usage/chars-said.ts';
import { type AgentUsage, sumUsage } from '../usage/usage.ts';
import { failedStep, keep, runGroup, type Step } from './group.ts';
import { createStop, type Stop, stopText, warnNearLimit } from './limits.ts';

/** A crew that is ready to run requests. */
export interface CrewSetup {
  readonly crew: CrewConfig;
  readonly members: ReadonlyMap<string, Member>;
  readonly limit: number;
  readonly models?: ModelOverrides | undefined;
  readonly memory: CharsMemory;
  readonly logger: Logger;
  readonly emit: (event: CrewEvent) => void;
}

/** A request in progress. */
export interface CrewRun extends CrewSetup {
  readonly history: History;
  readonly stop: Stop;
  readonly lanes: Map<string, Lane>;
  readonly usage: Map<string, AgentUsage>;
  /** Limits that were warned about. */
  readonly near: Set<string>;
  /** Agents whose newest request failed and is being retried, and why it failed. */
  readonly retrying: Map<string, ErrorCategory>;
  spent: number;
  rounds: number;
  handOffs: number;
  readonly onRequest?: KeptHistory['onRequest'];
  fault?: { readonly error: unknown };
}

/** Runs one request to its end; its last event is the result. Throws only what `onAppend` threw. */
export async function runCrew(
  setup: CrewSetup,
  input: string | undefined,
  given: readonly CrewMessage[],
  { signal, kept, onAppend }: CrewOptions,
): Promise<void> {
  const { crew, limit, logger, emit, memory } = setup;
  const started = performance.now();
  const stop = createStop(crew, signal);
  const history = createHistory(given, {
    limit,
    strategy: crew.strategy,
    logger,
    memory,
    ...(kept ? { kept } : {}),
    onAppend: async (event) => {
      await onAppend?.(event.messages);
      emit(event);
      warnNearLimit(run, 'history', event.after, limit);
    },
  });
  const counts = { lanes: new Map(), usage: new Map(), near: new Set<string>(), retrying: new Map() };
  const sent = kept?.onRequest ? { onRequest: kept.onRequest } : {};
  const run: CrewRun = { ...setup, ...counts, ...sent, stop, history, spent: 0, rounds: 0, handOffs: 0 };
  try {
    const before = kept?.conversation ? history.messages : given;
    const message: CrewMessage[] = input === undefined ? [] : [{ role: 'user', content: input }];
    const first = whoseTurn(crew, [...before, ...message]);
    if (message.length > 0) await history.append('input', message);
    const ending = await runTurns(run, first);
    if (run.fault) throw run.fault.error;
    if (ending.status === 'failed' || ending.status === 'stopped')
      logger.warn(`request ${ending.status}: ${ending.reason}`);
    if (!kept) memory.keep(history.messages, history.said);
    const { rounds, handOffs } = run;
    const elapsedMs = Math.round(performance.now() - started);
    const usage = sumUsage(Object.fromEntries(run.usage));
    const { messages, pruned } = history;
    emit({ type: 'result', result: { ...ending, history: messages, rounds, handOffs, pruned, elapsedMs, usage } });
  } finally {
    stop.close();
  }
}

type Ending = Pick<CrewResult, 'status' | 'output' | 'agent' | 'reason' | 'limit' | 'errorCategory'>;

/** The newest answer of this request, if there is one. */
type Answer = NonNullable<Step['said']> | undefined;

async function runTurns(run: CrewRun, first: NextTurn): Promise<Ending> {
  const { crew, stop } = run;
  let said: Answer;
  for (let turn = first; ; ) {
    if (turn.type === 'end' || turn.type === 'pause') return { status: FINISHED[turn.type], ...answerOf(run, said) };
    const rounds = turn.type === 'group' ? (crew.groups[turn.group]?.agents.length ?? 0) : 1;
    if (run.rounds + rounds > crew.limits.max_rounds) stop.now('rounds');
    if (stop.why !== undefined) return stopped(run, stop.why, said);
    const step = turn.type === 'group' ? await runGroup(run, turn.group) : await runAgent(run, turn.agent);
    said = step.said ?? said;
    if (stop.why !== undefined) {
      // A finished answer counts even if the limit was reached, or the request cancelled, afterwards.
      const isDone = step.kept && ['cost', 'time', 'cancelled'].includes(stop.why);
      const after = isDone ? whoseTurn(crew, run.history.messages) : undefined;
      return after?.type === 'end' || after?.type === 'pause'
        ? { status: FINISHED[after.type], ...answerOf(run, said) }
        : stopped(run, stop.why, said);
    }
    if (step.failed) return { status: 'failed', ...answerOf(run, said), ...step.failed };
    const next = whoseTurn(crew, run.history.messages);
    const to =
      next.type === 'group' ? next.group : next.type === 'agent' && next.by !== 'join' ? next.agent : undefined;
    if (turn.type === 'agent' && to !== undefined) {
      if (run.handOffs >= crew.limits.max_hand_offs) {
        stop.now('hand_offs');
        return stopped(run, 'hand_offs', said);
      }
      run.handOffs++;
      const by = next.type === 'agent' || next.type === 'group' ? next.by : undefined;
      run.emit({ type: 'hand-off', from: turn.agent, to, by: step.handed ? 'tool' : by === 'signal' ? by : 'next' });
    }
    turn = next;
  }
}

const FINISHED = { end: 'complete', pause: 'paused' } as const;

/** The newest answer; if this request has none, the newest in the history. */
function answerOf(run: CrewRun, said: Answer): Pick<Ending, 'output' | 'agent'> {
  const last = run.history.messages.findLast(({ role }) => role === 'assistant');
  if (said || last?.role !== 'assistant') return said ?? { output: '' };
  return { output: last.content, agent: last.name ?? run.crew.entry };
}

function stopped(run: CrewRun, why: NonNullable<Stop['why']>, said: Answer): Ending {
  const failures = [...run.retrying].map(([agent, category]) => `; the last request of ${agent} failed: ${category}`);
  const reason = stopText(why, run.crew, run.spent) + (why === 'time' ? failures.join('') : '');
  const ending = { ...(said ?? { output: '' }), reason };
  if (why === 'cancelled') return { status: 'cancelled', ...ending };
  if (why === 'price' || why === 'fault') return { status: 'failed', ...ending };
  return { status: 'stopped', ...ending, limit: why };
}

async function runAgent(run: CrewRun, name: string): Promise<Step> {
  const { result, handed } = await takeTurn(run, name, (messages) => keep(run, 'tools', messages));
  const agent = run.crew.agents[name];
  const said = { output: result.output, agent: name };
  const { why } = run.stop;
  // An answer that was paid for is kept, even if it passed a limit.
  if (why !== undefined && (why === 'cancelled' || why === 'fault' || !result.success)) return { said };
  if (!result.success || !agent) return failedStep(name, result);
  const content = handed ? handOffText(agent, handed, result.output) : result.output.trim() || '(no answer)';
  await keep(run, handed ? 'hand-off' : 'answer', [{ role: 'assistant', name, content }]);
  return { said, handed: handed !== undefined, kept: true };
}
