import type { SessionConversation } from '@holdfast/sessions';
import { HoldfastError } from 'holdfast';
import type { Checkpoint } from '../providers/provider.ts';
import type { Api, ApiCall, CallResult } from './api.ts';

/** A conversation between two executions. Plain JSON. */
export interface SavedConversation<M> extends SessionConversation<M> {
  /** The execution is not over: its prompt stands in the conversation, and these calls are to be answered. */
  readonly open?: OpenCalls;
}

/** The calls of the last answer, and how far they are. */
export interface OpenCalls {
  readonly calls: readonly ApiCall[];
  /** Those that were begun, with their marks. */
  readonly begun: readonly { readonly id: string; readonly mark?: string }[];
  readonly results: readonly CallResult[];
}

export const NO_CALLS: OpenCalls = { calls: [], begun: [], results: [] };

/** True if this is the state of an execution that was cut off: its prompt was said already. Pure. */
export function isOpen(state: unknown): boolean {
  return typeof state === 'object' && state !== null && 'open' in state && state.open !== undefined;
}

/** What `conversationState` holds. Throws BAD_STATE if another provider made it, or none. */
export function readSaved<M>(state: unknown): SavedConversation<M> | undefined {
  if (state === undefined || state === null) return undefined;
  const { version, pending, window, open = NO_CALLS } = state as Partial<SavedConversation<M>>;
  const lists = [pending, open?.calls, open?.begun, open?.results];
  if (version === 1 && lists.every(Array.isArray) && typeof window === 'object' && window)
    return state as SavedConversation<M>;
  throw badState();
}

function badState(): HoldfastError {
  const text = 'cannot resume from conversationState: pass the one that the last execution returned, or leave it out';
  return new HoldfastError('BAD_STATE', text);
}

function isMessage(message: unknown): boolean {
  if (typeof message !== 'object' || message === null) return false;
  return 'type' in message || ('role' in message && 'content' in message);
}

/**
 * The saved conversation as this request may send it. Thinking is bound to model, system prompt and tools, so where one of
 * them changed it goes; a message that was all thinking keeps its place. What else must change, `restored` does. Pure;
 * throws BAD_STATE for what holds no messages.
 */
export function freshState<M>(
  saved: SavedConversation<M>,
  fingerprint: string,
  api: Pick<Api<M>, 'dialect' | 'withoutThinking' | 'restored'>,
): SavedConversation<M> {
  const isSame = saved.fingerprint === fingerprint;
  // A state of another dialect is refused by the window.
  if ((isSame && !saved.stale) || saved.window.dialect !== api.dialect.name) return saved;
  const fresh = (message: M): M => {
    const bare = withoutThinking(message, api);
    return api.restored?.(bare) ?? bare;
  };
  const { view } = saved.window;
  if (![view, saved.pending].every((list) => Array.isArray(list) && list.every(isMessage))) throw badState();
  const { stale = 0, ...rest } = saved;
  return isSame ? changed(rest, fresh, stale) : { ...changed(rest, fresh), shared: 0 };
}

/** The message without thinking, at its place; the same object if it has none. Pure. */
export function withoutThinking<M>(message: M, api: Pick<Api<M>, 'dialect' | 'withoutThinking'>): M {
  const { dialect } = api;
  if (api.withoutThinking || !dialect.read(message).thinking) return api.withoutThinking?.(message) ?? message;
  return dialect.withoutThinking(message) ?? dialect.note('assistant', '(thinking)');
}

/** The conversation with the first messages of its view changed; without a number all, and those that it has not seen yet. */
function changed<M>(saved: SavedConversation<M>, change: (message: M) => M, first?: number): SavedConversation<M> {
  const { window, pending } = saved;
  const view = window.view.map((message, at) => (at < (first ?? Number.POSITIVE_INFINITY) ? change(message) : message));
  return { ...saved, window: { ...window, view }, pending: first === undefined ? pending.map(change) : pending };
}

/**
 * The `conversationState` with which an execution goes on where these checkpoints of it, in their order, end: the prompt of
 * that execution is not said again. Undefined if none of them has a state. Pure.
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
