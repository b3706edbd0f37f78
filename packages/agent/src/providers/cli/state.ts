import { defined } from '../../defined.ts';
import type { ExecutionResult } from '../provider.ts';
import type { CliReading } from './kind.ts';

/** What the next execution needs; the program keeps the conversation itself. */
export interface CliState {
  readonly provider: string;
  readonly sessionId: string;
  readonly sessionCost?: number;
  /** Hash of the system prompt that the session has received. */
  readonly system?: string;
}

const ID = /^\w[\w.:-]{0,199}$/;

/** The cost since the last execution. A resumed session usually continues its count; one that restarts at 0 counts from there. */
export function costSince({ sessionCost }: CliReading, state: CliState | undefined): Pick<ExecutionResult, 'cost'> {
  if (sessionCost === undefined) return {};
  const before = state?.sessionCost ?? 0;
  return { cost: { spent: sessionCost >= before ? sessionCost - before : sessionCost } };
}

/** The state after an execution; undefined if no session started. Pure. */
export function nextState(
  provider: string,
  reading: CliReading,
  before: CliState | undefined,
  system: string | undefined,
) {
  const sessionId = reading.sessionId ?? before?.sessionId;
  if (sessionId === undefined) return undefined;
  const sessionCost = reading.sessionCost ?? before?.sessionCost;
  const conversationState: CliState = defined({ provider, sessionId, sessionCost, system });
  return { conversationState };
}

/** The state, if this provider made it. Pure. */
export function stateOf(state: unknown, provider: string): CliState | undefined {
  if (typeof state !== 'object' || state === null) return undefined;
  const { sessionId, ...rest } = state as Partial<CliState>;
  if (rest.provider !== provider || typeof sessionId !== 'string' || !ID.test(sessionId)) return undefined;
  return { ...rest, provider, sessionId };
}
