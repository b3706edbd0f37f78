import type { WindowPlace } from '@holdfast/sessions';
import {
  type ConversationHistoryConfig,
  ConversationWindow,
  type Dialect,
  type FitMetrics,
  HoldfastError,
  isHoldfastError,
  type Recalled,
  type Receipt,
  repairHistory,
  type Size,
  type WindowParts,
} from 'holdfast';
import type { ExecutionOptions } from '../providers/provider.ts';
import type { Api, CallResult, Outgoing } from './api.ts';
import { createLog, type Spent } from './conversation-log.ts';
import type { Overflow } from './overflow.ts';
import { changed, freshState, type SavedConversation, unthought } from './saved.ts';
import { foldsAbove } from './window-config.ts';

/** A conversation with a model: what was said goes in, what is to be sent comes out. */
export interface Conversation<M> {
  /** Records who speaks, if that is another than before. */
  begin(provider: string, model: string): Promise<void>;
  add(messages: readonly M[]): Promise<void>;
  /** Keeps a result on the disk until all results of its answer are added. */
  keep(result: CallResult): Promise<void>;
  /** No fold touches what is added next. What goes beyond the quota of pins is said by `outgoing`. */
  pinNext(): Promise<void>;
  pin(index: number): Promise<void>;
  unpin(index: number): Promise<void>;
  compact(options: { readonly focus?: string; readonly preview?: boolean }): Promise<Receipt>;
  /** What the next fold would do: it has the sizes of the view with all that was said. */
  look(): Promise<Receipt>;
  undo(): Promise<Receipt | undefined>;
  redo(): Promise<Receipt | undefined>;
  /** What to send now. Throws INVALID_HISTORY, or OVER_BUDGET with each part of what cannot be folded away. */
  outgoing(signal?: AbortSignal): Promise<Fitted<M>>;
  /** Says that this was sent and answered; `report` is what the API counted. */
  sent(outgoing: Outgoing<M>, report: unknown): void;
  /** What a request took, and for one that was answered what the whole history took. Recorded with what is added next. */
  used(spent: Spent, historyTokens?: number): void;
  /** Says how many tokens the API counts for what is about to be sent. */
  counted(tokens: number): void;
  /** The next view is one that fits, by what the API said of this one. */
  shrink(overflow: Overflow): void;
  /** Leaves out all thinking that only its maker can read, from now on and in the state; false if there is none. */
  unthink(): Promise<boolean>;
  readonly folds: number;
  /** Tokens that may be sent. */
  readonly limit: number;
  /** What a fold is due above; Infinity where there is no limit. */
  readonly max: Size;
  /** Tokens of these messages by their characters. */
  estimate(messages: readonly M[]): number;
  metrics(): { messageCount: number; estimatedTokens: number };
  /**
   * Takes in what was said last, so that what is saved is bounded. What no later request could be made with either, as it
   * breaks a rule or is too large to begin with, is repaired or left out. Never throws.
   */
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
  /** How messages of earlier executions are sent by this one. */
  readonly api: Pick<Api<M>, 'dialect' | 'unthought' | 'restored'>;
  readonly onFold: (receipt: Receipt, metrics: FitMetrics) => void;
  readonly record?: NonNullable<ExecutionOptions['record']>;
}

