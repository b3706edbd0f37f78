import { type Dialect, HoldfastError, type WindowState } from 'holdfast';

/** A conversation between two executions: bounded as the window's state is. Plain JSON. */
export interface SavedConversation<M> {
  readonly version: 1;
  /** Of model, system prompt and tools. */
  readonly fingerprint: string;
  readonly shared: number;
  /** What the API said of its limit, where that was less than known. */
  readonly limit?: number;
  /** What the whole history took at the last request. */
  readonly historyTokens?: number;
  /** Said since the last request, and not in the window yet. */
  readonly pending: readonly M[];
  readonly window: WindowState<M>;
}

/** What `conversationState` holds. Throws BAD_STATE if another provider made it, or none. */
export function readSaved<M>(state: unknown): SavedConversation<M> | undefined {
  if (state === undefined || state === null) return undefined;
  const { version, pending, window } = state as Partial<SavedConversation<M>>;
  if (version === 1 && Array.isArray(pending) && typeof window === 'object' && window)
    return state as SavedConversation<M>;
  const text = 'conversationState is none of an API provider: pass what the execution before gave, or leave it out';
  throw new HoldfastError('BAD_STATE', text);
}

/**
 * The saved conversation as this request may send it. Thinking is bound to model, system prompt and tools, so where one of
 * them changed it goes; a message that was all thinking keeps its place. What else must change, `restored` does. Pure.
 */
export function freshState<M>(
  saved: SavedConversation<M>,
  fingerprint: string,
  dialect: Dialect<M>,
  restored: (message: M) => M = (message) => message,
): SavedConversation<M> {
  if (saved.fingerprint === fingerprint || dialect.name !== 'anthropic') return saved;
  const bare = (message: M): M =>
    restored(
      dialect.read(message).thinking
        ? (dialect.withoutThinking(message) ?? dialect.note('assistant', '(thinking)'))
        : message,
    );
  const window = { ...saved.window, view: saved.window.view.map(bare) };
  return { ...saved, window, pending: saved.pending.map(bare), shared: 0 };
}
