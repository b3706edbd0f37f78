import type { ExecutionResult } from '@holdfast/agent';
import type { TokenUsage } from '@holdfast/models';
import type { UnboundedTotals } from './unbounded.ts';

/** What an agent, or the whole crew, used in one request. Plain data. */
export interface AgentUsage {
  /** Turns of agents. */
  readonly rounds: number;
  /** Requests to models. */
  readonly requests: number;
  /** Tool calls. */
  readonly calls: number;
  readonly folds: number;
  readonly tokens: TokenUsage;
  /** Dollars; undefined if any price is unknown. */
  readonly cost?: number;
  /** Estimated cost of the same requests with the full history; undefined if unknown. Below `cost` if pruning does not pay. */
  readonly everything?: number;
  /** Tokens not sent because they were pruned or folded. */
  readonly tokensSaved: number;
  /** Size and limits of the newest request. */
  readonly context?: AgentContext;
}

export interface AgentContext {
  readonly messages: number;
  readonly tokens: number;
  readonly estimated: boolean;
  readonly max: { readonly messages: number; readonly tokens: number };
}

/** The usage of each agent, and their sum. */
export interface CrewUsage {
  readonly agents: Readonly<Record<string, AgentUsage>>;
  readonly crew: Omit<AgentUsage, 'context'>;
}

const NO_TOKENS: TokenUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const NO_COUNTS = { rounds: 0, requests: 0, calls: 0, folds: 0, tokensSaved: 0 };
export const NO_USAGE: AgentUsage = { ...NO_COUNTS, tokens: NO_TOKENS, cost: 0, everything: 0 };

/** The sum of two usages, with the newer context. Pure. */
export function addUsage(a: AgentUsage, b: AgentUsage): AgentUsage {
  const cost = a.cost === undefined || b.cost === undefined ? undefined : a.cost + b.cost;
  const everything = a.everything === undefined || b.everything === undefined ? undefined : a.everything + b.everything;
  const context = b.context ?? a.context;
  return {
    ...sums(NO_COUNTS, a, b),
    tokens: sums(NO_TOKENS, a.tokens, b.tokens),
    ...(cost === undefined ? {} : { cost }),
    ...(everything === undefined ? {} : { everything }),
    ...(context ? { context } : {}),
  };
}

/** The sums of the numbers that `zero` names. */
function sums<T extends { readonly [K in keyof T]: number }>(zero: T, a: T, b: T): T {
  const keys = Object.keys(zero) as (keyof T)[];
  return Object.fromEntries(keys.map((key) => [key, a[key] + b[key]])) as T;
}

/** The usage of each agent with their sum. Pure. */
export function sumUsage(agents: Readonly<Record<string, AgentUsage>>): CrewUsage {
  const { context: _, ...crew } = Object.values(agents).reduce(addUsage, NO_USAGE);
  return { agents, crew };
}

/** The usage of one turn. Pure. */
export function usageOf(
  result: ExecutionResult,
  turn: { readonly calls: number; readonly context?: AgentContext; readonly unbounded: UnboundedTotals | undefined },
): AgentUsage {
  const { spent, everything = spent } = result.cost ?? {};
  // Without a request there was nothing to pay.
  const free = result.requests ? undefined : 0;
  const cost = spent ?? free;
  const all = (turn.unbounded ? turn.unbounded.cost : everything) ?? free;
  return {
    rounds: 1,
    requests: result.requests ?? 0,
    calls: turn.calls,
    folds: result.folds ?? 0,
    tokens: result.tokenUsage ?? NO_TOKENS,
    tokensSaved: Math.round(turn.unbounded?.tokens ?? 0),
    ...(cost === undefined ? {} : { cost }),
    ...(all === undefined ? {} : { everything: all }),
    ...(turn.context ? { context: turn.context } : {}),
  };
}

const HEAD = 'agent rounds requests calls context folds sent cached said cost unbounded'.split(' ');

/** The usage of all agents and of the crew as a table for people. Pure. */
export function usageTable({ agents, crew }: CrewUsage): string {
  const rows = [HEAD, ...Object.entries(agents).map(([name, one]) => rowOf(name, one)), rowOf('crew', crew)];
  const widths = HEAD.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

function rowOf(name: string, { rounds, requests, calls, folds, tokens, context, cost, everything }: AgentUsage) {
  const prompt = tokens.inputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens;
  return [
    name,
    ...[rounds, requests, calls].map(String),
    context ? `${context.messages} msg, ${context.estimated ? '~' : ''}${short(context.tokens)}` : '–',
    String(folds),
    short(prompt),
    prompt === 0 ? '–' : `${Math.round((100 * tokens.cacheReadTokens) / prompt)}%`,
    short(tokens.outputTokens),
    ...[cost, everything].map((dollars) => (dollars === undefined ? '?' : `$${dollars.toFixed(4)}`)),
  ];
}

function short(tokens: number): string {
  return tokens < 1_000 ? String(Math.round(tokens)) : `${(tokens / 1_000).toFixed(1)}k`;
}
