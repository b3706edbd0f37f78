import { type ConversationHistoryConfig, type ResolvedConfig, resolveConfig } from './config.ts';
import { frozen, isRecord, plainJson } from './content.ts';
import type { Dialect } from './dialect.ts';
import { dialectNamed, identify, recognized } from './dialects/detect.ts';
import { HoldfastError, isHoldfastError } from './errors.ts';
import { isDue } from './fold/ask-strategy.ts';
import { type FoldOutput, withSummary } from './fold/assemble.ts';
import { planCompact } from './fold/compact.ts';
import { focusWords } from './fold/focus.ts';
import { foldView } from './fold/fold.ts';
import type { FoldInput } from './fold/fold-turn.ts';
import { checkArrived, checkRedo, isPinned, withPin } from './fold/pins.ts';
import { makeReceipt, type Receipt } from './fold/receipt.ts';
import { pruneMessages, trimMessages } from './fold/trim.ts';
import { afterFold, anew, checkMessages, checkOffset, checkPart, restoreKnown, takeIn } from './history/append.ts';
import { goesOn } from './history/compare.ts';
import { apart, asGiven, coveredBy, type Given, heldBy, type Known, unknownYet, withView } from './history/memory.ts';
import { originalAt, type Recalled, recallFrom, unknownHandle } from './history/recall.ts';
import { firstPlace, newRepairs, repairAgain } from './history/repair.ts';
import { afresh } from './history/rewind.ts';
import { readTransient } from './history/transient.ts';
import { canUndo, heldUntil, isPast, rebuild, undoRefused } from './history/undo.ts';
import { EMPTY_DIGEST } from './note/digest.ts';
import { type Budget, exceeds, makeBudget, type Share, type Size } from './size/budget.ts';
import { overLimits, withoutBulk } from './size/media-limits.ts';
import {
  addLoads,
  type Calibration,
  calibrate,
  countedBy,
  estimateTokens,
  type Load,
  NO_LOAD,
  tokensOf,
  UNCALIBRATED,
} from './size/tokens.ts';
import { promptTokensOf } from './size/usage.ts';
import {
  type Archive,
  archiveAll,
  type Eras,
  type Hidden,
  handleOf,
  NOTHING_HIDDEN,
  newEra,
  newestEra,
  ownArchive,
} from './state/archive.ts';
import { checkState, type KeptTurn, keptTurns, stateDialect, type WindowState } from './state/state.ts';
import { idleKeys, strategiesOf, targetOf } from './strategies/index.ts';
import type { Strategy } from './strategy.ts';
import {
  FoldSummaries,
  NO_SUMMARY,
  pendingAfter,
  type Summary,
  type SummaryStyle,
} from './summaries/fold-summaries.ts';
import { type Abortable, Summaries, type Summarizer, summarizeAlone } from './summaries/summaries.ts';
import { checkList } from './turns/read-turns.ts';
import { firstDifference, isTooMuch, sendable, sizeOf, viewLoad, viewMessages } from './view/view.ts';
import { latestFrom, newCuts } from './view/view-turn.ts';
import { type ConversationMetrics, type FitMetrics, fitMetrics } from './window/metrics.ts';
import type { CachePrices, WindowEvent, WindowParts } from './window/parts.ts';

/** What `fit` takes besides the history. */
export interface FitOptions<M> {
  readonly offset?: number;
  readonly signal?: Abortable;
  readonly rest?: boolean;
  readonly transient?: M | readonly M[];
}

/** What `fit` gives: what to send, its size, and what a fold did if there was one. */
export interface Fitted<M> {
  messages: M[];
  metrics: FitMetrics;
  receipt?: Receipt;
  /** Index of the note in `messages`. */
  note?: number;
}

/** The keys that `resize()` changes. */
type Bounds = Pick<ConversationHistoryConfig, 'max_messages' | 'max_tokens' | 'limit' | 'reserve' | 'target'>;

interface PlanOptions {
  readonly focus?: string;
  readonly preview?: boolean;
  readonly signal?: Abortable;
  readonly rest?: boolean;
  readonly trims?: boolean;
  readonly transient?: { readonly load: Load };
}

type CompactOptions = Omit<PlanOptions, 'rest' | 'trims' | 'transient'> & { readonly offset?: number };

/** Share of the size at which the next fold is due from which on its summary may be begun. */
const FORESIGHT = 0.85;

/**
 * Keeps one conversation bounded, valid, cheap and recoverable. Single owner, one call at a time: what would change it while
 * `fit`, `compact`, `undo` or `redo` is at work throws WINDOW_BUSY.
 */
