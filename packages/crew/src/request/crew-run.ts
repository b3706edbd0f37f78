import type { ErrorCategory, Logger, ModelOverrides } from '@holdfast/agent';
import type { CrewConfig } from '../config/config.ts';
import type { Member } from '../config/members.ts';
import type { CrewEvent } from '../events.ts';
import type { History } from '../history/history.ts';
import type { Lane, TurnEnd } from '../turn/turn.ts';
import type { SaidBefore } from '../usage/said-before.ts';
import type { AgentUsage } from '../usage/usage.ts';
import type { Stop } from './stop.ts';

/** A crew, ready to work. */
export interface CrewSetup {
  readonly crew: CrewConfig;
  readonly members: ReadonlyMap<string, Member>;
  readonly limit: number;
  readonly models?: ModelOverrides;
  /** What was said in the conversations that clients keep. */
  readonly before: SaidBefore;
}

/** Who is told of what happens. */
export interface Listeners {
  readonly logger: Logger;
  readonly emit: (event: CrewEvent) => void;
}

/** A request under way. */
export interface CrewRun extends CrewSetup, Listeners {
  readonly history: History;
  readonly stop: Stop;
  readonly lanes: Map<string, Lane>;
  readonly usage: Map<string, AgentUsage>;
  readonly near: Set<string>;
  /** Agents whose last request failed and is made again, and why. */
  readonly retrying: Map<string, ErrorCategory>;
  readonly started: number;
  spent: number;
  rounds: number;
  hand_offs: number;
  fault?: { readonly error: unknown };
}

/** What a step of the crew came to. */
export interface Step {
  readonly said?: { readonly output: string; readonly agent: string };
  readonly handed?: boolean;
  /** What was said stands in the history. */
  readonly kept?: true;
  readonly failed?: { readonly reason: string; readonly errorCategory?: ErrorCategory };
}

/** How the failure of an agent is said. Pure. */
export function failureOf(name: string, { error, errorCategory }: TurnEnd['result']): NonNullable<Step['failed']> {
  return { reason: `${name}: ${error ?? 'no answer'}`, ...(errorCategory ? { errorCategory } : {}) };
}

/** Share of a limit from which on it is near. */
const NEAR = 0.8;

/** Says once in a request that a limit is near. */
export function nearing(
  run: CrewRun,
  what: 'history' | 'context' | 'cost',
  used: number,
  of: number,
  agent?: string,
): void {
  const key = `${what} ${agent ?? ''}`;
  if (used < NEAR * of || run.near.has(key)) return;
  run.near.add(key);
  const whose = agent === undefined ? '' : ` of ${agent}`;
  run.logger.warn(`near the limit: ${what}${whose}, ${round(used)} of ${round(of)}`);
  run.emit({ type: 'limit-near', what, used, of, ...(agent === undefined ? {} : { agent }) });
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