/** Starts a conversation, or goes on with one that was saved. Throws BAD_CONFIG or BAD_STATE. */
export function createConversation<M>(setup: ConversationSetup<M>): Conversation<M> {
  const { parts, fingerprint, api } = setup;
  const saved = setup.saved && freshState(setup.saved, fingerprint, api);
  let learned = saved?.fingerprint === fingerprint ? saved.limit : undefined;
  let config = learned === undefined ? setup.config : limited(setup.config, learned);
  let window = opened(config, parts, saved);
  let seen = saved?.window.seen ?? 0;
  let pending: M[] = [...(saved?.pending ?? [])];
  let note = saved?.window.log.at(-1)?.note;
  let folds = saved?.window.folds ?? 0;
  /** How many of its first messages the view has in common with the last request that was answered. */
  let shared = saved?.shared ?? 0;
  let estimate = 0;
  let kept = saved?.window.view.length ?? 0;
  const log = createLog<M>(setup.record, saved?.dropped);
  /** The log knows who speaks. */
  let isKnown = saved?.fingerprint === fingerprint;
  let speaker = { provider: '', model: '' };
  /** Records that what was said up to here was said by somebody else. */
  const introduce = () => {
    const from = seen + pending.length;
    return log.keep([], [{ type: 'model', ...speaker, dialect: parts.dialect.name, fingerprint, from }]);
  };

  /** Takes in what was said last, and folds nothing: thinking in it is bound to the view that stands now. */
  const takeIn = async () => {
    if (pending.length === 0) return;
    const { hold, ...state } = window.state();
    const wide = new ConversationWindow<M>({ max_messages: 0 }, { ...parts, state });
    await wide.fit(pending, { offset: seen, rest: true });
    window = new ConversationWindow<M>(config, { ...parts, state: { ...wide.state(), ...(hold ? { hold } : {}) } });
    seen += pending.length;
    pending = [];
  };
  const travel = async (type: 'unfold' | 'refold') => {
    await takeIn();
    const receipt = await (type === 'unfold' ? window.undo() : window.redo());
    if (!receipt) return undefined;
    const { folds: now, turns, hold, log: standing, view } = window.state();
    shared = Math.min(shared, receipt.changed_from);
    [folds, kept, note] = [now, view.length, standing.at(-1)?.note];
    await log.keep([], [{ type, receipt, seen, turns, ...(hold ? { hold } : {}) }]);
    return receipt;
  };
  /**
   * With the window or, where what cannot be folded away has more messages than a view may have, and is within its tokens,
   * with one that is as wide: no API refuses a request for the number of its messages. The next fold has the limit again.
   */
  const widened = async <T>(act: (window: ConversationWindow<M>) => Promise<T>): Promise<T> => {
    try {
      return await act(window);
    } catch (error) {
      const most = messagesOver(error);
      if (most === undefined) throw error;
      const wide = new ConversationWindow<M>({ ...config, max_messages: most }, { ...parts, state: window.state() });
      const done = await act(wide);
      window = new ConversationWindow<M>(config, { ...parts, state: wide.state() });
      return done;
    }
  };
  const look = () => widened((own) => own.compact(pending, { offset: seen, preview: true }));
  const pinAt = async (index: number) => {
    window.pin(index);
    await log.keep([], [{ type: 'pin', index }]);
  };

  const outgoing = async (signal?: AbortSignal): Promise<Fitted<M>> => {
    const options = { offset: seen, ...(signal ? { signal } : {}) };
    const { messages, metrics, receipt } = await widened((own) => own.fit(pending, options));
    seen = metrics.totalMessages;
    pending = [];
    ({ estimatedTokens: estimate, preservedMessages: kept, folds } = metrics);
    if (receipt) {
      shared = Math.min(shared, receipt.changed_from);
      note = receipt.note;
      await log.fold(receipt, () => window.state());
      setup.onFold(receipt, metrics);
    }
    const { dialect } = parts;
    // A dialect may say it in words of its own.
    const said = note === undefined ? undefined : dialect.text(dialect.note('user', note));
    const at = said === undefined ? -1 : messages.findIndex((message) => dialect.text(message) === said);
    const places = { ...(at < 0 ? {} : { note: at }), ...(shared > 0 ? { previous: shared - 1 } : {}) };
    return { messages, metrics, ...places };
  };

  const save = (): SavedConversation<M> => {
    const state = window.state();
    return {
      version: 1,
      fingerprint,
      shared,
      pending: [...pending],
      ...(learned === undefined ? {} : { limit: learned }),
      dropped: log.dropped(state),
      window: state,
    };
  };

  return {
    get folds() {
      return folds;
    },
    get limit() {
      return config.limit;
    },
    get max() {
      return foldsAbove(config);
    },
    estimate: (messages) => window.estimateTokens(messages),
    async begin(provider, model) {
      speaker = { provider, model };
      if (isKnown) return;
      isKnown = true;
      await introduce();
    },
    async add(messages) {
      pending.push(...(await log.keep(messages)));
    },
    async keep(result) {
      await log.keep([], [{ type: 'result', ...result }]);
    },
    pinNext: () => pinAt(seen + pending.length),
    pin: pinAt,
    async unpin(index) {
      window.unpin(index);
      await log.keep([], [{ type: 'unpin', index }]);
    },
    async compact(options) {
      const receipt = await widened((own) => own.compact(pending, { offset: seen, ...options }));
      if (options.preview) return receipt;
      seen += pending.length;
      pending = [];
      const { folds: now, view } = window.state();
      if (receipt.fold > 0) shared = Math.min(shared, receipt.changed_from);
      [folds, kept, note, estimate] = [now, view.length, receipt.note ?? note, receipt.after.tokens];
      await log.fold(receipt, () => window.state());
      return receipt;
    },
    look,
    undo: () => travel('unfold'),
    redo: () => travel('refold'),
    outgoing,
    used(spent, history_tokens) {
      const place = (): WindowPlace => ({
        seen,
        sent: shared,
        calibration: window.state().calibration,
        history_tokens: history_tokens ?? 0,
        ...(learned === undefined ? {} : { limit: learned }),
      });
      log.used(spent, history_tokens === undefined ? undefined : place);
    },
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
    async unthink() {
      let found = false;
      const bare = changed(save(), (message) => {
        const plain = unthought(message, api);
        found ||= plain !== message;
        return plain;
      });
      if (!found) return false;
      window = new ConversationWindow<M>(config, { ...parts, state: bare.window });
      pending = [...bare.pending];
      shared = 0;
      await introduce();
      return true;
    },
    metrics: () => ({
      messageCount: kept + pending.length,
      estimatedTokens: estimate + window.estimateTokens(pending),
    }),
    async settle() {
      await log.keep([]);
      // What is in a log stays: it can be taken back there.
      if (setup.record) return void (await outgoing().catch(() => undefined));
      const isLasting = (error: unknown) =>
        isHoldfastError(error) && (error.code === 'OVER_BUDGET' ? seen === 0 : error.code === 'INVALID_HISTORY');
      await outgoing().catch(async (error: unknown) => {
        if (!isLasting(error)) return;
        pending = repaired(pending, parts.dialect);
        await outgoing().catch((again: unknown) => {
          if (isLasting(again)) pending = [];
        });
      });
    },
    recall: (handle) =>
      window.recall(handle).then(recalledText, (error: unknown) => {
        if (isHoldfastError(error) && error.code === 'UNKNOWN_HANDLE') return undefined;
        throw error;
      }),
    save,
  };
}

