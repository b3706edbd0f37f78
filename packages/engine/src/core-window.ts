import type { ConversationHistoryConfig } from './config.ts';
import { checkList, HoldfastError } from './errors.ts';
import { focusWords } from './fold/focus.ts';
import { checkRedo, withPin } from './fold/pins.ts';
import type { Receipt } from './fold/receipt.ts';
import { pruneMessages, type TrimmedParts, trimMessages } from './fold/trim.ts';
import { newRevision, withScope } from './handles/handles.ts';
import { emptyMemory, originalView } from './history/memory.ts';
import { type Recalled, recallFrom } from './history/recall.ts';
import { frozen, plainJson } from './json/plain.ts';
import { isRecord } from './json/record.ts';
import type { Budget } from './size/budget.ts';
import { type Calibration, estimateTokens, type Load, UNCALIBRATED } from './size/tokens.ts';
import { ownArchive } from './state/archive.ts';
import { type KeptTurn, keptTurns, type WindowState } from './state/state.ts';
import type { Abortable, Summarizer } from './summaries/summaries.ts';
import { viewMessages } from './view/view.ts';
import { commit } from './window/commit.ts';
import { type CompactOptions, compactView } from './window/compact.ts';
import { budgetOf, type Core } from './window/core.ts';
import { boundsOf, createCore, DEFAULT_SUMMARY, missing, restore } from './window/create-core.ts';
import { dialectFor } from './window/dialect.ts';
import { type ConversationMetrics, type FitOptions, type Fitted, fitView } from './window/fit.ts';
import { observeUsage } from './window/observe.ts';
import type { CoreParts } from './window/parts.ts';
import { travel, withoutLastFold, withUndoneFold } from './window/travel.ts';
import { withUpdatedMemory } from './window/updated-memory.ts';

/** The keys that `resize()` changes. */
type Bounds = Pick<ConversationHistoryConfig, 'max_messages' | 'max_tokens' | 'limit' | 'reserve' | 'target'>;

interface Trimmed<T> extends TrimmedParts<T> {
  metrics: ConversationMetrics;
}

/**
 * Keeps one conversation bounded, valid, cheap and recoverable. It has one owner and makes one call at a time: a method that
 * would change it while `fit`, `adopt`, `compact`, `undo` or `redo` runs throws WINDOW_BUSY.
 */
export class CoreWindow<M = unknown> {
  readonly #core: Core<M>;
  #given: ConversationHistoryConfig;
  readonly #hasOwnArchive: boolean;
  /** The load of the last view, for `observe()`. */
  #sent: Load | undefined;
  #busy = false;

  /** Throws BAD_CONFIG or BAD_STATE. */
  constructor(config: ConversationHistoryConfig, parts: CoreParts<M>) {
    this.#core = createCore(config, parts);
    this.#given = config;
    this.#hasOwnArchive = parts.archive === undefined;
  }