export class ConversationWindow<M = unknown> {
  #given: ConversationHistoryConfig = {};
  #config: ResolvedConfig;
  #strategies: readonly Strategy[];
  #share: Share;
  readonly #ownArchive: boolean;
  #archive: Archive<M>;
  readonly #logger: { warn(message: string): void };
  readonly #onEvent: ((event: WindowEvent) => void) | undefined;
  readonly #summaries: FoldSummaries<M> | undefined;
  readonly #summaryTokens: number;
  readonly #writePrice: number;
  readonly #tailGiven: boolean;
  readonly #tokens: WindowParts<M>['tokens'];
  readonly #named: boolean;
  #dialect: Dialect<M>;
  /** The same without the caller's counter. */
  #plain: Dialect<M>;
  #certain: boolean;
  #known: Known<M> = unknownYet();
  #calibration: Calibration = UNCALIBRATED;
  #sent: Load | undefined;
  /** A history that did not settle, from which the archive may hold messages under their names. */
  #offered: Known<M> | undefined;
  #busy = false;
  /** It was said that head and tail fill `max_messages`. */
  #warned = false;

  /** Throws BAD_CONFIG or BAD_STATE. */
  constructor(config: ConversationHistoryConfig = {}, given: WindowParts<M> = {}) {
    const parts = given ?? {};
    const { dialect, state } = parts;
    [this.#given, this.#config, this.#strategies, this.#share] = bounded(config);
    this.#tailGiven = config?.preserve_last_n !== undefined;
    this.#ownArchive = parts.archive === undefined;
    this.#archive = parts.archive ?? ownArchive<M>();
    this.#logger = parts.logger ?? consoleLogger();
    this.#onEvent = parts.onEvent;
    this.#writePrice = writePriceOf(parts.prices);
    this.#named = dialect !== undefined;
    this.#certain = this.#named;
    const known = typeof dialect === 'string' ? dialectNamed(dialect) : dialect;
    if (known !== undefined && typeof known?.read !== 'function')
      throw new HoldfastError('BAD_CONFIG', 'dialect: give the name of one or a Dialect', { key: 'dialect' });
    this.#tokens = parts.tokens;
    this.#plain = (known ?? dialectNamed('openai-chat')) as Dialect<M>;
    this.#dialect = this.#counted(this.#plain);
    if (state !== undefined) this.#restore(state);
    const { summarize_on_trim, summary_max_tokens } = this.#config;
    const own = this.#strategies.find((strategy) => strategy.summary)?.summary ?? DEFAULT_SUMMARY;
    const style = { ...own, max_tokens: summary_max_tokens || own.max_tokens };
    const wanted = summarize_on_trim ?? own !== DEFAULT_SUMMARY;
    this.#summaryTokens = wanted && parts.summarizer ? style.max_tokens : 0;
    if (wanted && parts.summarizer) this.#summaries = this.#makeSummaries(parts.summarizer, style);
    // A window that goes on was told when it began.
    for (const [key, name] of state === undefined ? idleKeys(this.#config.strategy, config ?? {}) : [])
      this.#logger.warn(`${key} does nothing without strategy: ${name}`);
    if (state === undefined && config?.max_messages !== undefined && config.max_conversation_messages !== undefined)
      this.#logger.warn('max_messages wins over max_conversation_messages: remove one of them');
    if (summarize_on_trim && !parts.summarizer)
      this.#logger.warn('summarize_on_trim: no parts.summarizer was given, the digest stands in');
  }

  /**
   * Head, newest of the middle, tail, and never a turn parted. Stateless and pure. Throws INVALID_HISTORY for what is no list
   * of messages.
   */
  trim<T extends M>(messages: readonly T[]): { trimmed: T[]; evicted: T[]; metrics: ConversationMetrics } {
    checkList(messages);
    const { max_messages: max, preserve_first_n: first, preserve_last_n: last } = this.#config;
    const { trimmed, evicted } = trimMessages(this.#dialectFor(messages), messages, max, first, last);
    if (messages.length > max && first + last >= max) this.#warnOnce('only head and tail are kept');
    return this.#measured(messages, trimmed, evicted);
  }

  /**
   * The newest whole turns of at most `limit` messages, by default `max_messages`, with leading system messages and a user
   * message in front. Stateless and pure. A limit of 0 or less does nothing but warn.
   */
  pruneHistory<T extends M>(
    messages: readonly T[],
    limit: number = this.#config.max_messages,
  ): { trimmed: T[]; evicted: T[]; metrics: ConversationMetrics } {
    checkList(messages);
    const isLimit = typeof limit === 'number' && limit > 0;
    if (!isLimit)
      this.#logger.warn(
        `pruneHistory(): nothing is pruned to ${String(limit)} messages: give a whole number from 1 on`,
      );
    const most = isLimit ? limit : Number.POSITIVE_INFINITY;
    const { trimmed, evicted } = pruneMessages(this.#dialectFor(messages), messages, most);
    return this.#measured(messages, trimmed, evicted);
  }

  /** Characters of all that is sent / 4, rounded up; images and documents by formula. Pure. */
  estimateTokens(messages: readonly M[]): number {
    checkList(messages);
    return estimateTokens(messages, this.#dialectFor(messages, true));
  }

  /**
   * The view of this history: what to send. Call it before each request with the whole history or, with `offset`, the part
   * from that message on. With `repair`, always the whole: it is repaired first, and places, handles and receipts count in
   * the repaired history. `rest` says that nothing is about to be sent: the last answer may end as it likes. `transient`:
   * messages for this request alone, such as a clock or a reminder. They end the view, count against the budget and are no
   * part of the history. Throws INVALID_HISTORY or OVER_BUDGET; then the window is as before.
   */
  async fit(history: readonly M[], options: FitOptions<M> = {}): Promise<Fitted<M>> {
    return this.#alone(() => this.#fit(history, options ?? {}));
  }

  async #fit(history: readonly M[], options: FitOptions<M>): Promise<Fitted<M>> {
    checkOptions(options);
    const { transient = [], offset = 0 } = options;
    const last = Array.isArray(transient) ? transient : [transient as M];
    const rest = options.rest || last.length > 0;
    return this.#reconciled({ history, offset, rest }, (known) => this.#fitTo(known, last, options));
  }

  async #fitTo(taken: Known<M>, last: readonly M[], options: FitOptions<M>): Promise<Fitted<M>> {
    const { transient: _, ...before } = taken;
    const transient = readTransient(this.#dialect, before, last, options.rest);
    // How an answer may end was not checked if it came with a call that sends nothing, or with a transient message behind it.
    if (taken.seen === this.#known.seen && last.length === 0)
      checkPart(this.#dialect, before.view.pieces.at(-1)?.messages.slice(-1) ?? [], taken.seen - 1, options.rest);
    const known = last.length === 0 ? before : { ...before, transient: last.length };
    const budget = this.#budget(known, transient.load);
    const size = sizeOf(known.load, budget, this.#calibration);
    const isBulky = overLimits(addLoads(known.load, [transient]), this.#dialect.limits) !== '';
    const reason = reasonFor(size, budget, isBulky);
    const isNew = known.seen > coveredBy(known);
    const due =
      isBulky ||
      (known.hold
        ? isPast(size, known.hold) || size.tokens > budget.limit
        : exceeds(size, budget.max) || (isNew && isDue(this.#strategies, size, budget)));
    const trims = !due && isNew && !known.hold && this.#isStale(known);
    const { signal } = options;
    const asked = { transient, trims, rest: options.rest || last.length > 0, ...(signal ? { signal } : {}) };
    const output = due || trims ? await this.#plan(known, budget, asked) : undefined;
    if (!due) await this.#foresee(known, budget, size);
    const receipt = output && this.#receipt(known, budget, output, reason);
    if (output && receipt) await this.#fold(known, output, receipt);
    else await this.#commit(known);
    this.#sent = addLoads(this.#known.load, [transient]);
    const { view } = this.#known;
    return {
      messages: sendable(this.#dialect, { ...view, pieces: view.pieces.concat(transient.pieces) }),
      metrics: fitMetrics(this.#known, budget, this.#calibration, last.length),
      ...(receipt ? { receipt } : {}),
      ...(view.note ? { note: addLoads(NO_LOAD, view.pieces.slice(0, view.head)).messages } : {}),
    };
  }

  /** Takes messages in and folds nothing, however large the view becomes. Throws INVALID_HISTORY. */
  async adopt(history: readonly M[], options: { readonly offset?: number } = {}): Promise<void> {
    const { offset = 0 } = options ?? {};
    const bounds = this.#config;
    const unbounded = Number.POSITIVE_INFINITY;
    await this.#alone(async () => {
      this.#config = { ...bounds, max_messages: unbounded, max_tokens: unbounded, limit: unbounded };
      try {
        await this.#reconciled({ history, offset, rest: true }, (known) => this.#commit(known));
      } finally {
        this.#config = bounds;
      }
    });
  }

  /** Changes these bounds of the budget from the next fold on; the view stays as it is. Throws BAD_CONFIG. */
  resize(bounds: Bounds): void {
    this.#checkFree();
    [this.#given, this.#config, this.#strategies, this.#share] = bounded({ ...this.#given, ...bounds });
  }

  /**
   * Changes messages of the view in place, such as those that an API no longer accepts; false if `change` returns each as it
   * was. The history and the archive keep the originals.
   */
  mapView(change: (message: M) => M): boolean {
    this.#checkFree();
    const state = this.state();
    const view = state.view.map((message) => change(message));
    if (view.every((message, i) => message === state.view[i])) return false;
    this.#restore({ ...state, view });
    this.#sent = undefined;
    this.#summaries?.reset();
    return true;
  }

  /** The bounds of the view, with the strategy's defaults and what `observe()` learned; Infinity where there is none. */
  get budget(): Budget {
    return this.#budget();
  }

  /** What `observe()` learned. */
  get calibration(): Calibration {
    return plainJson(this.#calibration) as Calibration;
  }

  /** How many messages of the history it has taken in. */
  get seen(): number {
    return this.#known.seen;
  }

  /** Folds made and not undone. */
  get folds(): number {
    return this.#known.folds;
  }

  /**
   * Folds now, down to the target; with `preview` only says what it would do, and asks no model. `focus`: words that should
   * stay longer.
   */
  async compact(history: readonly M[], options: CompactOptions = {}): Promise<Receipt> {
    return this.#alone(() => this.#compact(history, options ?? {}));
  }

  async #compact(history: readonly M[], options: CompactOptions): Promise<Receipt> {
    const { focus } = options;
    checkOptions(options);
    if (focus && focusWords(focus).length === 0)
      this.#logger.warn(`compact(): no word of "${focus}" is long enough to look for`);
    const { offset = 0 } = options;
    return this.#reconciled({ history, offset, rest: true }, (known) => this.#compactTo(known, options));
  }

  async #compactTo(known: Known<M>, options: CompactOptions): Promise<Receipt> {
    const budget = this.#budget(known);
    const isOver = exceeds(sizeOf(known.load, budget, this.#calibration), budget.max);
    const isNew = known.seen > coveredBy(known) || known.log.at(-1)?.trims === true;
    const compaction =
      isNew || isOver
        ? planCompact({ ...this.#foldInput(known, budget, options.focus), compacts: true })
        : { why: 'nothing was said since the last fold' };
    const { input, output: folded, why } = compaction;
    const output = input && folded && (await this.#summed(known, input, folded, { ...options, rest: true }));
    const unchanged = { view: known.view, turns: [], changedFrom: known.load.messages };
    const receipt = { ...this.#receipt(known, budget, output ?? unchanged, 'compact'), ...(why ? { why } : {}) };
    if (options.preview) {
      if (output) await this.#keepShown(known, output.hidden);
      return receipt;
    }
    if (output) await this.#fold(known, output, receipt);
    else await this.#commit(known);
    return receipt;
  }

  /**
   * Takes the newest fold back: the view stands as without it, and no fold is due until it has grown by as much as the fold
   * had freed, or passes `limit`. Undefined if there is none to take back. Throws OVER_BUDGET if the view would be over `limit`.
   */
  async undo(): Promise<Receipt | undefined> {
    const known = this.#known;
    const entry = known.log.at(-1);
    if (!entry || !canUndo(known)) return undefined;
    const log = known.log.slice(0, -1);
    return this.#travel({ ...known, log, undone: [entry, ...known.undone], folds: known.folds - 1 }, 'undo');
  }

  /**
   * Makes the fold again that was last undone. Undefined if there is none: a new fold or an edit forgets them. Throws BAD_PIN
   * if it would touch what was pinned since.
   */
  async redo(): Promise<Receipt | undefined> {
    const { hold: _, ...known } = this.#known;
    const [entry, ...undone] = known.undone;
    if (!entry) return undefined;
    checkRedo(entry, known.pins);
    return this.#travel({ ...known, log: [...known.log, entry], undone, folds: known.folds + 1 }, 'redo');
  }

  /**
   * No fold touches this message of the history, nor its turn, from when it arrives: it may be still to come. Throws BAD_PIN
   * beyond half of the budget, or if it is folded away.
   */
  pin(index: number): void {
    this.#checkFree();
    const pins = withPin(this.#known, index, this.#budget(), this.#calibration);
    this.#known = { ...this.#known, pins };
  }

  unpin(index: number): void {
    this.#checkFree();
    this.#known = { ...this.#known, pins: this.#known.pins.filter((pin) => pin !== index) };
  }

  /** Learns from the provider's usage object for the last view, or a response that holds it. Changes no present view. */
  observe(usage: unknown): void {
    const report = promptTokensOf(usage);
    if (report === undefined) {
      this.#logger.warn('observe(): no prompt tokens: pass the usage object of a response');
      return;
    }
    if (report.tokens > MOST_TOKENS) {
      this.#logger.warn(`observe(): ${report.tokens} tokens cannot be one prompt and are ignored`);
      return;
    }
    const { model } = report;
    const { model: before } = this.#calibration;
    if (model !== undefined && before !== undefined && model !== before)
      this.#emit({ type: 'calibration-reset', model });
    const { max_tokens: max } = this.#config;
    const learned = calibrate(this.#calibration, this.#sent ?? this.#known.load, report.tokens, model, max);
    const { fixed = 0 } = learned;
    if (fixed >= max)
      this.#logger.warn(
        `observe(): ${fixed} of ${report.tokens} tokens are outside the messages, which leaves no room within max_tokens (${max}): raise it`,
      );
    this.#calibration = learned;
  }

  /** The originals that a handle names, and the content of one result where it names that. Throws UNKNOWN_HANDLE. */
  recall(handle: string): Promise<Recalled<M>> {
    return recallFrom(this.#archive, this.#dialect, this.#known, handle);
  }

  /** A summary of these messages by this model; empty, and nobody is asked, if there are no words in them. Throws PROVIDER_FAILED. */
  async summarize(messages: readonly M[], provider: Summarizer): Promise<string> {
    checkList(messages);
    const { summary_max_tokens: max, summarization_model: model, summary_timeout_ms: timeout } = this.#config;
    const max_tokens = max || DEFAULT_SUMMARY.max_tokens;
    const said = messages.filter((message) => isRecord(message));
    return summarizeAlone(this.#dialectFor(messages), said, new Summaries(provider, model, timeout), max_tokens);
  }

  /** Plain JSON from which a later window goes on without deciding anything again. */
  state(): WindowState<M> {
    const { view, log, undone, hold, pins, folds, seen, transient } = this.#known;
    const eras = this.#offered ? newEra(this.#offered.eras, seen) : this.#known.eras;
    return {
      version: 1,
      dialect: this.#dialect.name,
      eras: eras.map(frozen),
      folds,
      seen,
      log: [...log],
      undone: [...undone],
      ...(hold ? { hold: { ...hold } } : {}),
      pins: [...pins],
      view: viewMessages(asGiven(this.#known)).map(plainJson) as M[],
      turns: plainJson(keptTurns(view.pieces)) as KeptTurn[],
      calibration: plainJson(this.#calibration) as Calibration,
      ...(transient ? { transient } : {}),
    };
  }

  /** Forgets the conversation and what was learned. In an archive of the caller's the next one gets handles of its own. */
  reset(): void {
    this.#checkFree();
    this.#known = unknownYet(this.#ownArchive ? [] : newEra((this.#offered ?? this.#known).eras, 0));
    if (this.#ownArchive) this.#archive = ownArchive<M>();
    this.#calibration = UNCALIBRATED;
    this.#sent = undefined;
    this.#offered = undefined;
    this.#certain = this.#named;
    this.#summaries?.reset();
  }

  #measured<T extends M>(messages: readonly T[], trimmed: T[], evicted: T[]) {
    const counts = {
      totalMessages: messages.length,
      preservedMessages: trimmed.length,
      evictedMessages: evicted.length,
    };
    return { trimmed, evicted, metrics: { ...counts, estimatedTokens: this.estimateTokens(trimmed) } };
  }

  #restore(state: WindowState<M>): void {
    checkState(state, this.#named ? this.#dialect.name : undefined);
    if (!this.#named) this.#dialect = this.#counted(stateDialect(state.dialect));
    this.#known = restoreKnown(this.#dialect, state);
    this.#calibration = frozen(state.calibration);
    this.#certain ||= this.#dialect.name !== 'openai-chat' || recognized(state.view) !== undefined;
  }

  #counted(dialect: Dialect | Dialect<M>): Dialect<M> {
    this.#plain = dialect as Dialect<M>;
    return countedBy(this.#plain, this.#tokens);
  }

  /** `plain`: as the dialect itself counts, whatever counter was given. */
  #dialectFor<T extends M>(messages: readonly T[], plain = false): Dialect<T> {
    const own = (plain ? this.#plain : this.#dialect) as unknown as Dialect<T>;
    if (this.#certain) return own;
    try {
      return identify(messages).dialect as Dialect<T>;
    } catch {
      return own;
    }
  }

  /** Says once that head and tail fill `max_messages`, and what that means. */
  #warnOnce(means: string): void {
    const { max_messages: max, preserve_first_n: first, preserve_last_n: last } = this.#config;
    if (this.#warned) return;
    this.#warned = true;
    this.#logger.warn(`preserve_first_n + preserve_last_n (${first} + ${last}) reach max_messages (${max}): ${means}`);
  }

  #checkFree(): void {
    if (!this.#busy) return;
    throw new HoldfastError('WINDOW_BUSY', 'the window is at work: await each call before the next one');
  }

  /** One at a time; one that settles nothing leaves no trace. */
  async #alone<T>(run: () => Promise<T>): Promise<T> {
    this.#checkFree();
    this.#busy = true;
    const before = [this.#dialect, this.#plain, this.#certain] as const;
    const known = this.#known;
    try {
      return await run();
    } finally {
      this.#busy = false;
      if (this.#known === known) [this.#dialect, this.#plain, this.#certain] = before;
    }
  }

  /**
   * Goes on from what is known, and where that cannot be brought together with the history, from the history alone: what a
   * cold window accepts, this one does, too.
   */
  async #reconciled<T>(given: Given<M>, go: (known: Known<M>) => Promise<T>): Promise<T> {
    checkList(given.history);
    try {
      return await go(this.#take(given));
    } catch (error) {
      if (!isInput(error) || given.offset !== 0 || this.#known.seen === 0) throw error;
      return this.#goAfresh(given, go, error);
    }
  }

  async #goAfresh<T>(given: Given<M>, go: (known: Known<M>) => Promise<T>, error: unknown): Promise<T> {
    try {
      return await go(this.#takeAfresh(given));
    } catch (cold) {
      // The same complaint, with names of before.
      throw isHoldfastError(cold) && isHoldfastError(error) && cold.code === error.code ? error : cold;
    }
  }

  /** What is known once the history is compared with it and what is new is taken in. */
  #take(all: Given<M>): Known<M> {
    checkOffset(this.#known, all.offset);
    const { known: start, given } = this.#recognize(all);
    return this.#takeFrom({ ...start, eras: this.#freeNames(start, given) }, given);
  }

  /** Names under which the archive holds no message of another history. */
  #freeNames({ eras, seen }: Known<M>, given: Given<M>): Eras {
    const offered = this.#offered;
    if (!offered || goesOn(this.#dialect, offered, given)) return eras;
    return newEra(offered.eras, seen);
  }

  #takeAfresh(given: Given<M>): Known<M> {
    if (!this.#named) {
      const { dialect, certain } = identify(given.history);
      this.#dialect = this.#counted(dialect);
      this.#certain = certain;
    }
    const eras = this.#offered?.eras ?? this.#known.eras;
    const start = afresh(this.#dialect, { ...this.#known, eras }, given);
    const { rewritten } = start;
    // Thinking is bound to a history that is no more.
    const known = this.#takeFrom(start, { ...given, repaired: 0 });
    // What a fold was to check may fit without its thinking.
    if (!isTooMuch(this.#dialect, known.load, this.#budget(known), this.#calibration))
      checkMessages(this.#dialect, sendable(this.#dialect, known.view), given.rest);
    return rewritten ? { ...known, rewritten } : known;
  }

  #takeFrom(start: Known<M>, given: Given<M>): Known<M> {
    const budget = this.#budget();
    const isOver = (load: Load) => isTooMuch(this.#dialect, load, budget, this.#calibration);
    const known = this.#config.repair
      ? this.#takeRepaired(start, given, isOver)
      : takeIn(this.#dialect, start, given, isOver);
    checkArrived(known, this.#known.seen, budget, this.#calibration);
    return known;
  }

  /** Plain texts are the same in all wire formats; the first message that is not tells which one it is. */
  #recognize(given: Given<M>): { readonly known: Known<M>; readonly given: Given<M> } {
    const known = this.#known;
    if (this.#certain) return { known, given };
    const { dialect, certain, possible } = identify(given.history, Math.max(0, known.seen - given.offset));
    this.#certain = certain;
    if (known.seen > 0 && possible.includes(this.#dialect.name)) return { known, given };
    this.#dialect = this.#counted(dialect);
    return known.seen > 0 ? anew(known, given) : { known, given };
  }

  #takeRepaired(known: Known<M>, given: Given<M>, isOver: (load: Load) => boolean): Known<M> {
    const { history, offset } = given;
    const repair = repairAgain(this.#dialect, known.repair, history, offset);
    const repaired = given.repaired ?? repair.edited ?? firstPlace(repair.places, known.seen);
    return { ...takeIn(this.#dialect, known, { history: repair.messages, offset, repaired }, isOver), repair };
  }

  async #commit(known: Known<M>): Promise<void> {
    if (known.stripped.length > 0) await this.#keep(known);
    for (const id of known.fresh) known.ids.add(id);
    this.#settle({ ...known, fresh: [], stripped: [] });
  }

  /** A handle that a preview showed leads somewhere, too, whatever becomes of the history. */
  async #keepShown(known: Known<M>, hidden: Hidden<M>): Promise<void> {
    this.#offered = apart(known);
    try {
      await archiveAll(this.#archive, known.stripped, hidden, heldBy(known));
    } catch (error) {
      this.#logger.warn(`compact(): the archive did not take what the preview names: ${String(error)}`);
    }
  }

  /** An archive that fails may have taken some of it. */
  async #keep(known: Known<M>, hidden: Hidden<M> = NOTHING_HIDDEN): Promise<void> {
    try {
      await archiveAll(this.#archive, known.stripped, hidden, heldBy(known));
    } catch (error) {
      this.#offered = apart(known);
      throw error;
    }
  }

  #settle({ rewritten, ...known }: Known<M>): void {
    const repairs = newRepairs(this.#known.repair, known.repair);
    this.#known = known;
    // An offset may pass over what was rewritten there.
    if (this.#offered && newestEra(known.eras) >= newestEra(this.#offered.eras)) this.#offered = undefined;
    if (repairs.length > 0) this.#emit({ type: 'history-repaired', repairs });
    if (rewritten) this.#emit({ type: 'history-rewritten', ...rewritten });
  }

  /** A listener's error is the listener's: the fold is done. */
  #emit(event: WindowEvent): void {
    const warn = (error: unknown) => this.#logger.warn(`onEvent threw at ${event.type}: ${String(error)}`);
    try {
      const answer: unknown = this.#onEvent?.(event);
      if (isRecord(answer) && typeof answer.then === 'function') answer.then(undefined, warn);
    } catch (error) {
      warn(error);
    }
  }

  /** `transient` counts as what cannot be folded. */
  #budget(known = this.#known, transient = NO_LOAD): Budget {
    const reserve = Math.max(this.#config.reserve, this.#calibration.fixed ?? 0);
    const max_messages = Math.max(1, this.#config.max_messages - transient.messages);
    return makeBudget(
      { ...this.#config, max_messages },
      this.#share,
      reserve + tokensOf(transient, this.#calibration),
      this.#calibration,
      known,
      this.#summaryTokens,
      this.#writePrice,
    );
  }

  #foldInput(known: Known<M>, budget: Budget, focus?: string): FoldInput<M> {
    const last = known.log.at(-1);
    return {
      dialect: this.#dialect,
      strategies: this.#strategies,
      view: known.view,
      load: known.load,
      budget,
      calibration: this.#calibration,
      digest: last?.digest ?? EMPTY_DIGEST,
      summary: last?.summary ?? NO_SUMMARY,
      summarize: this.#config.summarize_on_trim === true,
      eras: known.eras,
      seen: known.seen,
      pins: known.pins,
      ...(focus === undefined ? {} : { focus }),
    };
  }

  /** True if a result that was to be cut when it left the last exchange stands whole behind it. */
  #isStale({ view: { pieces }, pins }: Known<M>): boolean {
    const chars = Math.min(...this.#strategies.map(({ trim_chars = Number.POSITIVE_INFINITY }) => trim_chars));
    return pieces
      .slice(0, latestFrom(pieces))
      .some(
        (piece) =>
          piece.load.chars > chars && !isPinned(piece, pins) && newCuts(piece, chars, undefined, '').length > 0,
      );
  }

  /** What a fold would make of the view. Undefined if nothing would change. */
  async #plan(known: Known<M>, budget: Budget, options: PlanOptions): Promise<Planned<M> | undefined> {
    const { transient, trims = false } = options;
    const { limits } = this.#dialect;
    const dialect = { ...this.#dialect, limits: withoutBulk(limits, transient?.load ?? NO_LOAD) };
    const own = { ...this.#foldInput(known, budget), dialect };
    const input = trims ? { ...own, trims, strategies: trimmers(this.#strategies) } : own;
    const output = foldView(input);
    return output && this.#summed(known, input, output, options);
  }

  /** The fold with a new summary, if one is wanted, and checked. */
  async #summed(
    known: Known<M>,
    input: FoldInput<M>,
    folded: FoldOutput<M>,
    { preview, signal, rest }: PlanOptions,
  ): Promise<Planned<M>> {
    let output = folded;
    let { summary } = input;
    if (this.#summaries && output.kind !== 'summary') summary = { ...summary, pending: pendingAfter(input, output) };
    if (this.#summaries && output.kind === 'summary' && !preview && input.budget.summary > 0) {
      summary = await this.#summaries.forFold(input, output, (index) => this.#original(known, index), signal);
      signal?.throwIfAborted();
      if (summary.text !== input.summary.text) output = withSummary(input, output, summary.text);
    }
    checkMessages(this.#dialect, sendable(this.#dialect, output.view), rest);
    return { ...output, summary, ...(input.trims ? { trims: true } : {}) };
  }

  /** Near the next fold, its summary may begin. */
  async #foresee(known: Known<M>, budget: Budget, size: Size): Promise<void> {
    if (!this.#summaries || known.hold) return;
    const ahead = { messages: size.messages / FORESIGHT, tokens: size.tokens / FORESIGHT };
    const then = { ...budget, grown: budget.grown + ahead.tokens - size.tokens };
    if (!exceeds(ahead, budget.max) && !isDue(this.#strategies, ahead, then)) return;
    const plan = (coming: number) => {
      const preserve_last_n = Math.max(0, budget.preserve_last_n - coming);
      const input = this.#foldInput(known, { ...budget, preserve_last_n });
      const output = foldView(input);
      return output?.kind === 'summary' ? { input, output } : undefined;
    };
    // Once turns like the newest have come that make it due, the fold drops as many more that are among the last now.
    const turn = known.view.pieces.at(-1)?.messages.length ?? 1;
    const left = ahead.messages > budget.max.messages ? budget.max.messages + 1 - size.messages : 0;
    const coming = turn * Math.ceil(left / turn);
    await this.#summaries.foresee([0, coming], plan, (index) => this.#original(known, index));
  }

  /** For a summary, which can do without. */
  #original(known: Known<M>, index: number): Promise<M | undefined> {
    return originalAt(this.#archive, known, index).catch(() => undefined);
  }

  #makeSummaries(summarizer: Summarizer, style: SummaryStyle): FoldSummaries<M> {
    const { summarization_model: model, summary_timeout_ms: timeout } = this.#config;
    return new FoldSummaries(new Summaries(summarizer, model, timeout), style, (event) => this.#emit(event));
  }

  #receipt(
    known: Known<M>,
    budget: Budget,
    output: Pick<FoldOutput<M>, 'view' | 'turns' | 'changedFrom'> &
      Partial<Pick<Planned<M>, 'trims' | 'summary' | 'kind'>>,
    reason: Receipt['reason'],
  ): Receipt {
    return makeReceipt({
      fold: reason === 'undo' || reason === 'redo' ? known.folds : output.view === known.view ? 0 : known.folds + 1,
      reason,
      strategies: output.trims ? trimmers(this.#strategies) : this.#strategies,
      before: known,
      after: output.view,
      folded: output.turns,
      changedFrom: output.changedFrom,
      budget,
      calibration: this.#calibration,
      eras: known.eras,
      summary: (output.kind === 'summary' && output.summary?.text) || '',
    });
  }

  /** Originals first, then the view without them. */
  async #fold(known: Known<M>, output: Planned<M>, receipt: Receipt): Promise<void> {
    const { preserve_last_n: last, tail } = this.#config;
    // A window that goes on said it at its first fold, also if that was undone.
    const isFirst = known.folds === 0 && known.undone.length === 0;
    if (isFirst && this.#tailGiven && tail < last) this.#warnOnce(`fit() keeps the last ${tail}`);
    await this.#keep(known, output.hidden);
    this.#settle(afterFold(this.#dialect, known, output, this.#calibration));
    this.#emit({ type: 'fold-end', receipt });
  }

  /** To another state of the log: the view is made again from what stands in it and from the archive. */
  #travel(known: Known<M>, reason: 'undo' | 'redo'): Promise<Receipt> {
    return this.#alone(() => this.#rebuild(known, reason));
  }

  async #rebuild(known: Known<M>, reason: 'undo' | 'redo'): Promise<Receipt> {
    const before = this.#known;
    const { view, stripped, ...sources } = await rebuild(this.#dialect, before, known.log.at(-1), async (index) => {
      const message = await originalAt(this.#archive, before, index);
      if (message === undefined) throw unknownHandle(handleOf(index, known.eras));
      return message;
    });
    checkMessages(this.#dialect, sendable(this.#dialect, view), true);
    const budget = this.#budget();
    const load = viewLoad(view);
    const size = sizeOf(load, budget, this.#calibration);
    const over = overLimits(load, this.#dialect.limits);
    if (reason === 'undo' && (size.tokens > budget.limit || over !== '')) throw undoRefused(size, budget.limit, over);
    const changedFrom = firstDifference(known.view, view);
    const receipt = this.#receipt(known, budget, { view, turns: [], changedFrom }, reason);
    await this.#archive.put(stripped);
    const hold = reason === 'undo' ? { hold: heldUntil(size, budget) } : {};
    this.#known = withView(this.#dialect, { ...known, ...hold, ...sources }, view);
    this.#emit({ type: `fold-${reason}`, receipt });
    return receipt;
  }
}

interface Planned<M> extends FoldOutput<M> {
  readonly summary: Summary;
  readonly trims?: true;
}

function trimmers(strategies: readonly Strategy[]): readonly Strategy[] {
  return strategies.filter(({ trim_chars }) => trim_chars !== undefined);
}

/** What a configuration means for a view. Throws BAD_CONFIG. */
function bounded(
  given: ConversationHistoryConfig,
): readonly [ConversationHistoryConfig, ResolvedConfig, readonly Strategy[], Share] {
  const config = resolveConfig(given);
  const strategies = strategiesOf(config);
  const { target } = config;
  const share = target === undefined ? {} : { messages: target, tokens: target };
  return [given, config, strategies, { ...targetOf(strategies), ...share }];
}

/** No model takes a prompt of so many tokens: whoever reports more has added up several. */
const MOST_TOKENS = 100_000_000;

const DEFAULT_SUMMARY: SummaryStyle = { sections: false, max_tokens: 1_024 };

function reasonFor(size: Size, { max }: Budget, isBulky: boolean): Receipt['reason'] {
  if (size.messages > max.messages) return 'messages';
  if (size.tokens > max.tokens) return 'tokens';
  return isBulky ? 'limits' : 'strategy';
}

/** True for an error about the history, or from reading it. */
function isInput(error: unknown): boolean {
  if (isHoldfastError(error)) return error.code === 'INVALID_HISTORY' || error.code === 'OVER_BUDGET';
  return error instanceof RangeError || error instanceof TypeError;
}

/** Throws BAD_CONFIG for what are no prices. */
function writePriceOf(prices: CachePrices | undefined): number {
  const { write, read } = prices ?? { write: 1.25, read: 0.1 };
  if (write > 0 && read >= 0) return write / read;
  throw new HoldfastError('BAD_CONFIG', `prices: give write above 0 and read from 0 on, not ${write} and ${read}`, {
    key: 'prices',
  });
}

/** Throws BAD_CONFIG for what is no signal or no text, and whatever an aborted signal throws. */
function checkOptions({ signal, focus = '' }: Pick<PlanOptions, 'signal' | 'focus'>): void {
  const isSignal = signal === undefined || typeof signal?.throwIfAborted === 'function';
  if (!isSignal || typeof focus !== 'string')
    throw new HoldfastError('BAD_CONFIG', isSignal ? 'focus: give a text' : 'signal: give an AbortSignal');
  signal?.throwIfAborted();
}

function consoleLogger(): { warn(message: string): void } {
  const { console } = globalThis as { console?: { warn(message: string): void } };
  return { warn: (message) => console?.warn(message) };
}
