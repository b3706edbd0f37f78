import type { ModelOverrides } from '../models/model.ts';
import type { ErrorCategory, Logger } from '../providers/provider.ts';
import type { CrewConfig, CrewMessage } from './crew.ts';
import type { CrewEvent, CrewResult } from './events.ts';
import type { CrewOptions, Member } from './executor.ts';
import { runGroup } from './group.ts';
import { handOffText } from './hand-off.ts';
import { createHistory, type History } from './history.ts';
import { savedBy } from './saved-cost.ts';
import { createStop, reasonFor, type Stop } from './stop.ts';
import { type Lane, type TurnEnd, takeTurn } from './turn.ts';
import { type AgentUsage, addUsage, NO_USAGE, rollUp, usageOf } from './usage.ts';
import { type Turn, whoseTurn } from './whose-turn.ts';

/** Share of a limit from which on it is near. */
const NEAR = 0.8;

/** A crew, ready to work. */
export interface CrewSetup {
  readonly crew: CrewConfig;
  readonly members: ReadonlyMap<string, Member>;
  readonly limit: number;
  readonly models?: ModelOverrides;
}

/** One request. */
export interface CrewRequest {
  readonly input: string | undefined;
  readonly history: readonly CrewMessage[];
  readonly options: CrewOptions;
}

interface Listeners {
  readonly logger: Logger;
  readonly emit: (event: CrewEvent) => void;
}

/** A request under way. */
export interface CrewRun extends CrewSetup, Listeners {
  readonly history: History;
  readonly stop: Stop;
  readonly lanes: Map<string, Lane>;
  readonly usage: Map<string, AgentUsage>;
  /** Tokens that were pruned when each agent was last asked. */
  readonly gone: Map<string, number>;
  readonly near: Set<string>;
  readonly started: number;
  spent: number;
  rounds: number;
  hand_offs: number;
  fault?: { readonly error: unknown };
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
      onAppend: async (appended) => {
        const { tokens, ...sizes } = appended;
        await request.options.onAppend?.(appended.messages);
        listeners.emit({ type: 'history-append', ...sizes, tokens_pruned: tokens });
        nearing(run, 'history', appended.after, setup.limit);
      },
    }),
    lanes: new Map(),
    usage: new Map(),
    gone: new Map(),
    near: new Set(),
    started: performance.now(),
    spent: 0,
    rounds: 0,
    hand_offs: 0,
  };
  try {
    const turn = await firstTurn(run, request);
    const ending = await turns(run, turn);
    if (run.fault) throw run.fault.error;
    listeners.emit({ type: 'result', result: resultOf(run, ending) });
  } finally {
    stop.close();
  }
}

async function firstTurn(run: CrewRun, { input, history }: CrewRequest): Promise<Turn> {
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
    if (turn.type === 'end' || turn.type === 'pause')
      return { status: turn.type === 'end' ? 'complete' : 'paused', ...ownWords(run, said) };
    if (run.rounds >= crew.limits.max_rounds) stop.now('rounds');
    if (stop.why !== undefined) return stopped(run, said);
    const step = turn.type === 'group' ? await runGroup(run, turn.group) : await oneTurn(run, turn.agent);
    if (step.said) said = step.said;
    if (stop.why !== undefined) return stopped(run, said);
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

function ownWords(run: CrewRun, { output, agent }: { output: string; agent: string | undefined }) {
  const last = run.history.messages.findLast(({ role }) => role === 'assistant');
  if (agent === undefined && last?.role === 'assistant')
    return { output: last.content, agent: last.name ?? run.crew.entry };
  return { output, ...(agent === undefined ? {} : { agent }) };
}

function stopped(run: CrewRun, said: { output: string; agent: string | undefined }): Ending {
  const why = run.stop.why ?? 'cancelled';
  const reason = reasonFor(why, run.crew, run.spent);
  const words = { output: said.output, ...(said.agent === undefined ? {} : { agent: said.agent }) };
  if (why === 'cancelled') return { status: 'cancelled', ...words, reason };
  if (why === 'price' || why === 'fault') return { status: 'failed', ...words, reason };
  return { status: 'stopped', ...words, reason, limit: why };
}

/** What a step of the crew came to. */
export interface Step {
  readonly said?: { readonly output: string; readonly agent: string };
  readonly handed?: boolean;
  readonly failed?: { readonly reason: string; readonly errorCategory?: ErrorCategory };
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
  if (run.stop.why !== undefined || !agent) return { said: { output: result.output, agent: name } };
  if (!result.success) return { failed: failureOf(name, result) };
  const content = handed ? handOffText(agent, handed, result.output) : result.output.trim() || '(no answer)';
  await keep(handed ? 'hand-off' : 'answer', [{ role: 'assistant', name, content }]);
  return { said: { output: result.output, agent: name }, handed: handed !== undefined };
}

/** How the failure of an agent is said. Pure. */
export function failureOf(name: string, { error, errorCategory }: TurnEnd['result']): NonNullable<Step['failed']> {
  return { reason: `${name}: ${error ?? 'no answer'}`, ...(errorCategory ? { errorCategory } : {}) };
}

/** One turn of one agent, with what it used added up. */
export async function agentTurn(
  run: CrewRun,
  name: string,
  onTools: (messages: readonly CrewMessage[]) => Promise<void>,
  signal: AbortSignal = run.stop.signal,
): Promise<TurnEnd> {
  const lane = laneOf(run, name);
  const gone = { before: run.gone.get(name) ?? 0, now: run.history.gone.tokens };
  run.gone.set(name, gone.now);
  run.rounds++;
  const end = await takeTurn(lane, {
    crew: run.crew,
    history: run.history,
    signal,
    round: run.rounds,
    emit: (event) => {
      if (event.type === 'view-ready') nearing(run, 'context', event.tokens, event.max.tokens, name);
      run.emit(event);
    },
    onTools,
    onUsage: (cost) => spend(run, cost),
  });
  const saved = savedBy(run.members.get(name)?.model ?? '', end.reports, gone, run.models);
  // A program tells what it cost only at its end.
  if (end.reports === 0 && (end.result.requests ?? 0) > 0) spend(run, end.result.cost?.spent);
  run.usage.set(name, addUsage(run.usage.get(name) ?? NO_USAGE, usageOf(end.result, { ...end, saved })));
  return end;
}

function laneOf(run: CrewRun, name: string): Lane {
  const member = run.members.get(name);
  if (!member) throw new Error(`no agent ${name}`);
  const { agent, provider, tools } = member;
  const limit = agent.max_messages_per_request ?? run.limit;
  const lane = run.lanes.get(name) ?? { name, agent, provider, tools, limit, seen: 0 };
  run.lanes.set(name, lane);
  return lane;
}

/** Money is the whole crew's: who passes the limit stops all. */
function spend(run: CrewRun, cost: number | undefined): void {
  const { max_cost } = run.crew.limits;
  run.spent += cost ?? 0;
  if (max_cost === 0) return;
  if (cost === undefined) run.stop.now('price');
  else if (run.spent >= max_cost) run.stop.now('cost');
  nearing(run, 'cost', run.spent, max_cost);
}

function nearing(run: CrewRun, what: 'history' | 'context' | 'cost', used: number, of: number, agent?: string): void {
  const key = `${what} ${agent ?? ''}`;
  if (used < NEAR * of || run.near.has(key)) return;
  run.near.add(key);
  const whose = agent === undefined ? '' : ` of ${agent}`;
  run.logger.warn(`${what}${whose}: ${round(used)} of ${round(of)} used`);
  run.emit({ type: 'limit-near', what, used, of, ...(agent === undefined ? {} : { agent }) });
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
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