  /** The first messages, the last, and the newest in between, by whole turns. Stateless and pure. Throws INVALID_HISTORY. */
  trim<T extends M>(messages: readonly T[]): Trimmed<T> {
    checkList(messages);
    const { trim_messages: max, preserve_first_n: first, preserve_last_n: last } = this.#core.config;
    const parts = trimMessages(dialectFor(this.#core, messages), messages, max, first, last);
    if (messages.length > max && first + last >= max) this.#core.warnFull('only head and tail are kept');
    return this.#measured(messages, parts);
  }

  /**
   * The newest whole turns of at most `limit` messages, by default `max_messages`, after leading system messages and a user
   * message. Stateless and pure. A limit of 0 or less only warns. Throws INVALID_HISTORY.
   */
  pruneHistory<T extends M>(messages: readonly T[], limit: number = this.#core.config.trim_messages): Trimmed<T> {
    checkList(messages);
    const isLimit = typeof limit === 'number' && limit > 0;
    if (!isLimit)
      this.#core.warn(`pruneHistory(): limit is ${String(limit)}, so nothing is pruned: expected 1 or more`);
    const most = isLimit ? limit : Number.POSITIVE_INFINITY;
    return this.#measured(messages, pruneMessages(dialectFor(this.#core, messages), messages, most));
  }

  /** Characters of everything that is sent, divided by 4 and rounded up; images and documents by formula. Pure. */
  estimateTokens(messages: readonly M[]): number {
    checkList(messages);
    return estimateTokens(messages, dialectFor(this.#core, messages, true));
  }

  /**
   * Returns the view of this history: what to send. Call it before each request with the whole history or, with `offset`, the
   * part from that message on. With `repair`, always pass the whole history: it is repaired first, and indexes, handles and
   * receipts refer to the repaired one. `rest`: nothing is about to be sent, so the last answer may end in any way.
   * `transient`: messages for this request only, such as a clock. They end the view, count against the budget
   * and do not become part of the history. Throws INVALID_HISTORY or OVER_BUDGET; then the window stays as it was.
   */
  async fit(history: readonly M[], options: FitOptions<M> = {}): Promise<Fitted<M>> {
    return this.#alone(async () => {
      const { transient = [], offset = 0, ...given } = options ?? {};
      checkOptions(given);
      const last = Array.isArray(transient) ? transient : [transient as M];
      const input = { history, offset, rest: given.rest || last.length > 0 };
      const { fitted, sent } = await withUpdatedMemory(this.#core, input, (memory) =>
        fitView(this.#core, memory, last, given),
      );
      this.#sent = sent;
      return fitted;
    });
  }

  /** Adds messages without folding, however large the view becomes. Throws INVALID_HISTORY. */
  async adopt(history: readonly M[], options: { readonly offset?: number } = {}): Promise<void> {
    const { offset = 0 } = options ?? {};
    const { config } = this.#core;
    const unbounded = Number.POSITIVE_INFINITY;
    await this.#alone(async () => {
      this.#core.config = { ...config, max_messages: unbounded, max_tokens: unbounded, limit: unbounded };
      try {
        await withUpdatedMemory(this.#core, { history, offset, rest: true }, (memory) => commit(this.#core, memory));
      } finally {
        this.#core.config = config;
      }
    });
  }

  /** Changes these bounds from the next fold on; the view stays as it is. Throws BAD_CONFIG. */
  resize(bounds: Bounds): void {
    this.#checkFree();
    const given = { ...this.#given, ...bounds };
    Object.assign(this.#core, boundsOf(given));
    this.#given = given;
  }

  /**
   * Changes messages of the view in place, such as those that an API no longer accepts; false if `change` returns each one
   * unchanged. The history and the archive keep the originals.
   */
  mapView(change: (message: M) => M): boolean {
    this.#checkFree();
    const state = this.state();
    const view = state.view.map((message) => change(message));
    if (view.every((message, i) => message === state.view[i])) return false;
    restore(this.#core, { ...state, view });
    this.#sent = undefined;
    this.#core.summaries?.reset();
    return true;
  }

  /** The bounds of the view, with the strategy's defaults and what `observe()` learned; Infinity means no bound. */
  get budget(): Budget {
    return budgetOf(this.#core);
  }

  /** What `observe()` learned. */
  get calibration(): Calibration {
    return plainJson(this.#core.calibration) as Calibration;
  }

  /** How many messages of the history it has seen. */
  get seen(): number {
    return this.#core.memory.seen;
  }

  /** Folds made and not undone. */
  get folds(): number {
    return this.#core.memory.folds;
  }

  /**
   * Folds now, down to the target. `preview` only says what that would do, without asking a model. `focus`: words that should
   * stay longer. Throws INVALID_HISTORY or OVER_BUDGET.
   */
  async compact(history: readonly M[], options: CompactOptions = {}): Promise<Receipt> {
    return this.#alone(async () => {
      const { offset = 0, ...given } = options ?? {};
      checkOptions(given);
      const { focus } = given;
      if (focus && focusWords(focus).length === 0)
        this.#core.warn(`compact(): no word of "${focus}" is long enough to search for`);
      return withUpdatedMemory(this.#core, { history, offset, rest: true }, (memory) =>
        compactView(this.#core, memory, given),
      );
    });
  }

  /**
   * Undoes the newest fold: the view is as if it had not happened, and the next fold waits until the view has grown by as much
   * as the fold had freed, or exceeds `limit`. If earlier calls passed folded messages again, the next one must pass them, too:
   * you may have edited them. Undefined if there is nothing to undo. Throws OVER_BUDGET if the view would exceed `limit`.
   */
  async undo(): Promise<Receipt | undefined> {
    const memory = withoutLastFold(this.#core.memory);
    return memory && this.#alone(() => travel(this.#core, memory, 'undo'));
  }

  /**
   * Redoes the last undone fold. Undefined if there is none: a new fold or an edit discards them. Throws BAD_PIN if it
   * would touch a message pinned since.
   */
  async redo(): Promise<Receipt | undefined> {
    const memory = withUndoneFold(this.#core.memory);
    const entry = memory?.log.at(-1);
    if (!memory || !entry) return undefined;
    checkRedo(entry, memory.pins);
    return this.#alone(() => travel(this.#core, memory, 'redo'));
  }

  /**
   * Protects this message of the history, and its turn, from folds. It may be a message still to come. Throws BAD_PIN if pins
   * would take more than half of the budget, or if the message is folded away.
   */
  pin(index: number): void {
    this.#checkFree();
    const { memory, calibration } = this.#core;
    this.#core.memory = { ...memory, pins: withPin(memory, index, this.budget, calibration) };
  }

  unpin(index: number): void {
    this.#checkFree();
    const { memory } = this.#core;
    this.#core.memory = { ...memory, pins: memory.pins.filter((pin) => pin !== index) };
  }

  /** Learns from the provider's usage object for the last view, or a response that contains it. The view stays as it is. */
  observe(usage: unknown): void {
    observeUsage(this.#core, usage, this.#sent ?? this.#core.memory.load);
  }

  /** The originals that a handle names, and the content of one result if it names one. Throws UNKNOWN_HANDLE. */
  recall(handle: string): Promise<Recalled<M>> {
    const { archive, format, memory } = this.#core;
    return recallFrom(archive, format.dialect, memory, handle);
  }

  /** A summary of these messages by this model; empty, without asking it, if they contain no words. Throws PROVIDER_FAILED. */
  async summarize(messages: readonly M[], provider: Summarizer): Promise<string> {
    checkList(messages);
    const { summary_max_tokens: max, summarization_model: model, summary_timeout_ms: timeout } = this.#core.config;
    const { summaries } = this.#core.parts;
    if (!summaries) throw missing('summaries', 'parts.summaries for summarize()');
    const readable = messages.filter((message) => isRecord(message));
    const dialect = dialectFor(this.#core, messages);
    return summaries.of(dialect, readable, { summarizer: provider, model, timeout }, max || DEFAULT_SUMMARY.max_tokens);
  }

  /** Plain JSON from which another window continues without deciding anything again. */
  state(): WindowState<M> {
    const { memory, uncommitted, format, calibration } = this.#core;
    const { view, log, undone, hold, pins, folds, seen, transient, unsent, bareTo, passedAgain, unchecked } = memory;
    const revisions = uncommitted ? newRevision(uncommitted.revisions, seen) : memory.revisions;
    return {
      version: 1,
      dialect: format.dialect.name,
      revisions: revisions.map(frozen),
      folds,
      seen,
      log: [...log],
      undone: [...undone],
      ...(hold ? { hold: { ...hold } } : {}),
      pins: [...pins],
      view: viewMessages(originalView(memory)).map(plainJson) as M[],
      turns: plainJson(keptTurns(view.turns)) as KeptTurn[],
      calibration: plainJson(calibration) as Calibration,
      ...(transient ? { transient } : {}),
      ...(unsent ? { unsent } : {}),
      ...(bareTo === undefined ? {} : { bareTo }),
      ...(passedAgain === undefined ? {} : { passedAgain }),
      ...(unchecked === undefined ? {} : { unchecked }),
    };
  }

  /** Forgets the conversation and what it learned. With the caller's archive, the next conversation gets new handles. */
  reset(): void {
    this.#checkFree();
    const core = this.#core;
    const { revisions } = core.uncommitted ?? core.memory;
    core.memory = emptyMemory(
      this.#hasOwnArchive ? withScope([], 0, revisions.at(-1)?.[2]) : newRevision(revisions, 0),
    );
    if (this.#hasOwnArchive) core.archive = ownArchive<M>();
    core.calibration = UNCALIBRATED;
    core.uncommitted = undefined;
    core.format = { ...core.format, certain: core.named };
    core.summaries?.reset();
    this.#sent = undefined;
  }

  #measured<T extends M>(messages: readonly T[], { trimmed, evicted }: TrimmedParts<T>): Trimmed<T> {
    const metrics = {
      totalMessages: messages.length,
      preservedMessages: trimmed.length,
      evictedMessages: evicted.length,
      estimatedTokens: this.estimateTokens(trimmed),
    };
    return { trimmed, evicted, metrics };
  }

  #checkFree(): void {
    if (!this.#busy) return;
    throw new HoldfastError('WINDOW_BUSY', 'the window is busy: await each call before the next one');
  }

  /** Runs one call at a time. A call that commits nothing leaves the dialect as it was. */
  async #alone<T>(run: () => Promise<T>): Promise<T> {
    this.#checkFree();
    this.#busy = true;
    const { format, memory } = this.#core;
    try {
      return await run();
    } finally {
      this.#busy = false;
      if (this.#core.memory === memory) this.#core.format = format;
    }
  }
}

/** Throws BAD_CONFIG for an invalid signal or focus, and whatever an aborted signal throws. */
function checkOptions({ signal, focus = '' }: { readonly signal?: Abortable; readonly focus?: string }): void {
  const isSignal = signal === undefined || typeof signal?.throwIfAborted === 'function';
  if (!isSignal || typeof focus !== 'string')
    throw new HoldfastError('BAD_CONFIG', isSignal ? 'focus: expected a text' : 'signal: expected an AbortSignal');
  signal?.throwIfAborted();
}
