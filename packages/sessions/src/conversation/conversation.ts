import { type SessionTokens, sessionTokens, tokensOf } from '@holdfast/models';
import {
  type Archive,
  type ConversationHistoryConfig,
  ConversationWindow,
  type Dialect,
  type FitMetrics,
  type Fitted,
  HoldfastError,
  hashMessage,
  isHoldfastError,
  memoryArchive,
  promptTokensOf,
  type Recalled,
  type Receipt,
  type Size,
  type WindowParts,
  type WindowState,
  type WrittenNote,
} from 'holdfast';
import { boundsOf, messageEntry, promptOf, type SessionEntry, type WindowPosition } from '../entry.ts';
import { conflict } from '../log/head.ts';
import { forkSession } from '../log/writer.ts';
import type { RecordedRequest } from '../requests/text-recorder.ts';
import { eachMessage, type Hit, type SessionInfo, type SessionStore } from '../store.ts';
import { ConversationLog, type Earlier, type LoggedUsage, type RequestName } from './conversation-log.ts';
import { commonWith, sketchOf, type Track, takesOver } from './identity.ts';
import { foldEntry, type Owed } from './owed.ts';
import type { ConversationState } from './restore/restore-conversation.ts';
import { withoutThinking } from './thinking.ts';

/** Everything that can be plugged into a conversation. */
export interface ConversationParts<M> extends Omit<WindowParts<M>, 'state' | 'dialect'> {
  readonly dialect: Dialect<M>;
  readonly config: ConversationHistoryConfig;
  /** Decides what is written of what the conversation itself records; `write` writes it. Default: all. */
  readonly through?: (entries: readonly SessionEntry[], write: Writing) => Promise<readonly SessionEntry[]>;
}

/** Stores entries, and returns them as stored. */
type Writing = (entries: readonly SessionEntry[]) => Promise<readonly SessionEntry[]>;

/** Where a conversation is kept, and how. */
export interface ConversationPlace {
  readonly store: SessionStore;
  /**
   * `strict`: everything is stored before it is sent, or the call throws. `lenient`: the log begins with the first fold; while
   * the store is away the conversation goes on in memory, and names no handle whose original is not stored.
   */
  readonly durability: 'strict' | 'lenient';
  /** What the log names as the provider. */
  readonly provider: string;
}

/** A whole history that its sender keeps, and how to fit it. */
export interface GivenHistory<M> {
  readonly messages: readonly M[];
  readonly model: string;
  /** The sentence of a note that tells the model how to recall, with `{handle}` for an example; false if it cannot recall. */
  readonly recall?: string | false;
  /**
   * True if the sender cannot send the view again without thinking. Thinking in a history that is new here may belong to other
   * views, so it is left out, up to the user's last words.
   */
  readonly once?: boolean;
  readonly bounds?: {
    /** Tokens of the prompt above which the view folds. */
    readonly max_tokens: number;
    /** Tokens that the model accepts. */
    readonly limit: number;
    /** Tokens of everything in the prompt but the messages. */
    readonly reserve: number;
    /** The same until an answer reports its usage, if that is more. */
    readonly first_reserve?: number;
  };
}

/** What an answer used. */
export interface Spent {
  readonly tokens: SessionTokens;
  /** Dollars, if known. */
  readonly cost?: number | undefined;
  readonly model?: string | undefined;
}

/** A view that was sent, and how many messages it had. */
export interface SentView {
  /** Undefined if the messages could not be fitted. */
  readonly metrics: FitMetrics | undefined;
  readonly model: string;
  readonly sent: number;
  request?: RequestName;
}

/** A view, and what kept it from being stored. */
export interface KeptView<M> {
  readonly fitted: Fitted<M>;
  readonly problem?: HoldfastError;
}

