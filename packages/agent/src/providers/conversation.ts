import {
  type ConversationHistoryConfig,
  ConversationWindow,
  type Dialect,
  type FitMetrics,
  isHoldfastError,
  type Recalled,
  type Receipt,
  type WindowParts,
} from 'holdfast';
import type { Outgoing } from './api.ts';
import type { Overflow } from './overflow.ts';
import { freshState, type SavedConversation } from './saved.ts';

/** A conversation with a model: what was said goes in, what is to be sent comes out. */
export interface Conversation<M> {
  add(messages: readonly M[]): void;
  /** No fold touches what is added next. What goes beyond the quota of pins is said by `outgoing`. */
  pinNext(): void;
  /** What to send now. Throws INVALID_HISTORY, or OVER_BUDGET with each part of what cannot be folded away. */
  outgoing(signal?: AbortSignal): Promise<Fitted<M>>;
  /** Says that this was sent and answered; `report` is what the API counted. */
  sent(outgoing: Outgoing<M>, report: unknown): void;
  /** Says how many tokens the API counts for what is about to be sent. */
  counted(tokens: number): void;
  /** The next view is one that fits, by what the API said of this one. */
  shrink(overflow: Overflow): void;
  readonly folds: number;
  /** Tokens that may be sent. */
  readonly limit: number;
  metrics(): { messageCount: number; estimatedTokens: number };
  /** Takes in what was said last, if it can be, so that what is saved is bounded. Never throws. */
  settle(): Promise<void>;
  /** What a handle stands for; undefined if it stands for nothing. */
  recall(handle: string): Promise<string | undefined>;
  /** For the next execution: the window's state and what it has not seen yet. */
  save(): SavedConversation<M>;
}

/** A view, and its figures. */
export interface Fitted<M> extends Outgoing<M> {
  readonly metrics: FitMetrics;
}

type LimitedConfig = ConversationHistoryConfig & { readonly limit: number };

export interface ConversationSetup<M> {
  readonly config: LimitedConfig;
  readonly parts: WindowParts<M> & { readonly dialect: Dialect<M> };
  readonly saved: SavedConversation<M> | undefined;
  /** What thinking is bound to beside the messages. */
  readonly fingerprint: string;
  readonly onFold: (receipt: Receipt, metrics: FitMetrics) => void;
}

/** Starts a conversation, or goes on with one that was saved. Throws BAD_CONFIG or BAD_STATE. */
export function createConversation<M>(setup: ConversationSetup<M>): Conversation<M> {
  const { parts, fingerprint } = setup;
  const saved = setup.saved && freshState(setup.saved, fingerprint, parts.dialect);
  let learned = saved?.fingerprint === fingerprint ? saved.limit : undefined;
  let config = learned === undefined ? setup.config : limited(setup.config, learned);
  let window = new ConversationWindow<M>(config, { ...parts, ...(saved ? { state: saved.window } : {}) });
  let seen = saved?.window.seen ?? 0;
  let pending: M[] = [...(saved?.pending ?? [])];
  let note = saved?.window.log.at(-1)?.note;
  let folds = saved?.window.folds ?? 0;
  /** How many of its first messages the view has in common with the last request that was answered. */
  let shared = saved?.shared ?? 0;
  let estimate = 0;
  let kept = saved?.window.view.length ?? 0;

  const outgoing = async (signal?: AbortSignal): Promise<Fitted<M>> => {
    const { messages, metrics, receipt } = await window.fit(pending, { offset: seen, ...(signal ? { signal } : {}) });
    seen = metrics.totalMessages;
    pending = [];
    ({ estimatedTokens: estimate, preservedMessages: kept, folds } = metrics);
    if (receipt) {
      shared = Math.min(shared, receipt.changed_from);
      note = receipt.note;
      setup.onFold(receipt, metrics);
    }
    const at = note === undefined ? -1 : messages.findIndex((message) => parts.dialect.text(message) === note);
    const places = { ...(at < 0 ? {} : { note: at }), ...(shared > 0 ? { previous: shared - 1 } : {}) };
    return { messages, metrics, ...places };
  };

  return {
    get folds() {
      return folds;
    },
    get limit() {
      return config.limit;
    },
    add: (messages) => void pending.push(...messages),
    pinNext: () => window.pin(seen + pending.length),
    outgoing,
    sent({ messages }, report) {
      shared = messages.length;
      if (report !== undefined) window.observe(report);
    },
    counted: (tokens) => window.observe({ input_tokens: tokens }),
    shrink(overflow) {
      const limit = smaller(overflow, estimate, config.limit);
      if (overflow.limit !== undefined) learned = limit;
      if (overflow.size !== undefined) window.observe({ input_tokens: overflow.size });
      config = limited(config, limit);
      window = new ConversationWindow<M>(config, { ...parts, state: window.state() });
    },
    metrics: () => ({
      messageCount: kept + pending.length,
      estimatedTokens: estimate + window.estimateTokens(pending),
    }),
    settle: () =>
      outgoing().then(
        () => {},
        () => {},
      ),
    recall: (handle) =>
      window.recall(handle).then(recalledText, (error: unknown) => {
        if (isHoldfastError(error) && error.code === 'UNKNOWN_HANDLE') return undefined;
        throw error;
      }),
    save: () => ({
      version: 1,
      fingerprint,
      shared,
      pending: [...pending],
      ...(learned === undefined ? {} : { limit: learned }),
      window: window.state(),
    }),
  };
}

/** The content of a result as its text, whole messages as a line of JSON each. */
function recalledText<M>({ messages, content }: Recalled<M>): string {
  if (content === undefined) return messages.map((message) => JSON.stringify(message)).join('\n');
  return typeof content === 'string' ? content : JSON.stringify(content, undefined, 1);
}

/** The configuration within a smaller limit. The engine names the parts of what is too large: `reserve` must not hide that. */
function limited(config: LimitedConfig, limit: number): LimitedConfig {
  const least = Math.min(config.limit, limit);
  const max_tokens = Math.min(config.max_tokens || least, least);
  return { ...config, limit: least, max_tokens, reserve: Math.min(config.reserve ?? 0, max_tokens - 1) };
}

/** Room for what is not counted alike on both sides, where the API told its own figures, and where it did not. */
const TOLD = 0.98;
const UNTOLD = 0.75;

/** The limit that makes the next view fit. `estimate` is what the view was thought to take. */
function smaller({ size, limit }: Overflow, estimate: number, before: number): number {
  const told = limit !== undefined && (size !== undefined || estimate > limit);
  const next = told ? limit * TOLD : Math.min(estimate, before) * UNTOLD;
  return Math.max(2, Math.floor(Math.min(next, before)));
}
