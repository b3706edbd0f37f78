import type { Tool } from '@holdfast/agent';
import {
  createEverythingCost,
  type EverythingCost,
  type ModelOverrides,
  modelInfo,
  pricing,
  promptOf,
  sessionTokens,
  type TokenUsage,
} from '@holdfast/models';
import type { CrewConfig, CrewMessage } from '../config/config.ts';
import type { History } from '../history/history.ts';
import { isNote } from '../history/note.ts';
import { type AgentPrompt, isBy } from '../turn/prompt.ts';
import { charsShown } from './chars-said.ts';

/** The usage of one model request, and the tokens that the agent's window left out of it. */
export interface RequestReport {
  readonly usage: TokenUsage;
  readonly model: string;
  readonly cost?: number;
  readonly unsent: number;
}

/** Characters of an agent's first model request within one request to the crew. */
export interface FirstRequest {
  /** All of it, with the system prompt and the tools. */
  readonly sent: number;
  /** What the agent was not shown of all that was ever said. */
  readonly hidden: number;
  /** What was said since its previous request; Infinity if no cache can hold that one. */
  readonly fresh: number;
  /** The same, counted from the first message that differs from its previous request. */
  readonly freshMessages: number;
}

/** Measures the first model request of an agent against the whole history. Pure. */
export function firstRequest(
  crew: CrewConfig,
  agent: string,
  request: AgentPrompt & { readonly system: string; readonly tools: readonly Tool[] },
  { said, warm }: Pick<History, 'said' | 'warm'>,
): FirstRequest {
  const { heard, system, tools, prompt } = request;
  const schemas = tools.map(({ name, description, input_schema }) => JSON.stringify([name, description, input_schema]));
  const parts = [system, ...schemas, prompt, ...request.said.map(({ text }) => text)];
  const shown = charsShown(heard);
  const notes = heard.filter(isNote).reduce((sum, { content }) => sum + content.length, 0);
  const memberships = new Set(Object.keys(crew.groups).filter((group) => crew.groups[group]?.agents.includes(agent)));
  const isOwn = (message: CrewMessage) => isBy(agent, message, heard);
  const isOwnOrGroups = (message: CrewMessage) =>
    isOwn(message) || (message.role === 'user' && memberships.has(message.name ?? ''));
  const isPruned = said > shown;
  return {
    sent: parts.reduce((sum, { length }) => sum + length, 0),
    hidden: Math.max(0, said - shown) - notes,
    fresh: warm ? charsSince(heard, isOwnOrGroups, isPruned) : Number.POSITIVE_INFINITY,
    // An agent of a group has no messages of its own in the history: all that it is shown is one message.
    freshMessages: warm ? charsSince(heard, isOwn, isPruned && memberships.size === 0) : Number.POSITIVE_INFINITY,
  };
}

/** Characters from the last such run of messages to the end; without one, all of them, or Infinity if nothing was pruned. */
function charsSince(
  heard: readonly CrewMessage[],
  isOne: (message: CrewMessage) => boolean,
  isPruned: boolean,
): number {
  const last = heard.findLastIndex(isOne);
  if (last < 0) return isPruned ? charsShown(heard) : Number.POSITIVE_INFINITY;
  return charsShown(heard.slice(heard.findLastIndex((message, i) => i < last && !isOne(message)) + 1));
}

/** What requests would have taken without pruning and folding; `cost` is undefined if a price is unknown. */
export interface UnboundedTotals {
  readonly cost?: number;
  /** Tokens beyond those that were sent. */
  readonly tokens: number;
}

/** Estimates what the requests of one turn would have taken; undefined if the provider reported no single requests. */
export type Unbounded = (reports: readonly RequestReport[]) => UnboundedTotals | undefined;

/**
 * A request that lacked nothing counts as it is. Others are estimated as providers bill: the previous request is read from
 * the cache, the rest is written to it. The previous request may belong to an earlier request to the crew, which had all but
 * what is fresh. A character takes as many tokens as it did in the first request.
 */
export function createUnbounded(first: FirstRequest, models?: ModelOverrides): Unbounded {
  let everythingCost: EverythingCost | undefined;
  let hidden = 0;
  return (reports) => {
    let tokens = 0;
    let cost: number | undefined = 0;
    for (const { usage, model, unsent, cost: paid } of reports) {
      const prompt = promptOf(usage);
      const info = modelInfo(model, models);
      if (!everythingCost) {
        const rate = prompt / Math.max(1, first.sent);
        hidden = rate * first.hidden;
        // A cache that looks back over blocks holds whole blocks; any other holds any beginning of the text.
        const fresh = info.cache.lookback === undefined ? first.fresh : first.freshMessages;
        everythingCost = createEverythingCost(Math.max(0, prompt + unsent + hidden - rate * fresh));
      }
      const all = Math.max(0, prompt + unsent + hidden);
      const isWhole = first.hidden === 0 && unsent === 0;
      const request = { tokens: sessionTokens(usage), cost: paid, historyTokens: all, isWhole };
      const own = everythingCost(request, pricing(info.prices));
      cost = cost === undefined || own === undefined ? undefined : cost + own;
      tokens += Math.max(0, all - prompt);
    }
    return reports.length === 0 ? undefined : { tokens, ...(cost === undefined ? {} : { cost }) };
  };
}
