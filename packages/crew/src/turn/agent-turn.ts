import { modelInfo } from '@holdfast/agent';
import type { CrewMessage } from '../config/config.ts';
import type { Member } from '../config/members.ts';
import type { CrewEvent } from '../events.ts';
import { type CrewRun, nearing } from '../request/crew-run.ts';
import { createUnbounded, type UnboundedTotals } from '../usage/unbounded.ts';
import { addUsage, NO_USAGE, usageOf } from '../usage/usage.ts';
import { type Lane, type TurnEnd, takeTurn } from './turn.ts';

/** One turn of one agent, with what it used added up. */
export async function agentTurn(
  run: CrewRun,
  name: string,
  onTools: (messages: readonly CrewMessage[]) => Promise<void>,
  signal: AbortSignal = run.stop.signal,
): Promise<TurnEnd> {
  const lane = laneOf(run, name);
  run.rounds++;
  const end = await takeTurn(lane, {
    crew: run.crew,
    history: run.history,
    signal,
    round: run.rounds,
    emit: (event) => {
      if (event.type === 'view-ready') nearing(run, 'context', event.tokens, event.max.tokens, name);
      retrying(run, event);
      run.emit(event);
    },
    onTools,
    onUsage: (cost) => spend(run, cost),
  });
  // A program tells what it cost only at its end.
  if (end.reported === 0 && (end.result.requests ?? 0) > 0) spend(run, end.result.cost?.spent);
  const unbounded = unboundedOf(run, lane, end);
  run.usage.set(name, addUsage(run.usage.get(name) ?? NO_USAGE, usageOf(end.result, { ...end, unbounded })));
  return end;
}

/** What this turn would have come to with nothing left out; undefined where its requests were not told one by one. */
function unboundedOf({ models }: CrewRun, lane: Lane, { first, reports }: TurnEnd): UnboundedTotals | undefined {
  if (first) lane.unbounded = createUnbounded(first, models);
  if (!lane.unbounded || reports.length === 0) return undefined;
  const { cost: before = 0, tokens } = lane.unbounded.totals();
  for (const report of reports) lane.unbounded.add(report);
  const after = lane.unbounded.totals();
  return { tokens: after.tokens - tokens, ...(after.cost === undefined ? {} : { cost: after.cost - before }) };
}

/** Requests that are made again are told, and remembered for as long as nothing comes of them. */
function retrying(run: CrewRun, event: CrewEvent): void {
  if (event.type === 'request-retry') {
    const { agent, category, wait_ms } = event;
    run.retrying.set(agent, category);
    run.logger.warn(`${agent}: a request failed (${category}), and is made again in ${Math.round(wait_ms)} ms`);
  } else if (event.type === 'text-delta' || event.type === 'usage-report') run.retrying.delete(event.agent);
}

function laneOf(run: CrewRun, name: string): Lane {
  const member = run.members.get(name);
  if (!member) throw new Error(`no agent ${name}`);
  const { agent, provider, tools } = member;
  const limit = agent.max_messages_per_request ?? run.limit;
  const { max_conversation_messages: short, max_messages = short } = {
    ...run.crew.conversation,
    ...agent.conversation,
  };
  const sizes = { limit, max_messages: Math.min(max_messages || limit, limit), room: roomOf(run, member) };
  const lane = run.lanes.get(name) ?? { name, agent, provider, tools, ...sizes, seen: 0 };
  run.lanes.set(name, lane);
  return lane;
}

/** Characters of a token, as the engine assumes until it is told. */
const CHARACTERS = 3;

/** Half of its window for what it is told: the other half is for its work. */
function roomOf({ crew, models }: CrewRun, { agent, model }: Member): number {
  const { window } = modelInfo(model, models);
  const { limit, max_tokens } = { ...crew.conversation, ...agent.conversation };
  return Math.floor((Math.min(limit || window, max_tokens || window, window) * CHARACTERS) / 2);
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