/** One conversation: its window, its log and its archive. It has one owner and makes one call at a time. */
export class Conversation<M> implements Track {
  /** Of each message of a history that its sender keeps. */
  sketches: readonly string[] = [];
  hint: string | undefined;
  used = 0;
  /** It began while the store could not be read. */
  isBlind = false;
  readonly #place: ConversationPlace | undefined;
  readonly #log: ConversationLog<M> | undefined;
  #parts: ConversationParts<M>;
  #window: ConversationWindow<M> | undefined;
  /** What the window opens from, and what it does not know. */
  #state: Partial<ConversationState<M>> = {};
  /** Messages that the window has not seen. */
  #pending: readonly M[] = [];
  /** The window before the fold under way: the store may refuse its originals. */
  #before: WindowState<M> | undefined;
  /** Folds name no handle, because their originals cannot be stored. */
  #isNameless = false;
  /** True while `sketches` are those of the log. */
  #isSketched = true;
  /** The last view, how many messages it represents, and its figures. */
  #view: { readonly messages: readonly M[]; readonly seen: number; readonly metrics?: FitMetrics } | undefined;
  #viewSize: Size = { messages: 0, tokens: 0 };
  /** How many messages at its start the view has in common with the last request that was answered. */
  #shared = 0;
  /** Turns dropped up to each fold, by what it covered. */
  #dropped = new Map<number, number>();
  /** The first messages whose thinking an API refused. */
  #bare = 0;
  #recall: string | false | undefined;
  /** Where the window found the history changed. */
  #changed: number | undefined;
  /** The model that the log names. */
  #named: string | undefined;
  /** Usage that is recorded with the next messages. */
  #waiting: SessionEntry[] = [];
  #failure: unknown;

  /** In memory without a place; in a new session without an id. */
  constructor(parts: ConversationParts<M>, place?: ConversationPlace, session?: string) {
    this.#parts = parts;
    this.#place = place;
    this.#log = place && new ConversationLog<M>(place.store, session, parts.dialect);
  }

  /** The id of its session; undefined in memory, and before a new one is created. */
  get session(): string | undefined {
    return this.#log?.session;
  }

  /** The random id in its handles, if it has one. */
  get scope(): string | undefined {
    return this.#log?.scope;
  }

  /** True if it has a log: then it can be restored. */
  get isStored(): boolean {
    return this.#log?.exists ?? false;
  }

  /** Why the log and memory differ: until `refresh()`, nothing is written. */
  get failure(): unknown {
    return this.#failure;
  }

  get folds(): number {
    return this.#window?.folds ?? this.#state.window?.folds ?? 0;
  }

  /** Messages in its log. */
  get stored(): number {
    return this.#log?.messages ?? 0;
  }

  /** The newest note; undefined if there is none. */
  get note(): WrittenNote | undefined {
    return this.#opened().state().log.at(-1)?.note;
  }

  get pins(): readonly number[] {
    return this.#opened().state().pins;
  }

  /** Messages of the history. */
  get messages(): number {
    return this.#opened().seen + this.#pending.length;
  }

  get budget() {
    return this.#opened().budget;
  }

  /** Of the last view. */
  get viewSize(): Size {
    return this.#viewSize;
  }

  /** Tokens of the last view and of texts in memory. */
  get size(): number {
    return this.#viewSize.tokens + (this.#log?.size ?? 0);
  }

  /** Of model, system prompt and tools of who spoke last, as `speak` recorded it. */
  get fingerprint(): string {
    return this.#state.fingerprint ?? '';
  }

