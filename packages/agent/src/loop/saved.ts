import type { ConversationState } from '@holdfast/sessions';
import { HoldfastError } from 'holdfast';
import type { Checkpoint } from '../providers/provider.ts';
import type { Api } from './api.ts';
import { NO_CALLS, type OpenCalls } from './open-calls.ts';

/** A conversation between two executions. Plain JSON. */
export interface SavedConversation<M> extends ConversationState<M> {
  /** The execution was interrupted: its prompt is in the conversation, and these calls are unanswered. */
  readonly open?: OpenCalls;
}

/** True for the state of an interrupted execution, whose prompt is already in the conversation. Pure. */
export function isOpen(state: unknown): boolean {
  return typeof state === 'object' && state !== null && 'open' in state && state.open !== undefined;
}

/** Reads a `conversationState`. Throws BAD_STATE if no API provider made it. */
export function readSaved<M>(state: unknown): SavedConversation<M> | undefined {
  if (state === undefined || state === null) return undefined;
  const { version, pending, window, open = NO_CALLS } = state as Partial<SavedConversation<M>>;
  const lists = [pending, open?.calls, open?.begun, open?.results];
  if (version === 1 && lists.every(Array.isArray) && typeof window === 'object' && window)
    return state as SavedConversation<M>;
  throw badState();
}

/** The error for a state from which no conversation can be resumed. */
export function badState(details = {}): HoldfastError {
  const text = 'cannot resume from conversationState: pass the one that the last execution returned, or leave it out';
  return new HoldfastError('BAD_STATE', text, details);
}

function isMessage(message: unknown): boolean {
  if (typeof message !== 'object' || message === null) return false;
  return 'type' in message || ('role' in message && ('content' in message || 'parts' in message));
}

/**
 * The saved conversation in a form that this request can send. If model, system prompt or tools have changed, the thinking
 * bound to them is dropped; a message of nothing else becomes a placeholder. Pure. Throws BAD_STATE if it has no messages.
 */
export function freshState<M>(
  saved: SavedConversation<M>,
  fingerprint: string,
  api: Pick<Api<M>, 'dialect' | 'withoutThinking' | 'restored'>,
): SavedConversation<M> {
  const isSame = saved.fingerprint === fingerprint;
  // The window refuses a state of another dialect.
  if ((isSame && !saved.stale) || saved.window.dialect !== api.dialect.name) return saved;
  const fresh = (message: M): M => {
    const bare = withoutThinking(message, api);
    return api.restored?.(bare) ?? bare;
  };
  const { view } = saved.window;
  if (![view, saved.pending].every((list) => Array.isArray(list) && list.every(isMessage))) throw badState();
  const { stale = 0, ...rest } = saved;
  if (isSame) return changed(rest, fresh, stale);
  // One model's limit says nothing about another's.
  const { limit: _, ...known } = changed(rest, fresh);
  return { ...known, shared: 0 };
}

/** The message without its thinking, or a placeholder; the same object if it has none. Pure. */
export function withoutThinking<M>(message: M, api: Pick<Api<M>, 'dialect' | 'withoutThinking'>): M {
  const { dialect, withoutThinking: own = dialect.unsigned } = api;
  if (own || !dialect.read(message).thinking) return own?.(message) ?? message;
  return dialect.withoutThinking(message) ?? dialect.note('assistant', '(thinking)');
}

/** Changes the first messages of the view; without a number, all of them and the pending ones. */
function changed<M>(saved: SavedConversation<M>, change: (message: M) => M, first?: number): SavedConversation<M> {
  const { window, pending } = saved;
  const view = window.view.map((message, at) => (at < (first ?? Number.POSITIVE_INFINITY) ? change(message) : message));
  return { ...saved, window: { ...window, view }, pending: first === undefined ? pending.map(change) : pending };
}

/**
 * The `conversationState` that resumes an execution after these checkpoints of it, in order; its prompt is not repeated.
 * Undefined if none of them has a state. Pure.
 */
export function resumeFrom(checkpoints: readonly Checkpoint[]): unknown {
  const at = checkpoints.findLastIndex(({ type }) => type === 'state');
  const last = checkpoints[at];
  if (last?.type !== 'state') return undefined;
  const state = last.conversationState as { readonly open?: OpenCalls };
  if (state.open === undefined) return state;
  const begun = [...state.open.begun];
  const results = [...state.open.results];
  for (const checkpoint of checkpoints.slice(at + 1)) {
    if (checkpoint.type === 'call') begun.push(checkpoint);
    else if (checkpoint.type === 'result') results.push(checkpoint);
  }
  return { ...state, open: { ...state.open, begun, results } };
}
