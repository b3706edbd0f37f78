import type { ExecutionResult } from '../provider.ts';
import type { CliReading } from './kind.ts';

/** What the next execution needs; the program keeps the conversation itself. */
export interface CliState {
  readonly provider: string;
  readonly session_id: string;
  readonly session_cost?: number;
  /** Hash of the system prompt that the session has received. */
  readonly system?: string;
}

const ID = /^\w[\w.:-]{0,199}$/;

/** The cost since the last execution. A resumed session usually continues its count; one that restarts at 0 counts from there. */
export function costSince({ session_cost }: CliReading, state: CliState | undefined): Pick<ExecutionResult, 'cost'> {
  if (session_cost === undefined) return {};
  const before = state?.session_cost ?? 0;
  return { cost: { spent: session_cost >= before ? session_cost - before : session_cost } };
}

/** The state after an execution; undefined if no session started. Pure. */
export function nextState(
  provider: string,
  reading: CliReading,
  before: CliState | undefined,
  system: string | undefined,
) {
  const session_id = reading.session_id ?? before?.session_id;
  if (session_id === undefined) return undefined;
  const session_cost = reading.session_cost ?? before?.session_cost;
  const conversationState: CliState = {
    provider,
    session_id,
    ...(session_cost === undefined ? {} : { session_cost }),
    ...(system === undefined ? {} : { system }),
  };
  return { conversationState };
}

/** The state, if this provider made it. Pure. */
export function stateOf(state: unknown, provider: string): CliState | undefined {
  if (typeof state !== 'object' || state === null) return undefined;
  const { provider: own, session_id } = state as Partial<CliState>;
  return own === provider && typeof session_id === 'string' && ID.test(session_id) ? (state as CliState) : undefined;
}
