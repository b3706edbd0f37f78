import { boundsOf, type CallResult, type WindowPosition } from '@holdfast/sessions';
import {
  type ConversationHistoryConfig,
  ConversationWindow,
  type Dialect,
  type FitMetrics,
  isHoldfastError,
  type Receipt,
  repairHistory,
  type Size,
  type WindowParts,
} from 'holdfast';
import { attempt } from '../attempt.ts';
import { defined } from '../defined.ts';
import type { AddedReminder, ExecutionOptions } from '../providers/provider.ts';
import type { Api, ApiRequest } from './api.ts';
import { type ConversationLog, createConversationLog, type Spent } from './conversation-log.ts';
import type { Overflow } from './overflow.ts';
import { badState, freshState, type SavedConversation, withoutThinking } from './saved.ts';

/** A view, ready to be sent, and its figures. */
export interface Fitted<M> extends ApiRequest<M> {
  readonly metrics: FitMetrics;
}

export interface ConversationSetup<M> {
  readonly config: LimitedConfig;
  readonly parts: WindowParts<M> & { readonly dialect: Dialect<M> };
  readonly saved: SavedConversation<M> | undefined;
  /** Of model, system prompt and tools: thinking is bound to them. */
  readonly fingerprint: string;
  /** How messages of earlier executions are sent by this one. */
  readonly api: Pick<Api<M>, 'dialect' | 'withoutThinking' | 'restored'>;
  readonly onFold: (receipt: Receipt, metrics: FitMetrics) => void;
  readonly onReminder: (reminder: AddedReminder) => void;
  readonly record?: NonNullable<ExecutionOptions['record']>;
}

type LimitedConfig = ConversationHistoryConfig & { readonly limit: number };

/** A conversation with a model: takes in what was said, gives what to send, and records both. Single owner. */
export class Conversation<M> {
  readonly #setup: ConversationSetup<M>;
  readonly #window: ConversationWindow<M>;
  readonly #log: ConversationLog<M>;
  /** Messages that are not in the window yet. */
  #pending: readonly M[];
  /** How many messages at its start the view has in common with the last request that was answered. */
  #shared: number;
  /** The limit that the API named, if it is smaller than the known one. */
  #learned: number | undefined;
  /** Of the last view. */
  #size: Size;
  /** Who speaks, once the log says so. */
  #speaker: { readonly provider: string; readonly model: string } | undefined;
  #isRecorded: boolean;

  /** Throws BAD_CONFIG or BAD_STATE. */
  constructor(setup: ConversationSetup<M>) {
    const { config, parts, fingerprint } = setup;
    const saved = setup.saved && freshState(setup.saved, fingerprint, setup.api);
    this.#setup = setup;
    this.#isRecorded = saved?.fingerprint === fingerprint;
    this.#learned = this.#isRecorded ? saved?.limit : undefined;
    const bounds = this.#learned === undefined ? {} : within(config, this.#learned);
    this.#window = openWindow({ ...config, ...bounds }, parts, saved);
    this.#pending = saved?.pending ?? [];
    this.#shared = saved?.shared ?? 0;
    this.#size = { messages: saved?.window.view.length ?? 0, tokens: 0 };
    this.#log = createConversationLog<M>(setup.record, saved?.dropped);
  }

  get folds(): number {
    return this.#window.folds;
  }

  /** Tokens that may be sent. */
  get limit(): number {
    return this.#window.budget.limit;
  }

  /** The size above which it folds; Infinity where there is no limit. */
  get max(): Size {
    return this.#window.budget.max;
  }

