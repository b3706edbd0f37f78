import type { ErrorCategory, ExecutionResult, Provider, Tool } from '@holdfast/agent';
import { maskSecrets } from 'holdfast';
import type { AgentConfig, CrewConfig } from '../config/config.ts';
import { historyWindow } from '../history/bound.ts';
import type { History } from '../history/history.ts';
import { pruned } from '../history/prune.ts';
import { type HandedOff, handOffTool, systemPrompt } from '../routing/hand-off.ts';
import { firstTold } from '../usage/first-told.ts';
import type { FirstTold, Report, Unbounded } from '../usage/unbounded.ts';
import type { ContextUse } from '../usage/usage.ts';
import { untilLeft } from './leave.ts';
import { inOneText, newsFor, type Told, wordsFor } from './prompt.ts';
import { type Listening, watchTurn } from './watch.ts';

/** An agent in one request: its conversation goes on from turn to turn. */
export interface Lane {
  readonly name: string;
  readonly agent: AgentConfig;
  readonly provider: Provider;
  readonly tools: readonly Tool[];
  /** Most messages of the history that it is told of. */
  readonly limit: number;
  /** Most messages of its window: never more. */
  readonly max_messages: number;
  /** Most characters of what it is told in one message. */
  readonly room: number;
  state?: unknown;
  /** How long the history was when it was last told of it. */
  seen: number;
  /** What its requests would have cost with nothing left out. */
  unbounded?: Unbounded;
}

/** What a turn works with. */
export interface TurnSetup extends Listening {
  readonly crew: CrewConfig;
  readonly history: History;
  readonly signal: AbortSignal;
  readonly round: number;
}

/** What came of a turn. */
export interface TurnEnd {
  readonly result: ExecutionResult;
  readonly handed?: HandedOff;
  readonly calls: number;
  readonly context?: ContextUse;
  /** How often usage was told, and what of each request for an answer, as far as that is known. */
  readonly reported: number;
  readonly reports: readonly Report[];
  /** Of its first turn in a request. */
  readonly first?: FirstTold;
}

/** One turn of an agent: it is told what is new to it, and works until it has answered. Never throws. */
export async function takeTurn(lane: Lane, setup: TurnSetup): Promise<TurnEnd> {
  const { name, agent, provider } = lane;
  const { crew, history, signal, emit } = setup;
  const first = toldTo(lane, history, lane.room);
  let handed: HandedOff | undefined;
  const handOff = handOffTool(agent, (one) => {
    handed = one;
  });
  const tools = [...lane.tools, ...(handOff ? [handOff] : [])];
  const system = systemPrompt(crew, name, agent, provider.takesHistory === true && handOff !== undefined);
  const unheard = lane.state === undefined ? firstTold(crew, name, { ...first, system, tools }, history) : undefined;
  const watch = watchTurn(name, setup);
  const left = new AbortController();
  emit({ type: 'agent-start', agent: name, round: setup.round, messages: first.heard.length });
  const say = (told: Told) =>
    provider.execute(told.prompt, {
      ...(agent.model === undefined ? {} : { model: agent.model }),
      system,
      tools,
      handles: tools.some((tool) => tool.name === 'recall'),
      conversation: { ...crew.conversation, ...agent.conversation, max_messages: lane.max_messages },
      ...(lane.state === undefined ? { said: told.said } : { conversationState: lane.state }),
      signal,
      // Nothing of who was left behind comes into what goes on.
      onEvent: (event) => void (left.signal.aborted || watch.event(event)),
      onCheckpoint: async (checkpoint) => {
        left.signal.throwIfAborted();
        await watch.checkpoint(checkpoint);
      },
    });
  const running = saidWithin(lane.room, first, (room) => toldTo(lane, history, room), say).catch((error: unknown) =>
    failed(error),
  );
  const result = await untilLeft(running, signal, () => {
    left.abort();
    return failed(new Error(`${provider.name} did not end when it was stopped`), 'cancelled');
  });
  lane.seen = history.count;
  lane.state = result.conversationState;
  emit({
    type: 'agent-end',
    agent: name,
    output: result.output,
    ...(result.error === undefined ? {} : { error: result.error }),
  });
  return { result, ...(handed ? { handed } : {}), ...(unheard ? { first: unheard } : {}), ...watch.told() };
}

/** A provider should not throw; one that does has failed, and the others of a crew need not. */
function failed(error: unknown, errorCategory: ErrorCategory = 'unknown'): ExecutionResult {
  const text = error instanceof Error ? error.message : String(error);
  return {
    success: false,
    output: '',
    error: maskSecrets(text),
    errorCategory,
    filesChanged: [],
    iterationComplete: false,
  };
}

/** Shorter than this, what others said is not what is too long. */
const LEAST = 1_000;

/** Says it; while nothing can be sent because it is too long, half as much is said of what others said. */
async function saidWithin(
  room: number,
  first: Told,
  told: (room: number) => Told,
  say: (told: Told) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  const result = await say(first);
  const longest = Math.max(first.prompt.length, ...first.said.map(({ text }) => text.length));
  const next = Math.floor(Math.min(room, longest) / 2);
  const { requests, overBudget } = result;
  const isTooLong = overBudget && overBudget.floor.tokens > overBudget.max.tokens;
  if (requests || !isTooLong || next < LEAST) return result;
  return saidWithin(next, told(next), told, say);
}

function toldTo(lane: Lane, history: History, room: number) {
  const { name, provider, limit } = lane;
  if (lane.state !== undefined) {
    const news = history.messages.filter((message) => history.isSince(message, lane.seen));
    return { prompt: newsFor(name, news, history.messages, room) || '(go on)', said: [], heard: news };
  }
  const { messages: all } = history;
  const heard = all.length > limit ? pruned(historyWindow(QUIET), all, limit).trimmed : all;
  const told = wordsFor(name, heard, room);
  const prompt = provider.takesHistory ? told.prompt : inOneText(told, room);
  return { prompt: prompt || '(go on)', said: told.said, heard };
}

const QUIET = { warn: () => {} };
