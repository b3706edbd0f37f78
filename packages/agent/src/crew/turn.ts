import { randomBytes } from 'node:crypto';
import type { ExecutionResult, Provider, ProviderEvent, Tool } from '../providers/provider.ts';
import { NO_CALLS, type OpenCalls } from '../providers/saved.ts';
import type { AgentConfig, CrewConfig, CrewMessage } from './crew.ts';
import type { CrewEvent } from './events.ts';
import { type HandedOff, handOffTool, systemPrompt } from './hand-off.ts';
import { type History, historyWindow } from './history.ts';
import { type ContextUse, together } from './usage.ts';
import { inOneText, newsFor, wordsFor } from './words.ts';

/** An agent in one request: its conversation goes on from turn to turn. */
export interface Lane {
  readonly name: string;
  readonly agent: AgentConfig;
  readonly provider: Provider;
  readonly tools: readonly Tool[];
  readonly limit: number;
  state?: unknown;
  /** How long the history was when it was last told of it. */
  seen: number;
}

/** What a turn works with. */
export interface TurnSetup {
  readonly crew: CrewConfig;
  readonly history: History;
  readonly signal: AbortSignal;
  readonly round: number;
  readonly emit: (event: CrewEvent) => void;
  /** Takes the calls of one answer and their results, all of them; waited for before the next request. */
  readonly onTools: (messages: readonly CrewMessage[]) => Promise<void>;
  readonly onUsage: (cost: number | undefined) => void;
}

/** What came of a turn. */
export interface TurnEnd {
  readonly result: ExecutionResult;
  readonly handed?: HandedOff;
  readonly calls: number;
  readonly context?: ContextUse;
  /** Requests for an answer, each with the tokens that were pruned before it. */
  readonly reports: number;
}

/** One turn of an agent: it is told what is new to it, and works until it has answered. Never throws. */
export async function takeTurn(lane: Lane, setup: TurnSetup): Promise<TurnEnd> {
  const { name, agent, provider } = lane;
  const { crew, history, signal, emit } = setup;
  const told = toldTo(lane, history);
  lane.seen = history.count;
  let handed: HandedOff | undefined;
  const handOff = handOffTool(agent, (one) => {
    handed = one;
  });
  const tools = [...lane.tools, ...(handOff ? [handOff] : [])];
  const watch = watchTurn(name, setup);
  emit({ type: 'agent-start', agent: name, round: setup.round, messages: told.messages });
  const execute = (max_messages: number, state: unknown) =>
    provider.execute(told.prompt, {
      ...(agent.model === undefined ? {} : { model: agent.model }),
      system: systemPrompt(crew, name, agent, provider.takes_said === true && handOff !== undefined),
      tools,
      conversation: { max_messages, ...crew.conversation, ...agent.conversation },
      ...(state === undefined ? { said: told.said } : { conversationState: state }),
      signal,
      onEvent: watch.event,
      onCheckpoint: watch.checkpoint,
    });
  const result = await withRoom(lane, execute);
  lane.state = result.conversationState;
  emit({
    type: 'agent-end',
    agent: name,
    output: result.output,
    ...(result.error === undefined ? {} : { error: result.error }),
  });
  return { result, ...(handed ? { handed } : {}), ...watch.told() };
}

/** How the engine says that what must stay is more than may be. */
const TOO_FEW = /is over budget, (\d+) messages > \d+/;
const GOES_ON = { open: NO_CALLS };

/**
 * Executes within the lane's limit; where the newest turn alone is longer, such as one with many calls, it stays whole, and
 * the execution goes on with room for it.
 */
async function withRoom(
  { limit, state: before }: Lane,
  execute: (limit: number, state: unknown) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  let result = await execute(limit, before);
  for (let room = limit; ; ) {
    const needed = Number(TOO_FEW.exec(result.error ?? '')?.[1] ?? 0);
    if (needed <= room) return result;
    room = needed;
    // What was never sent is not kept: then all of it is said again.
    const state = result.requests ? { ...(result.conversationState as object), ...GOES_ON } : before;
    result = together(result, await execute(room, state));
  }
}

function toldTo(lane: Lane, history: History) {
  const { name, provider, limit } = lane;
  if (lane.state !== undefined) {
    const news = history.messages.filter((message) => history.isSince(message, lane.seen));
    return { prompt: newsFor(name, news, history.messages) || '(go on)', said: [], messages: news.length };
  }
  const { messages: all } = history;
  const messages = all.length > limit ? historyWindow(QUIET).pruneHistory(all, limit).trimmed : all;
  const told = wordsFor(name, messages);
  const prompt = provider.takes_said ? told.prompt : inOneText(told);
  return { prompt: prompt || '(go on)', said: told.said, messages: messages.length };
}

const QUIET = { warn: () => {} };

/** Follows an execution: what it says becomes events of the crew, its calls become messages. */
function watchTurn(agent: string, setup: TurnSetup) {
  const { emit, onTools, onUsage } = setup;
  let text = '';
  let calls = 0;
  let reports = 0;
  let context: ContextUse | undefined;
  let batch:
    | { readonly text: string; readonly open: OpenCalls['calls']; readonly results: Map<string, string> }
    | undefined;
  return {
    told: () => ({ calls, reports, ...(context ? { context } : {}) }),
    event(event: ProviderEvent) {
      if (event.type === 'text-delta') text += event.text;
      else if (event.type === 'request-retry') text = '';
      else if (event.type === 'call-start') calls++;
      else if (event.type === 'view-ready') {
        const { type: _, ...use } = event;
        context = use;
      } else if (event.type === 'usage-report') {
        reports++;
        onUsage(event.cost);
      }
      emit(crewEvent(agent, event));
    },
    async checkpoint(checkpoint: {
      readonly type: string;
      readonly id?: string;
      readonly text?: string;
      readonly conversationState?: unknown;
    }) {
      if (checkpoint.type === 'state') {
        const { open } = checkpoint.conversationState as { open?: OpenCalls };
        batch = { text, open: (open?.calls ?? []).filter(({ name }) => name !== 'hand_off'), results: new Map() };
        text = '';
      }
      if (checkpoint.type !== 'result' || !batch) return;
      if (batch.open.some(({ id }) => id === checkpoint.id))
        batch.results.set(checkpoint.id ?? '', checkpoint.text ?? '');
      if (batch.results.size < batch.open.length || batch.open.length === 0) return;
      const messages = toolMessages(agent, batch.text, batch.open, batch.results);
      batch = undefined;
      await onTools(messages);
    },
  };
}

function crewEvent(agent: string, event: ProviderEvent): CrewEvent {
  if (event.type !== 'fold-end') return { ...event, agent };
  const { before, after } = event.receipt;
  return { type: 'fold-end', agent, before: before.tokens, after: after.tokens };
}

/** The calls of one answer and their results, with ids that are nobody else's. */
function toolMessages(
  name: string,
  text: string,
  calls: OpenCalls['calls'],
  results: ReadonlyMap<string, string>,
): CrewMessage[] {
  const own = calls.map((call) => ({ call, id: `call_${randomBytes(9).toString('base64url')}` }));
  const tool_calls = own.map(({ call, id }) => ({
    id,
    type: 'function' as const,
    function: { name: call.name, arguments: JSON.stringify(call.input ?? {}) },
  }));
  const answers = own.map(
    ({ call, id }): CrewMessage => ({ role: 'tool', tool_call_id: id, content: results.get(call.id) ?? '' }),
  );
  return [{ role: 'assistant', name, content: text, tool_calls }, ...answers];
}