  /** Records who speaks, if that has changed. */
  async begin(provider: string, model: string): Promise<void> {
    this.#speaker = { provider, model };
    if (this.#isRecorded) return;
    this.#isRecorded = true;
    await this.#recordSpeaker();
  }

  async add(messages: readonly M[]): Promise<void> {
    this.#pending = [...this.#pending, ...(await this.#log.keep(messages))];
  }

  /** Records a result until all results of its answer are added. */
  async keep(result: CallResult): Promise<void> {
    await this.#log.keep([], [{ type: 'result', ...result }]);
  }

  /** Pins the message that is added next. If that exceeds the quota of pins, `view()` throws. */
  pinNext(): Promise<void> {
    return this.pin(this.#window.seen + this.#pending.length);
  }

  async pin(index: number): Promise<void> {
    this.#window.pin(index);
    await this.#log.keep([], [{ type: 'pin', index }]);
  }

  async unpin(index: number): Promise<void> {
    this.#window.unpin(index);
    await this.#log.keep([], [{ type: 'unpin', index }]);
  }

  /** What to send now. Throws INVALID_HISTORY, or OVER_BUDGET with each part that cannot be folded away. */
  async view(signal?: AbortSignal): Promise<Fitted<M>> {
    const options = defined({ offset: this.#window.seen, signal });
    const { messages, metrics, receipt, note, reminder } = await this.#widened(() =>
      this.#window.fit(this.#pending, options),
    );
    this.#pending = [];
    this.#size = { messages: metrics.preservedMessages, tokens: metrics.estimatedTokens };
    if (receipt) {
      await this.#folded(receipt);
      this.#setup.onFold(receipt, metrics);
    }
    if (reminder) {
      await this.#log.keep([], [{ type: 'reminder', at: reminder.at, text: reminder.text }]);
      this.#setup.onReminder(reminder);
    }
    return { messages, metrics, ...defined({ note, previous: this.#shared > 0 ? this.#shared - 1 : undefined }) };
  }

  /** Folds now; with `preview` it only says what a fold would do, with the sizes of the view and all said since. */
  async compact(options: { readonly focus?: string; readonly preview?: boolean }): Promise<Receipt> {
    const given = { offset: this.#window.seen, ...options };
    const receipt = await this.#widened(() => this.#window.compact(this.#pending, given));
    if (options.preview) return receipt;
    this.#pending = [];
    this.#size = receipt.after;
    if (receipt.fold > 0) await this.#folded(receipt);
    return receipt;
  }

  /** Undoes the newest fold, or redoes the last undone one; undefined if there is none. Throws OVER_BUDGET. */
  async travel(type: 'unfold' | 'refold'): Promise<Receipt | undefined> {
    // Folds nothing: thinking in what was said last is bound to the present view.
    await this.#window.adopt(this.#pending, { offset: this.#window.seen });
    this.#pending = [];
    const receipt = await (type === 'unfold' ? this.#window.undo() : this.#window.redo());
    if (!receipt) return undefined;
    this.#shared = Math.min(this.#shared, receipt.changed_from);
    this.#size = receipt.after;
    const { seen, turns, hold } = this.#window.state();
    await this.#log.keep([], [defined({ type, receipt, seen, turns, hold })]);
    return receipt;
  }

  /** Takes note that this was sent and answered; `report` is the API's usage object. */
  answered({ messages }: ApiRequest<M>, report: unknown): void {
    this.#shared = messages.length;
    if (report !== undefined) this.#window.observe(report);
  }

  /** What a request used and, if it was answered, the tokens of the whole history. Recorded with what is added next. */
  used(spent: Spent, historyTokens?: number): void {
    const place = (): WindowPosition => ({
      seen: this.#window.seen,
      sent: this.#shared,
      calibration: this.#window.calibration,
      historyTokens: historyTokens ?? 0,
      max: boundsOf(this.#window.budget.max),
      ...this.#limit(),
    });
    this.#log.used(spent, historyTokens === undefined ? undefined : place);
  }

  /** How many tokens the API counts for the last view. */
  counted(tokens: number): void {
    this.#window.observe({ input_tokens: tokens });
  }

  /** Makes the next view fit, from what the API said about the last one. */
  shrink(overflow: Overflow): void {
    const limit = smaller(overflow, this.#size.tokens, this.limit);
    if (overflow.limit !== undefined) this.#learned = limit;
    if (overflow.size !== undefined) this.counted(overflow.size);
    this.#window.resize(within(this.#setup.config, limit));
  }

  /** Drops all thinking that only its maker can read, from now on and in the state; false if there is none. */
  async dropThinking(): Promise<boolean> {
    const bare = (message: M) => withoutThinking(message, this.#setup.api);
    const pending = this.#pending.map(bare);
    const isChanged = this.#window.mapView(bare) || pending.some((message, i) => message !== this.#pending[i]);
    if (!isChanged) return false;
    this.#pending = pending;
    this.#shared = 0;
    await this.#recordSpeaker();
    return true;
  }

  /** Tokens of these messages by their characters. */
  estimate(messages: readonly M[]): number {
    return this.#window.estimateTokens(messages);
  }

  metrics(): { messageCount: number; estimatedTokens: number } {
    return {
      messageCount: this.#size.messages + this.#pending.length,
      estimatedTokens: this.#size.tokens + this.estimate(this.#pending),
    };
  }

  /**
   * Takes in what was said last, so that the saved state is bounded. What no later request could contain, because it breaks a
   * rule or is too large from the start, is repaired or dropped, unless a log keeps it. Never throws.
   */
  async settle(): Promise<void> {
    await this.#log.keep([]);
    const failed = await this.view().then(
      () => false,
      (error) => !this.#setup.record && this.#isHopeless(error),
    );
    if (!failed) return;
    const { dialect } = this.#setup.parts;
    // Repaired without the rest of the history.
    this.#pending = attempt(() => repairHistory(this.#pending, { dialect }).messages) ?? [];
    await this.view().catch((error: unknown) => {
      if (this.#isHopeless(error)) this.#pending = [];
    });
  }

  /** The text behind a handle; undefined if there is none. */
  async recall(handle: string): Promise<string | undefined> {
    try {
      const { messages, content } = await this.#window.recall(handle);
      if (content === undefined) return messages.map((message) => JSON.stringify(message)).join('\n');
      return typeof content === 'string' ? content : JSON.stringify(content, undefined, 1);
    } catch (error) {
      if (isHoldfastError(error) && error.code === 'UNKNOWN_HANDLE') return undefined;
      throw error;
    }
  }

  /** For the next execution: the window's state, and what it has not seen yet. */
  save(): SavedConversation<M> {
    const window = this.#window.state();
    return {
      version: 1,
      fingerprint: this.#setup.fingerprint,
      shared: this.#shared,
      pending: [...this.#pending],
      ...this.#limit(),
      dropped: this.#log.dropped(window),
      window,
    };
  }

  /** No later request could contain it either. */
  #isHopeless(error: unknown): boolean {
    if (!isHoldfastError(error)) return false;
    return error.code === 'OVER_BUDGET' ? this.#window.seen === 0 : error.code === 'INVALID_HISTORY';
  }

  #limit(): { readonly limit?: number } {
    return this.#learned === undefined ? {} : { limit: this.#learned };
  }

  async #recordSpeaker(): Promise<void> {
    const { fingerprint, parts } = this.#setup;
    const { provider = '', model = '' } = this.#speaker ?? {};
    const from = this.#window.seen + this.#pending.length;
    await this.#log.keep([], [{ type: 'model', provider, model, dialect: parts.dialect.name, fingerprint, from }]);
  }

  async #folded(receipt: Receipt): Promise<void> {
    this.#shared = Math.min(this.#shared, receipt.changed_from);
    await this.#log.fold(receipt, () => this.#window.state());
  }

  /** No API refuses a request for its number of messages, so if only that is over the budget, the limit yields for one call. */
  async #widened<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      const most = messagesOver(error);
      if (most === undefined) throw error;
      const { messages } = this.max;
      this.#window.resize({ max_messages: most });
      try {
        return await act();
      } finally {
        this.#window.resize({ max_messages: messages });
      }
    }
  }
}

/** A new window, or one that continues. Throws BAD_CONFIG, and BAD_STATE in the caller's terms. */
function openWindow<M>(
  config: LimitedConfig,
  parts: ConversationSetup<M>['parts'],
  saved: SavedConversation<M> | undefined,
): ConversationWindow<M> {
  try {
    return new ConversationWindow<M>(config, { ...parts, ...(saved ? { state: saved.window } : {}) });
  } catch (error) {
    if (!isHoldfastError(error) || error.code !== 'BAD_STATE') throw error;
    throw badState({ restoring: error.message });
  }
}

/** How many messages a view needs that is over its budget in nothing else; undefined for any other error. */
function messagesOver(error: unknown): number | undefined {
  if (!isHoldfastError(error) || error.code !== 'OVER_BUDGET') return undefined;
  const { floor, max } = error.details as { readonly floor?: Size; readonly max?: Size };
  if (!floor || !max || floor.messages <= max.messages || floor.tokens > max.tokens) return undefined;
  return floor.messages;
}

/** The bounds within a limit. The engine names the parts of what is too large, so `reserve` must leave room for messages. */
function within({ limit: known, max_tokens: wanted, reserve = 0 }: LimitedConfig, limit: number) {
  const least = Math.min(known, limit);
  const max_tokens = Math.min(wanted || least, least);
  return { limit: least, max_tokens, reserve: Math.min(reserve, max_tokens - 1) };
}

/** Margins for what both sides count differently: where the API gave its own figures, and where it did not. */
const WITH_FIGURES = 0.98;
const WITHOUT_FIGURES = 0.75;

/** The limit that makes the next view fit. `estimate` is the estimated size of the last one. */
function smaller({ size, limit }: Overflow, estimate: number, before: number): number {
  const isNamed = limit !== undefined && (size !== undefined || estimate > limit);
  const next = isNamed ? limit * WITH_FIGURES : Math.min(estimate, before) * WITHOUT_FIGURES;
  return Math.max(2, Math.floor(Math.min(next, before)));
}