/** The window at its beginning, or where it was. Throws BAD_STATE in words of who gave the state. */
function opened<M>(
  config: LimitedConfig,
  parts: ConversationSetup<M>['parts'],
  saved: SavedConversation<M> | undefined,
): ConversationWindow<M> {
  try {
    return new ConversationWindow<M>(config, { ...parts, ...(saved ? { state: saved.window } : {}) });
  } catch (error) {
    if (!isHoldfastError(error) || error.code !== 'BAD_STATE') throw error;
    const text = 'conversationState cannot be gone on with: pass what the execution before gave, or leave it out';
    throw new HoldfastError('BAD_STATE', text, { restoring: error.message });
  }
}

/** How many messages a view needs that is over its budget in nothing else; undefined for any other error. */
function messagesOver(error: unknown): number | undefined {
  if (!isHoldfastError(error) || error.code !== 'OVER_BUDGET') return undefined;
  const { floor, max } = error.details as { readonly floor?: Size; readonly max?: Size };
  if (!floor || !max || floor.messages <= max.messages || floor.tokens > max.tokens) return undefined;
  return floor.messages;
}

/** The messages made valid by themselves, if they can be. */
function repaired<M>(messages: readonly M[], dialect: Dialect<M>): M[] {
  try {
    return [...repairHistory(messages, { dialect }).messages];
  } catch {
    return [];
  }
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
