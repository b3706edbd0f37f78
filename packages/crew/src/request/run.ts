import type { CrewMessage } from '../config/config.ts';
import type { CrewResult } from '../events.ts';
import type { CrewOptions } from '../executor.ts';
import { createHistory } from '../history/history.ts';
import { handOffText } from '../routing/hand-off.ts';
import { type Turn, whoseTurn } from '../routing/whose-turn.ts';
import { agentTurn } from '../turn/agent-turn.ts';
import { rollUp } from '../usage/usage.ts';
import { type CrewRun, type CrewSetup, failureOf, type Listeners, nearing, type Step } from './crew-run.ts';
import { runGroup } from './group.ts';
import { createStop, reasonFor } from './stop.ts';

/** One request. */
export interface CrewRequest {
  readonly input: string | undefined;
  readonly history: readonly CrewMessage[];
  readonly options: CrewOptions;
}

/** Runs one request to its end and tells its result as the last event. Throws only what `onAppend` threw. */
export async function runCrew(setup: CrewSetup, request: CrewRequest, listeners: Listeners): Promise<void> {
  const { crew } = setup;
  const stop = createStop(crew, request.options.signal);
  const run: CrewRun = {
    ...setup,
    ...listeners,
    stop,
    history: createHistory(request.history, {
      limit: setup.limit,
      strategy: crew.strategy,
      logger: listeners.logger,
      ...(request.options.kept ? { kept: request.options.kept } : {}),
      before: setup.before,
      onAppend: async (appended) => {
        const { tokens, ...sizes } = appended;
        await request.options.onAppend?.(appended.messages);
        listeners.emit({ type: 'history-append', ...sizes, tokens_pruned: tokens });
        nearing(run, 'history', appended.after, setup.limit);
      },
    }),
    lanes: new Map(),
    usage: new Map(),
    near: new Set(),
    retrying: new Map(),
    started: performance.now(),
    spent: 0,
    rounds: 0,
    hand_offs: 0,
  };
  try {
    const turn = await firstTurn(run, request);
    const ending = await turns(run, turn);
    if (run.fault) throw run.fault.error;
    if (ending.status === 'failed' || ending.status === 'stopped')
      listeners.logger.warn(`request ${ending.status}: ${ending.reason}`);
    if (!request.options.kept) run.before.keep(run.history.messages, run.history.said);
    listeners.emit({ type: 'result', result: resultOf(run, ending) });
  } finally {
    stop.close();
  }
}

async function firstTurn(run: CrewRun, { input, history: given, options }: CrewRequest): Promise<Turn> {
  const history = options.kept?.conversation ? run.history.messages : given;
  if (input === undefined) return whoseTurn(run.crew, history);
  const message: CrewMessage = { role: 'user', content: input };
  const turn = whoseTurn(run.crew, [...history, message]);
  await run.history.append('input', [message]);
  return turn;
}

type Ending = Pick<CrewResult, 'status' | 'output' | 'agent' | 'reason' | 'limit' | 'errorCategory'>;

async function turns(run: CrewRun, first: Turn): Promise<Ending> {
  const { crew, stop } = run;
  let said = { output: '', agent: undefined as string | undefined };
  for (let turn = first; ; ) {
    if (turn.type === 'end' || turn.type === 'pause') return over(run, turn.type, said);
    const rounds = turn.type === 'group' ? (crew.groups[turn.group]?.agents.length ?? 0) : 1;
    if (run.rounds + rounds > crew.limits.max_rounds) stop.now('rounds');
    if (stop.why !== undefined) return stopped(run, said);
    const step = turn.type === 'group' ? await runGroup(run, turn.group) : await oneTurn(run, turn.agent);
    if (step.said) said = step.said;
    if (stop.why !== undefined) {
      // What a limit, or who cancels, came too late for is done all the same.
      const isDone = step.kept && (stop.why === 'cost' || stop.why === 'time' || stop.why === 'cancelled');
      const after = isDone ? whoseTurn(crew, run.history.messages) : undefined;
      return after?.type === 'end' || after?.type === 'pause' ? over(run, after.type, said) : stopped(run, said);
    }
    if (step.failed) return { status: 'failed', ...ownWords(run, said), ...step.failed };
    const next = whoseTurn(crew, run.history.messages);
    if (turn.type === 'agent' && handsOver(next)) {
      if (run.hand_offs >= crew.limits.max_hand_offs) {
        stop.now('hand_offs');
        return stopped(run, said);
      }
      run.hand_offs++;
      const to = next.type === 'group' ? next.group : next.agent;
      run.emit({ type: 'hand-off', from: turn.agent, to, by: step.handed ? 'tool' : (next.by ?? 'next') });
    }
    turn = next;
  }
}

type Handing = Extract<Turn, { type: 'group' }> | (Extract<Turn, { type: 'agent' }> & { by?: 'signal' | 'next' });

function handsOver(turn: Turn): turn is Handing {
  return turn.type === 'group' || (turn.type === 'agent' && turn.by !== 'join');
}

function over(run: CrewRun, how: 'end' | 'pause', said: Parameters<typeof ownWords>[1]): Ending {
  return { status: how === 'end' ? 'complete' : 'paused', ...ownWords(run, said) };
}

function ownWords(run: CrewRun, { output, agent }: { output: string; agent: string | undefined }) {
  const last = run.history.messages.findLast(({ role }) => role === 'assistant');
  if (agent === undefined && last?.role === 'assistant')
    return { output: last.content, agent: last.name ?? run.crew.entry };
  return { output, ...(agent === undefined ? {} : { agent }) };
}

function stopped(run: CrewRun, said: { output: string; agent: string | undefined }): Ending {
  const why = run.stop.why ?? 'cancelled';
  const last = [...run.retrying].map(([agent, category]) => `; the last request of ${agent} failed: ${category}`);
  const reason = reasonFor(why, run.crew, run.spent) + (why === 'time' ? last.join('') : '');
  const words = { output: said.output, ...(said.agent === undefined ? {} : { agent: said.agent }) };
  if (why === 'cancelled') return { status: 'cancelled', ...words, reason };
  if (why === 'price' || why === 'fault') return { status: 'failed', ...words, reason };
  return { status: 'stopped', ...words, reason, limit: why };
}

async function oneTurn(run: CrewRun, name: string): Promise<Step> {
  const { history } = run;
  const keep = async (place: 'answer' | 'tools' | 'hand-off', messages: readonly CrewMessage[]) => {
    try {
      await history.append(place, messages);
    } catch (error) {
      run.fault ??= { error };
      run.stop.now('fault');
    }
  };
  const { result, handed } = await agentTurn(run, name, (messages) => keep('tools', messages));
  const agent = run.crew.agents[name];
  const said = { output: result.output, agent: name };
  const { why } = run.stop;
  // An answer that was paid for is kept, though it passed a limit.
  if (why !== undefined && (why === 'cancelled' || why === 'fault' || !result.success)) return { said };
  if (!result.success || !agent) return { failed: failureOf(name, result) };
  const content = handed ? handOffText(agent, handed, result.output) : result.output.trim() || '(no answer)';
  await keep(handed ? 'hand-off' : 'answer', [{ role: 'assistant', name, content }]);
  return { said, handed: handed !== undefined, kept: true };
}

function resultOf(run: CrewRun, ending: Ending): CrewResult {
  return {
    ...ending,
    history: run.history.messages,
    rounds: run.rounds,
    hand_offs: run.hand_offs,
    pruned: run.history.gone.messages,
    elapsed_ms: Math.round(performance.now() - run.started),
    usage: rollUp(Object.fromEntries(run.usage)),
  };
}
