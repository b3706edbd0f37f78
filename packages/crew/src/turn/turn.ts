import type { ErrorCategory, ExecutionResult } from '@holdfast/agent';
import { boundedConfig, modelInfo } from '@holdfast/models';
import { maskSecrets } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';
import type { Member } from '../config/members.ts';
import type { CrewEvent } from '../events.ts';
import { spend, warnNearLimit } from '../request/limits.ts';
import type { CrewRun } from '../request/run.ts';
import { type HandedOff, handOffTool, systemPrompt } from '../routing/hand-off.ts';
import { createUnbounded, firstRequest, type Unbounded } from '../usage/unbounded.ts';
import { addUsage, NO_USAGE, usageOf } from '../usage/usage.ts';
import { type AgentPrompt, promptFor } from './prompt.ts';
import { watchTurn } from './watch.ts';

/** An agent within one request; its conversation continues from turn to turn. */
export interface Lane extends Member {
  readonly name: string;
  /** Most messages of the history that the agent is shown. */
  readonly limit: number;
  /** Most messages in its window. */
  readonly max_messages: number;
  /** Most characters of the history in one message to it. */
  readonly room: number;
  state?: unknown;
  /** Messages that the history had seen when the agent was last shown it. */
  seen: number;
  unbounded?: Unbounded;
}

/** The outcome of a turn. */
export interface TurnEnd {
  readonly result: ExecutionResult;
  readonly handed?: HandedOff;
}

/** Runs one turn: the agent gets what is new to it and works until it has answered. Adds up its usage. Never throws. */
export async function takeTurn(
  run: CrewRun,
  name: string,
  onTools: (messages: readonly CrewMessage[]) => Promise<void>,
  signal: AbortSignal = run.stop.signal,
): Promise<TurnEnd> {
  const lane = laneOf(run, name);
  const { agent, provider } = lane;
  const { crew, history } = run;
  let handed: HandedOff | undefined;
  const handOff = handOffTool(agent, (one) => {
    handed = one;
  });
  const tools = [...lane.tools, ...(handOff ? [handOff] : [])];
  const system = systemPrompt(crew, name, agent, provider.takesHistory === true && handOff !== undefined);
  const first = promptFor(lane, history, lane.room);
  if (lane.state === undefined)
    lane.unbounded = createUnbounded(firstRequest(crew, name, { ...first, system, tools }, history), run.models);
  const watch = watchTurn(name, { emit: (event) => emit(run, event), onTools, onUsage: (cost) => spend(run, cost) });
  const abandoned = new AbortController();
  run.rounds++;
  run.emit({ type: 'agent-start', agent: name, round: run.rounds, messages: first.heard.length });
  const execute = ({ prompt, said }: AgentPrompt) =>
    provider.execute(prompt, {
      ...(agent.model === undefined ? {} : { model: agent.model }),
      system,
      tools,
      handles: tools.some((tool) => tool.name === 'recall'),
      conversation: { ...crew.conversation, ...agent.conversation, max_messages: lane.max_messages },
      ...(lane.state === undefined ? { history: said } : { conversationState: lane.state }),
      signal,
      ...(run.onRequest ? { onRequest: run.onRequest } : {}),
      // Ignore events from abandoned turns.
      onEvent: (event) => void (abandoned.signal.aborted || watch.event(event)),
      onCheckpoint: async (checkpoint) => {
        abandoned.signal.throwIfAborted();
        await watch.checkpoint(checkpoint);
      },
    });
  const running = executeWithin(lane.room, first, (room) => promptFor(lane, history, room), execute).catch(failure);
  const result = await unlessAbandoned(running, signal, () => {
    abandoned.abort();
    return failure(new Error(`${provider.name} did not stop when it was cancelled`), 'cancelled');
  });
  lane.seen = history.count;
  lane.state = result.conversationState;
  const { output, error } = result;
  run.emit({ type: 'agent-end', agent: name, output, ...(error === undefined ? {} : { error }) });
  const { reported, reports, ...turn } = watch.totals();
  // A command-line agent reports its cost only at its end.
  if (reported === 0 && (result.requests ?? 0) > 0) spend(run, result.cost?.spent);
  const usage = usageOf(result, { ...turn, unbounded: lane.unbounded?.(reports) });
  run.usage.set(name, addUsage(run.usage.get(name) ?? NO_USAGE, usage));
  return { result, ...(handed ? { handed } : {}) };
}

function laneOf(run: CrewRun, name: string): Lane {
  const member = run.members.get(name);
  if (!member) throw new Error(`no agent ${name}`);
  const { agent, model } = member;
  const conversation = { ...run.crew.conversation, ...agent.conversation };
  const { max_conversation_messages: short, max_messages = short } = conversation;
  const limit = agent.max_messages_per_request ?? run.limit;
  const info = modelInfo(model, run.models);
  const most = Math.min(conversation.limit || info.window, info.window);
  const { max_tokens } = boundedConfig(conversation, info);
  // Half of the budget, at three characters a token: the other half is for the agent's own work.
  const room = Math.floor((Math.min(max_tokens || most, most) * 3) / 2);
  const sizes = { limit, max_messages: Math.min(max_messages || limit, limit), room };
  const lane = run.lanes.get(name) ?? { name, ...member, ...sizes, seen: 0 };
  run.lanes.set(name, lane);
  return lane;
}

function emit(run: CrewRun, event: CrewEvent): void {
  if (event.type === 'view-ready') warnNearLimit(run, 'context', event.tokens, event.max.tokens, event.agent);
  else if (event.type === 'request-retry') {
    const { agent, category, waitMs } = event;
    run.retrying.set(agent, category);
    run.logger.warn(`${agent}: request failed (${category}), retrying in ${Math.round(waitMs)} ms`);
  } else if (event.type === 'text-delta' || event.type === 'usage-report') run.retrying.delete(event.agent);
  run.emit(event);
}

/** Providers should not throw; one that does has failed, but the other agents have not. */
function failure(error: unknown, errorCategory: ErrorCategory = 'unknown'): ExecutionResult {
  const text = maskSecrets(error instanceof Error ? error.message : String(error));
  return { success: false, output: '', error: text, errorCategory, filesChanged: [], iterationComplete: false };
}

/** Below this, what others said is not what overflows the window. */
const MIN_ROOM = 1_000;

/** Executes a prompt. While it is too long to be sent at all, halves the space for what others said. */
async function executeWithin(
  room: number,
  first: AgentPrompt,
  promptOf: (room: number) => AgentPrompt,
  execute: (prompt: AgentPrompt) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  const result = await execute(first);
  const longest = Math.max(first.prompt.length, ...first.said.map(({ text }) => text.length));
  const next = Math.floor(Math.min(room, longest) / 2);
  const { requests, overBudget } = result;
  const isTooLong = overBudget && overBudget.floor.tokens > overBudget.max.tokens;
  if (requests || !isTooLong || next < MIN_ROOM) return result;
  return executeWithin(next, promptOf(next), promptOf, execute);
}

/** Time to stop after a cancellation; programs stop within two seconds. No measurement supports it. */
const GRACE_MS = 3_000;

/** Waits for a promise; after the signal only for GRACE_MS, and then returns what `abandon` does. */
async function unlessAbandoned<T>(running: Promise<T>, signal: AbortSignal, abandon: () => T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let start = () => {};
  const abandoned = new Promise<T>((resolve) => {
    start = () => {
      timer = setTimeout(() => resolve(abandon()), GRACE_MS);
    };
  });
  if (signal.aborted) start();
  else signal.addEventListener('abort', start, { once: true });
  try {
    return await Promise.race([running, abandoned]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', start);
  }
}