  /** As the log has it. Without a log it starts over. Throws BAD_STORE; with `check` also if the log was changed. */
  async refresh({ check = false, sketches = this.#isSketched } = {}): Promise<void> {
    const state = await this.#log?.restore(check);
    const read: string[] = [];
    if (state && sketches)
      for await (const message of this.history()) read.push(sketchOf(this.#parts.dialect, message));
    this.sketches = read;
    this.#isSketched = sketches || !state;
    [this.#failure, this.#named, this.#before, this.#isNameless] = [undefined, undefined, undefined, false];
    this.#waiting = [];
    this.#load(state ?? {});
  }

  /** Continues from this state; with `info`, that is what the log of its session is at. */
  async attach(info: SessionInfo | undefined, state: Partial<ConversationState<M>>): Promise<void> {
    if (info) await this.#log?.attach(info);
    this.#load(state);
  }

  /** Continues with other parts, from this state. Writes nothing. Throws BAD_CONFIG or BAD_STATE. */
  reopen(parts: ConversationParts<M>, state: Partial<ConversationState<M>> = this.state()): void {
    this.#parts = parts;
    this.#log?.speak(parts.dialect);
    this.#load(state);
    this.#opened();
  }

  /** The same in memory: what happens to it changes nothing here. */
  copy(): Conversation<M> {
    const archive = { put: () => undefined, get: (handle: string) => this.#log?.archive.get(handle) };
    const { through: _, ...parts } = this.#parts;
    const copy = new Conversation<M>(this.#log ? { ...parts, archive } : parts);
    copy.#load(this.state());
    return copy;
  }

  /** Plain JSON of bounded size, from which `reopen` continues. */
  state(): ConversationState<M> {
    const window = this.#opened().state();
    const folds = [...window.log, ...window.undone].filter(({ covered }) => this.#dropped.has(covered));
    const { fingerprint = '', stale, limit, historyTokens, results, begun } = this.#state;
    const known = { stale, limit, historyTokens, results, begun };
    return {
      version: 1,
      fingerprint,
      ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
      shared: this.#shared,
      pending: [...this.#pending],
      dropped: Object.fromEntries(folds.map(({ covered }) => [covered, this.#dropped.get(covered) ?? 0])),
      window,
    };
  }

  // Where the log is the history.

  /** Adds messages and other entries, stored before anything else happens. */
  async add(messages: readonly M[], entries: readonly SessionEntry[] = []): Promise<void> {
    const added = messages.map(messageEntry);
    const waiting = this.#waiting;
    this.#waiting = [];
    const kept = await this.#write([...added, ...waiting, ...entries]);
    this.#pending = [...this.#pending, ...kept.flatMap((one) => (one.type === 'message' ? [one.message as M] : []))];
    if (messages.length === 0) return;
    this.#isSketched = false;
    const { results: _, begun: __, ...state } = this.#state;
    this.#state = state;
  }

  /** Stores entries, and returns them as stored. Messages do not become part of the view, which `refresh()` reads again. */
  async record(entries: readonly SessionEntry[]): Promise<readonly SessionEntry[]> {
    if (!this.#log || entries.length === 0) return entries;
    if (this.#failure !== undefined) throw this.#failure;
    return await this.#strictly(this.#log.append(entries));
  }

  /** Takes in messages that `record` stored. */
  take(messages: readonly M[]): void {
    this.#pending = [...this.#pending, ...messages];
  }

  /** What to send now. Throws INVALID_HISTORY, or OVER_BUDGET with each part that cannot be folded away. */
  async view(options: { readonly signal?: AbortSignal } = {}): Promise<Fitted<M> & { readonly previous?: number }> {
    const window = this.#opened();
    const fitted = await this.#yielding(() => window.fit(this.#pending, { ...options, offset: window.seen }));
    this.#pending = [];
    this.#note(fitted, window.seen);
    await this.#write(this.#newsOf(fitted, false).map(({ entry }) => entry));
    return this.#shared > 0 ? { ...fitted, previous: this.#shared - 1 } : fitted;
  }

  // Where the sender keeps the history.

  /**
   * The view of a whole history. What others have changed in the log meanwhile is taken over, and what the history changed is
   * rewound. Throws INVALID_HISTORY, OVER_BUDGET and, if it is strict, what the store throws; a lenient one says with `problem`
   * why the view is not stored.
   */
  async fit(
    messages: readonly M[],
    how: Omit<GivenHistory<M>, 'messages' | 'model'> & { readonly model?: string } = {},
  ): Promise<Fitted<M> & { readonly problem?: HoldfastError }> {
    for (let conflicts = 0; ; ) {
      try {
        if (this.#failure !== undefined || !this.#isSketched || (await this.#log?.isOutdated()))
          await this.refresh({ sketches: true });
        const own = messages.map((message) => this.#log?.stored(message) ?? message);
        const history = { model: this.#named ?? '', ...how, messages: own };
        const sketches = own.map((message) => sketchOf(this.#parts.dialect, message));
        const fitted = await this.fitGiven(history, sketches);
        if ('changed' in fitted) throw conflict(this.session ?? '', 0, 0);
        const { fitted: view, problem } = await this.keep(history, sketches, fitted);
        return problem ? { ...view, problem } : view;
      } catch (error) {
        this.#failure ??= isConflict(error) ? error : undefined;
        if (!isConflict(error) || ++conflicts === ATTEMPTS) throw error;
      }
    }
  }

  /**
   * The view of a history, of whose first messages at most `most` are those of this conversation. With `forks`, a history that
   * the window finds changed in front of an answer of the model gets none but the place: the conversation has to be refreshed.
   */
  async fitGiven(
    history: GivenHistory<M>,
    sketches: readonly string[],
    { most = Number.POSITIVE_INFINITY, forks = false } = {},
  ): Promise<Fitted<M> | { readonly changed: number }> {
    await this.#makeCut();
    this.#explain(history.recall);
    // Thinking after the user's last words may be required.
    if (history.once && this.sketches.length === 0)
      this.#bare = history.messages.findLastIndex((message) => this.#parts.dialect.read(message).role === 'user');
    const common = Math.min(most, commonWith(this.sketches, sketches));
    if (common < this.sketches.length) await this.#goBack(common);
    const fitted = await this.#fitOnce(history);
    const changed = this.#changed ?? this.#changeInPending(history.messages);
    if (changed === undefined) return fitted;
    if (forks && this.isStored && !takesOver({ track: this, common: changed })) return { changed };
    await this.#goBack(changed);
    return this.#fitOnce(history);
  }

  /** Adopts the history and stores what is new, if it has a log or gets one now. A lenient one goes on without its store. */
  async keep(history: GivenHistory<M>, sketches: readonly string[], fitted: Fitted<M>): Promise<KeptView<M>> {
    const isDue = this.#log && (this.#isStrict || this.isStored || this.folds > 0);
    const kept = isDue ? await this.#keepStored(history, fitted) : { fitted };
    this.sketches = sketches;
    this.#pending = [];
    this.#note(kept.fitted, history.messages.length);
    return kept;
  }

  /** The last view without its cache markers, and whatever these messages add to it, unchecked. */
  lastView(messages: readonly M[]): readonly M[] {
    if (!this.#view || this.folds === 0) return messages;
    // The client has moved its markers, and a request may carry only so many.
    const bare = this.#view.messages.map((message) => this.#parts.dialect.withMarkers(message, 0));
    return [...bare, ...messages.slice(this.#view.seen)];
  }

  /**
   * A conversation that branches off after the first messages of this one, with the folds that it had then; `apart`: with its
   * own handles. Undefined if it had none.
   */
  async branch(session: string, messages: number, apart: boolean): Promise<Conversation<M> | undefined> {
    const speaker = this.#modelEntry(this.#named ?? '', messages);
    if (!(await this.#log?.copyTo(session, messages, apart, speaker))) return undefined;
    const other = new Conversation<M>(this.#parts, this.#place, session);
    await other.refresh();
    return other;
  }

  /** Takes over what was used before the model's first answer. */
  inherit(earlier: Earlier): void {
    this.#log?.inherit(earlier);
  }

  isOutdated(): Promise<boolean> {
    return this.#log?.isOutdated() ?? Promise.resolve(false);
  }

  // For both.

  /** Learns from the usage object of the answer to the last view, and records what it used. */
  async answered(usage: unknown, spent: Partial<Spent> = {}): Promise<void> {
    const { metrics, messages = [] } = this.#view ?? {};
    const { model = this.#named ?? '', tokens = tokensIn(usage) } = spent;
    await this.answeredTo({ metrics, model, sent: messages.length }, usage, { ...spent, tokens });
  }

  /** The same for an answer to any view: learns from it only if no later request has changed the view. */
  async answeredTo(
    { metrics, model, sent, request }: SentView,
    usage: unknown,
    { tokens, cost }: Spent,
  ): Promise<void> {
    const window = this.#opened();
    if (window.seen === metrics?.totalMessages) window.observe(usage);
    const { historyTokens = promptOf(tokens), max } = metrics ?? {};
    const position = { ...this.#position(historyTokens, max), sent };
    await this.recordUsage({ tokens, ...(cost === undefined ? {} : { cost }), model, window: position }, request);
  }

  /** Records what an answer used; while the store is away, it is owed. */
  async recordUsage(used: LoggedUsage, request: RequestName): Promise<void> {
    try {
      await this.#log?.addUsage(used, request);
    } catch (error) {
      if (this.#isStrict) throw error;
      this.#log?.owe({ at: used.window.seen, entry: { type: 'usage', ...used } });
    }
  }

  /** Records a request as it is sent; a text is its JSON body. Returns what it is known by. */
  async sent(request: RecordedRequest | string): Promise<RequestName> {
    if (!this.#log) return undefined;
    return typeof request === 'string' ? this.#strictly(this.#log.addBody(request)) : this.#log.addRequest(request);
  }

  /** Folds now; with `preview` it only says what a fold would do. */
  async compact(options: { readonly focus?: string; readonly preview?: boolean } = {}): Promise<Receipt> {
    const window = this.#opened();
    const receipt = await this.#yielding(() => window.compact(this.#pending, { offset: window.seen, ...options }));
    if (options.preview) return receipt;
    this.#pending = [];
    this.#note({ receipt }, window.seen);
    await this.#write(this.#newsOf({ receipt }, false).map(({ entry }) => entry));
    return receipt;
  }

  /** Undoes the newest fold; undefined if there is none. Throws OVER_BUDGET. */
  undo(): Promise<Receipt | undefined> {
    return this.#travel('undo');
  }

  /** Redoes the last undone fold; undefined if there is none. */
  redo(): Promise<Receipt | undefined> {
    return this.#travel('redo');
  }

  /** Protects a message, by default the next one, from folds. Throws BAD_PIN. */
  async pin(index = this.messages): Promise<void> {
    this.#opened().pin(index);
    await this.#write([{ type: 'pin', index }]);
  }

  async unpin(index: number): Promise<void> {
    this.#opened().unpin(index);
    await this.#write([{ type: 'unpin', index }]);
  }

  /** The originals that a handle names, and the content of one result if it names one. Throws UNKNOWN_HANDLE. */
  recall(handle: string): Promise<Recalled<M>> {
    return this.#opened().recall(handle);
  }

  /** The passages of its session that match these words best, best first. */
  async search(words: string, limit?: number): Promise<readonly Hit[]> {
    const { session } = this;
    if (!this.#place || session === undefined) return [];
    return this.#place.store.search(words, { session, ...(limit === undefined ? {} : { limit }) });
  }

  /** Its messages in the log, from position `from` on. */
  async *history(from = 0): AsyncGenerator<M> {
    const { session } = this;
    if (!this.#place || session === undefined || !this.isStored) return;
    for await (const { message } of eachMessage(this.#place.store, session, from)) yield message as M;
  }

  async info(): Promise<SessionInfo | undefined> {
    return this.#log?.info();
  }

  /** Goes back to the first messages, with the folds that it had then. What follows stays in the log. */
  async rewind(messages: number): Promise<void> {
    if (!this.#log) throw notStored();
    await this.#strictly(this.#log.rewind(messages));
    await this.refresh();
  }

  /** A copy of it as it is now, in a session of its own. */
  async fork(session?: string): Promise<Conversation<M>> {
    if (!this.#place || this.session === undefined) throw notStored();
    const id = await forkSession(this.#place.store, this.session, session === undefined ? {} : { id: session });
    const other = new Conversation<M>(this.#parts, this.#place, id);
    await other.refresh({ sketches: this.#isSketched });
    return other;
  }

  /** Creates the session, if there is none yet. */
  async begin(): Promise<void> {
    await this.#log?.begin();
  }

  /** Records who speaks from here on, and to whom thinking is bound. */
  async speak(speaker: Omit<Extract<SessionEntry, { type: 'model' }>, 'type' | 'dialect' | 'from'>): Promise<void> {
    const { name: dialect } = this.#parts.dialect;
    await this.#write([{ type: 'model', ...speaker, dialect, from: this.messages }]);
    this.#named = speaker.model;
    this.#state = {
      ...this.#state,
      ...(speaker.fingerprint === undefined ? {} : { fingerprint: speaker.fingerprint }),
    };
  }

  /** Takes note that this view was sent and answered; `usage` is the API's usage object. */
  observe({ messages }: { readonly messages: readonly M[] }, usage: unknown): void {
    this.#shared = messages.length;
    if (usage !== undefined) this.#opened().observe(usage);
  }

  /** How many tokens the API counts for the last view. */
  counted(tokens: number): void {
    this.#opened().observe({ input_tokens: tokens });
  }

  /** Usage to be recorded with what is added next. `historyTokens`: of the whole history, if this was an answer. */
  spend(entry: Omit<LoggedUsage, 'window'>, historyTokens?: number): void {
    const window = historyTokens === undefined ? {} : { window: this.#position(historyTokens) };
    if (this.#log) this.#waiting = [...this.#waiting, { type: 'usage', ...entry, ...window }];
  }

  /** Changes the budget. `learned`: the limit that the API reported. */
  resize(bounds: Parameters<ConversationWindow<M>['resize']>[0], learned?: number): void {
    this.#opened().resize(bounds);
    this.#state = { ...this.#state, ...(learned === undefined ? {} : { limit: learned }) };
  }

  /** Leaves thinking out of the view and of later ones; false if there is none. `bare`: a message without it. */
  dropThinking(bare = (message: M) => withoutThinking(this.#parts.dialect, message)): boolean {
    const window = this.#opened();
    const pending = this.#pending.map(bare);
    const isChanged = window.mapView(bare) || pending.some((message, at) => message !== this.#pending[at]);
    this.#pending = pending;
    this.#bare = window.seen;
    if (isChanged) this.#shared = 0;
    return isChanged;
  }

  /** Replaces messages that the window has not seen. Only in memory. */
  replacePending(messages: readonly M[]): void {
    this.#pending = messages;
  }

  /** Messages that the window has not seen. */
  get pending(): readonly M[] {
    return this.#pending;
  }

  /** The newest whole turns of at most `limit` messages. Stateless. */
  pruneHistory<T extends M>(messages: readonly T[], limit: number): { readonly trimmed: T[]; readonly evicted: T[] } {
    return this.#opened().pruneHistory(messages, limit);
  }

  /** Tokens of these messages by their characters. */
  estimate(messages: readonly M[]): number {
    return this.#opened().estimateTokens(messages);
  }

  get #isStrict(): boolean {
    return this.#place?.durability !== 'lenient';
  }

  async #write(entries: readonly SessionEntry[]): Promise<readonly SessionEntry[]> {
    const write: Writing = (given) => this.record(given);
    const { through } = this.#parts;
    return entries.length > 0 && through ? through(entries, write) : write(entries);
  }

  #load(state: Partial<ConversationState<M>>): void {
    this.#window = undefined;
    this.#state = state;
    this.#pending = state.pending ?? [];
    this.#shared = state.shared ?? 0;
    this.#dropped = new Map(Object.entries(state.dropped ?? {}).map(([covered, sum]) => [Number(covered), sum]));
    const { view, seen } = state.window ?? {};
    this.#view = view && seen !== undefined ? { messages: view, seen } : undefined;
    this.#viewSize = { messages: view?.length ?? 0, tokens: 0 };
  }

  #opened(): ConversationWindow<M> {
    this.#window ??= this.#open(this.#state.window);
    return this.#window;
  }

  #open(given: WindowState<M> | undefined): ConversationWindow<M> {
    const { config, archive = memoryArchive<M>(), onEvent, handles: own, ...parts } = this.#parts;
    const { scope } = this;
    const isNamed = !this.#isNameless && this.#recall !== false;
    const how = typeof this.#recall === 'string' ? { how: this.#recall } : {};
    const handles = scope === undefined || own === false ? own : { ...(own === true ? {} : own), scope, ...how };
    // A note is measured with handles, and a recall tool may come later.
    const state = given ?? (scope === undefined ? undefined : this.#empty(scope));
    return new ConversationWindow<M>(config, {
      ...parts,
      ...(isNamed ? (handles === undefined ? {} : { handles }) : { handles: false }),
      archive: this.#log ? this.#guarded(this.#log.archive) : archive,
      onEvent: (event) => {
        if (event.type === 'history-rewritten') this.#changed = event.index;
        onEvent?.(event);
      },
      ...(state ? { state } : {}),
    });
  }

  #empty(scope: string): WindowState<M> {
    return new ConversationWindow<M>({}, { dialect: this.#parts.dialect, handles: { scope } }).state();
  }

  /** A lenient conversation remembers the window as it was before a fold, and does without originals that it cannot read. */
  #guarded(archive: Archive<M>): Archive<M> {
    if (this.#isStrict) return archive;
    return {
      put: (entries) => {
        this.#before ??= this.#window?.state();
        return archive.put(entries);
      },
      get: async (handle) => {
        try {
          return await archive.get(handle);
        } catch {
          return undefined;
        }
      },
    };
  }

  /** Sets what notes say about recall. A window has it from its start, so an open one starts again from its state. */
  #explain(recall: string | false | undefined): void {
    if (recall === this.#recall) return;
    this.#recall = recall;
    this.#reopen();
  }

  #reopen(state = this.#window?.state()): void {
    if (state) this.#window = this.#open(state);
  }

  /** Goes back to the first messages, also in the log; while a lenient one has no store, the window finds the change itself. */
  async #goBack(messages: number): Promise<void> {
    this.#bare = Math.min(this.#bare, messages);
    if (!this.#log?.exists) return this.#load({});
    try {
      await this.#log.rewind(messages);
      await this.refresh();
    } catch (error) {
      if (this.#isStrict || isConflict(error)) throw error;
      this.#log.cut(messages);
    }
  }

  /** Does in the log what the history changed while the store was away. */
  async #makeCut(): Promise<void> {
    try {
      if (await this.#log?.makeCut()) await this.refresh();
    } catch (error) {
      if (isConflict(error)) throw error;
    }
  }

  async #fitOnce({ messages, bounds: given }: GivenHistory<M>): Promise<Fitted<M>> {
    const window = this.#opened();
    if (given) {
      const { first_reserve = 0, ...bounds } = given;
      const isMeasured = window.calibration.fixed !== undefined;
      window.resize(isMeasured ? bounds : { ...bounds, reserve: Math.max(bounds.reserve, first_reserve) });
    }
    [this.#changed, this.#before] = [undefined, undefined];
    const bare = messages.slice(0, this.#bare).map((message) => withoutThinking(this.#parts.dialect, message));
    return window.fit(bare.length === 0 ? messages : [...bare, ...messages.slice(bare.length)]);
  }

  /** Where the history differs from messages that only the log has. */
  #changeInPending(messages: readonly M[]): number | undefined {
    const { dialect } = this.#parts;
    const from = this.#state.window?.seen ?? 0;
    const hash = (message: M | undefined) => message && hashMessage(dialect, withoutThinking(dialect, message));
    const at = this.#pending.findIndex((message, i) => hash(message) !== hash(messages[from + i]));
    return at < 0 ? undefined : from + at;
  }

  async #keepStored({ messages, model, ...how }: GivenHistory<M>, fitted: Fitted<M>): Promise<KeptView<M>> {
    const log = this.#log;
    if (!log) return { fitted };
    try {
      if (log.isCut) throw new HoldfastError('BAD_STORE', 'the store was away when the history changed');
      const speaker = this.#named === model ? undefined : this.#modelEntry(model, log.messages);
      await log.write(messages, speaker, ...this.#newsOf(fitted, true));
      this.#named = model;
      if (this.#isNameless) {
        this.#isNameless = false;
        this.#reopen();
      }
      return { fitted };
    } catch (error) {
      if (this.#isStrict || isConflict(error)) {
        this.#failure = error;
        throw error;
      }
      const view = this.#before && !this.#isNameless ? await this.#nameless({ messages, model, ...how }) : fitted;
      log.owe(...this.#newsOf(view, true));
      return { fitted: view, problem: storeProblem(error) };
    }
  }

  /** The same view, folded without names for originals that cannot be stored. */
  async #nameless(history: GivenHistory<M>): Promise<Fitted<M>> {
    this.#isNameless = true;
    this.#reopen(this.#before);
    return this.#fitOnce(history);
  }

  #note({ messages, metrics, receipt }: Partial<Fitted<M>>, seen: number): void {
    const { metrics: before, messages: old = [] } = this.#view ?? {};
    const figures = metrics ?? before;
    this.#view = { messages: messages ?? old, seen, ...(figures ? { metrics: figures } : {}) };
    if (metrics) this.#viewSize = { messages: metrics.preservedMessages, tokens: metrics.estimatedTokens };
    else if (receipt) this.#viewSize = receipt.after;
    if (receipt) this.#shared = Math.min(this.#shared, receipt.changed_from);
  }

  /** What a view adds to the log besides messages. `settles`: the sender may still change its last message. */
  #newsOf({ receipt, reminder }: Pick<Fitted<M>, 'receipt' | 'reminder'>, settles: boolean): Owed[] {
    const news: Owed[] = [];
    const entry = receipt && foldEntry(this.#opened().state(), receipt, { settles, dropped: this.#dropped });
    if (entry) news.push({ at: entry.fold.covered, entry });
    if (reminder)
      news.push({ at: this.#opened().seen, entry: { type: 'reminder', at: reminder.at, text: reminder.text } });
    return news;
  }

  async #travel(way: 'undo' | 'redo'): Promise<Receipt | undefined> {
    const window = this.#opened();
    // Folds nothing: thinking in what was said last is bound to the present view.
    await window.adopt(this.#pending, { offset: window.seen });
    this.#pending = [];
    const receipt = await window[way]();
    if (!receipt) return undefined;
    this.#note({ receipt }, window.seen);
    const { seen, turns, hold } = window.state();
    const type = way === 'undo' ? 'unfold' : 'refold';
    await this.#write([{ type, receipt, seen, turns, ...(hold ? { hold } : {}) }]);
    return receipt;
  }

  #position(historyTokens: number, max: Size = this.budget.max): WindowPosition {
    const { seen, calibration } = this.#opened();
    const { limit } = this.#state;
    const learned = limit === undefined ? {} : { limit };
    return { seen, sent: this.#shared, calibration, historyTokens, max: boundsOf(max), ...learned };
  }

  #modelEntry(model: string, from: number): SessionEntry {
    const { provider = '' } = this.#place ?? {};
    return { type: 'model', provider, model, dialect: this.#parts.dialect.name, from };
  }

  /** Whatever is not written is no longer what memory says. */
  async #strictly<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  /** No API refuses a request for its number of messages, so if only that is over the budget, the limit yields for one call. */
  async #yielding<T>(act: () => Promise<T>): Promise<T> {
    const window = this.#opened();
    try {
      return await act();
    } catch (error) {
      const most = messagesOver(error);
      if (most === undefined) throw error;
      const { messages } = window.budget.max;
      window.resize({ max_messages: most });
      try {
        return await act();
      } finally {
        window.resize({ max_messages: messages });
      }
    }
  }
}

/** How often a history is fitted while other processes write to its conversation. */
const ATTEMPTS = 3;

/** How many messages a view needs that is over its budget in nothing else; undefined for any other error. */
function messagesOver(error: unknown): number | undefined {
  if (!isHoldfastError(error) || error.code !== 'OVER_BUDGET') return undefined;
  const { floor, max } = error.details as { readonly floor?: Size; readonly max?: Size };
  if (!floor || !max || floor.messages <= max.messages || floor.tokens > max.tokens) return undefined;
  return floor.messages;
}

/** True for a write that others were faster than. Pure. */
export function isConflict(error: unknown): boolean {
  return isHoldfastError(error) && error.code === 'STORE_CONFLICT';
}

/** The error of a store, as one of ours. Pure. */
export function storeProblem(error: unknown): HoldfastError {
  if (isHoldfastError(error)) return error;
  return new HoldfastError('BAD_STORE', `cannot keep the conversation: ${String(error)}`);
}

function notStored(): HoldfastError {
  return new HoldfastError('UNKNOWN_SESSION', 'nothing has been said yet, or the conversation is in memory');
}

function tokensIn(usage: unknown): SessionTokens {
  const tokens = tokensOf(usage);
  return tokens ? sessionTokens(tokens) : { input: promptTokensOf(usage)?.tokens ?? 0, output: 0 };
}
