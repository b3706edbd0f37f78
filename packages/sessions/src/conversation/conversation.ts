import { type SessionTokens, sessionTokens, tokensOf } from '@holdfast/models';
import type { ConversationWindow, Fitted, Recalled, Receipt, Size, WrittenNote } from 'holdfast';
import { HoldfastError, promptTokensOf } from 'holdfast';
import { messageEntry, promptOf, type SessionEntry } from '../entry.ts';
import { conflict } from '../log/head.ts';
import { forkSession } from '../log/writer.ts';
import type { RecordedRequest } from '../requests/text-recorder.ts';
import type { Hit, SessionInfo } from '../store.ts';
import type { Earlier, LoggedUsage, RequestName } from './conversation-log.ts';
import { ConversationCore } from './core.ts';
import { fitGiven, keepGiven, lastView } from './given-history.ts';
import { sketchOf, type Track } from './identity.ts';
import type { ConversationParts, ConversationPlace, GivenHistory, KeptView, SentView, Spent } from './parts.ts';
import { isConflict } from './problems.ts';
import type { ConversationState } from './restore/restore-conversation.ts';
import { withoutThinking } from './thinking.ts';

/** One conversation: its window, its log and its archive. It has one owner and makes one call at a time. */
export class Conversation<M> implements Track {
  readonly #core: ConversationCore<M>;
  hint: string | undefined;
  used = 0;
  /** It began while the store could not be read. */
  isBlind = false;

  /** In memory without a place; in a new session without an id. */
  constructor(parts: ConversationParts<M>, place?: ConversationPlace, session?: string) {
    this.#core = new ConversationCore<M>(parts, place, session);
  }

  /** The id of its session; undefined in memory, and before a new one is created. */
  get session(): string | undefined {
    return this.#core.log?.session;
  }

  /** The random id in its handles, if it has one. */
  get scope(): string | undefined {
    return this.#core.log?.scope;
  }

  /** True if it has a log: then it can be restored. */
  get isStored(): boolean {
    return this.#core.isStored;
  }

  /** Why the log and memory differ: until `refresh()`, nothing is written. */
  get failure(): unknown {
    return this.#core.failure;
  }

  get folds(): number {
    return this.#core.folds;
  }

  /** Messages in its log. */
  get stored(): number {
    return this.#core.log?.messages ?? 0;
  }

  /** The newest note; undefined if there is none. */
  get note(): WrittenNote | undefined {
    return this.#core.opened().state().log.at(-1)?.note;
  }

  get pins(): readonly number[] {
    return this.#core.opened().state().pins;
  }

  /** Messages of the history. */
  get messages(): number {
    return this.#core.messages;
  }

  get budget() {
    return this.#core.opened().budget;
  }

  /** Of the last view. */
  get viewSize(): Size {
    return this.#core.viewSize;
  }

  /** Tokens of the last view and of texts in memory. */
  get size(): number {
    return this.#core.viewSize.tokens + (this.#core.log?.size ?? 0);
  }

  /** Of model, system prompt and tools of who spoke last, as `speak` recorded it. */
  get fingerprint(): string {
    return this.#core.state.fingerprint ?? '';
  }

  /** As the log has it. Without a log it starts over. Throws BAD_STORE; with `check` also if the log was changed. */
  refresh({ check = false, sketches = this.#core.isSketched } = {}): Promise<void> {
    return this.#core.refresh({ check, sketches });
  }

  /** Continues from this state; with `info`, that is what the log of its session is at. */
  async attach(info: SessionInfo | undefined, state: Partial<ConversationState<M>>): Promise<void> {
    if (info) await this.#core.log?.attach(info);
    this.#core.load(state);
  }

  /** Continues with other parts, from this state. Writes nothing. Throws BAD_CONFIG or BAD_STATE. */
  reopen(parts: ConversationParts<M>, state: Partial<ConversationState<M>> = this.state()): void {
    this.#core.parts = parts;
    this.#core.log?.speak(parts.dialect);
    this.#core.load(state);
    this.#core.opened();
  }

  /** The same in memory: what happens to it changes nothing here. */
  copy(): Conversation<M> {
    const archive = { put: () => undefined, get: (handle: string) => this.#core.log?.archive.get(handle) };
    const { through: _, ...parts } = this.#core.parts;
    const copy = new Conversation<M>(this.#core.log ? { ...parts, archive } : parts);
    copy.#core.load(this.state());
    return copy;
  }

  /** Plain JSON of bounded size, from which `reopen` continues. */
  state(): ConversationState<M> {
    const window = this.#core.opened().state();
    const folds = [...window.log, ...window.undone].filter(({ covered }) => this.#core.dropped.has(covered));
    const { fingerprint = '', stale, limit, historyTokens, results, begun } = this.#core.state;
    const known = { stale, limit, historyTokens, results, begun };
    return {
      version: 1,
      fingerprint,
      ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
      shared: this.#core.shared,
      pending: [...this.#core.pending],
      dropped: Object.fromEntries(folds.map(({ covered }) => [covered, this.#core.dropped.get(covered) ?? 0])),
      window,
    };
  }

  // Where the log is the history.

  /** Adds messages and other entries, stored before anything else happens. */
  async add(messages: readonly M[], entries: readonly SessionEntry[] = []): Promise<void> {
    const added = messages.map(messageEntry);
    const waiting = this.#core.waiting;
    this.#core.waiting = [];
    const kept = await this.#core.write([...added, ...waiting, ...entries]);
    this.#core.pending = [
      ...this.#core.pending,
      ...kept.flatMap((one) => (one.type === 'message' ? [one.message as M] : [])),
    ];
    if (messages.length === 0) return;
    this.#core.isSketched = false;
    const { results: _, begun: __, ...state } = this.#core.state;
    this.#core.state = state;
  }

  /** Stores entries, and returns them as stored. Messages do not become part of the view, which `refresh()` reads again. */
  record(entries: readonly SessionEntry[]): Promise<readonly SessionEntry[]> {
    return this.#core.record(entries);
  }

  /** Takes in messages that `record` stored. */
  take(messages: readonly M[]): void {
    this.#core.pending = [...this.#core.pending, ...messages];
  }

  /** What to send now. Throws INVALID_HISTORY, or OVER_BUDGET with each part that cannot be folded away. */
  async view(options: { readonly signal?: AbortSignal } = {}): Promise<Fitted<M> & { readonly previous?: number }> {
    const window = this.#core.opened();
    const fitted = await this.#core.yielding(() => window.fit(this.#core.pending, { ...options, offset: window.seen }));
    this.#core.pending = [];
    this.#core.note(fitted, window.seen);
    await this.#core.write(this.#core.newsOf(fitted, false).map(({ entry }) => entry));
    return this.#core.shared > 0 ? { ...fitted, previous: this.#core.shared - 1 } : fitted;
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
        if (this.#core.failure !== undefined || !this.#core.isSketched || (await this.#core.log?.isOutdated()))
          await this.refresh({ sketches: true });
        const own = messages.map((message) => this.#core.log?.stored(message) ?? message);
        const history = { model: this.#core.named ?? '', ...how, messages: own };
        const sketches = own.map((message) => sketchOf(this.#core.parts.dialect, message));
        const fitted = await this.fitGiven(history, sketches);
        if ('changed' in fitted) throw conflict(this.session ?? '', 0, 0);
        const { fitted: view, problem } = await this.keep(history, sketches, fitted);
        return problem ? { ...view, problem } : view;
      } catch (error) {
        this.#core.failure ??= isConflict(error) ? error : undefined;
        if (!isConflict(error) || ++conflicts === ATTEMPTS) throw error;
      }
    }
  }

  /**
   * A conversation that branches off after the first messages of this one, with the folds that it had then; `apart`: with its
   * own handles. Undefined if it had none.
   */
  async branch(session: string, messages: number, apart: boolean): Promise<Conversation<M> | undefined> {
    const speaker = this.#core.modelEntry(this.#core.named ?? '', messages);
    if (!(await this.#core.log?.copyTo(session, messages, apart, speaker))) return undefined;
    const other = new Conversation<M>(this.#core.parts, this.#core.place, session);
    await other.refresh();
    return other;
  }

  /** Takes over what was used before the model's first answer. */
  inherit(earlier: Earlier): void {
    this.#core.log?.inherit(earlier);
  }

  isOutdated(): Promise<boolean> {
    return this.#core.log?.isOutdated() ?? Promise.resolve(false);
  }

  // For both.

  /** Learns from the usage object of the answer to the last view, and records what it used. */
  async answered(usage: unknown, spent: Partial<Spent> = {}): Promise<void> {
    const { metrics, messages = [] } = this.#core.view ?? {};
    const { model = this.#core.named ?? '', tokens = tokensIn(usage) } = spent;
    await this.answeredTo({ metrics, model, sent: messages.length }, usage, { ...spent, tokens });
  }

  /** The same for an answer to any view: learns from it only if no later request has changed the view. */
  async answeredTo(
    { metrics, model, sent, request }: SentView,
    usage: unknown,
    { tokens, cost }: Spent,
  ): Promise<void> {
    const window = this.#core.opened();
    if (window.seen === metrics?.totalMessages) window.observe(usage);
    const { historyTokens = promptOf(tokens), max } = metrics ?? {};
    const position = { ...this.#core.position(historyTokens, max), sent };
    await this.recordUsage({ tokens, ...(cost === undefined ? {} : { cost }), model, window: position }, request);
  }

  /** Records what an answer used; while the store is away, it is owed. */
  async recordUsage(used: LoggedUsage, request: RequestName): Promise<void> {
    try {
      await this.#core.log?.addUsage(used, request);
    } catch (error) {
      if (this.#core.isStrict) throw error;
      this.#core.log?.owe({ at: used.window.seen, entry: { type: 'usage', ...used } });
    }
  }

  /** Records a request as it is sent; a text is its JSON body. Returns what it is known by. */
  async sent(request: RecordedRequest | string): Promise<RequestName> {
    if (!this.#core.log) return undefined;
    return typeof request === 'string'
      ? this.#core.strictly(this.#core.log.addBody(request))
      : this.#core.log.addRequest(request);
  }

  /** Folds now; with `preview` it only says what a fold would do. */
  async compact(options: { readonly focus?: string; readonly preview?: boolean } = {}): Promise<Receipt> {
    const window = this.#core.opened();
    const receipt = await this.#core.yielding(() =>
      window.compact(this.#core.pending, { offset: window.seen, ...options }),
    );
    if (options.preview) return receipt;
    this.#core.pending = [];
    this.#core.note({ receipt }, window.seen);
    await this.#core.write(this.#core.newsOf({ receipt }, false).map(({ entry }) => entry));
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
    this.#core.opened().pin(index);
    await this.#core.write([{ type: 'pin', index }]);
  }

  async unpin(index: number): Promise<void> {
    this.#core.opened().unpin(index);
    await this.#core.write([{ type: 'unpin', index }]);
  }

  /** The originals that a handle names, and the content of one result if it names one. Throws UNKNOWN_HANDLE. */
  recall(handle: string): Promise<Recalled<M>> {
    return this.#core.opened().recall(handle);
  }

  /** The passages of its session that match these words best, best first. */
  async search(words: string, limit?: number): Promise<readonly Hit[]> {
    const { session } = this;
    if (!this.#core.place || session === undefined) return [];
    return this.#core.place.store.search(words, { session, ...(limit === undefined ? {} : { limit }) });
  }

  /** Its messages in the log, from position `from` on. */
  history(from = 0): AsyncGenerator<M> {
    return this.#core.history(from);
  }

  async info(): Promise<SessionInfo | undefined> {
    return this.#core.log?.info();
  }

  /** Goes back to the first messages, with the folds that it had then. What follows stays in the log. */
  async rewind(messages: number): Promise<void> {
    if (!this.#core.log) throw notStored();
    await this.#core.strictly(this.#core.log.rewind(messages));
    await this.refresh();
  }

  /** A copy of it as it is now, in a session of its own. */
  async fork(session?: string): Promise<Conversation<M>> {
    if (!this.#core.place || this.session === undefined) throw notStored();
    const id = await forkSession(this.#core.place.store, this.session, session === undefined ? {} : { id: session });
    const other = new Conversation<M>(this.#core.parts, this.#core.place, id);
    await other.refresh({ sketches: this.#core.isSketched });
    return other;
  }

  /** Creates the session, if there is none yet. */
  async begin(): Promise<void> {
    await this.#core.log?.begin();
  }

  /** Records who speaks from here on, and to whom thinking is bound. */
  async speak(speaker: Omit<Extract<SessionEntry, { type: 'model' }>, 'type' | 'dialect' | 'from'>): Promise<void> {
    const { name: dialect } = this.#core.parts.dialect;
    await this.#core.write([{ type: 'model', ...speaker, dialect, from: this.messages }]);
    this.#core.named = speaker.model;
    this.#core.state = {
      ...this.#core.state,
      ...(speaker.fingerprint === undefined ? {} : { fingerprint: speaker.fingerprint }),
    };
  }

  /** Takes note that this view was sent and answered; `usage` is the API's usage object. */
  observe({ messages }: { readonly messages: readonly M[] }, usage: unknown): void {
    this.#core.shared = messages.length;
    if (usage !== undefined) this.#core.opened().observe(usage);
  }

  /** How many tokens the API counts for the last view. */
  counted(tokens: number): void {
    this.#core.opened().observe({ input_tokens: tokens });
  }

  /** Usage to be recorded with what is added next. `historyTokens`: of the whole history, if this was an answer. */
  spend(entry: Omit<LoggedUsage, 'window'>, historyTokens?: number): void {
    const window = historyTokens === undefined ? {} : { window: this.#core.position(historyTokens) };
    if (this.#core.log) this.#core.waiting = [...this.#core.waiting, { type: 'usage', ...entry, ...window }];
  }

  /** Changes the budget. `learned`: the limit that the API reported. */
  resize(bounds: Parameters<ConversationWindow<M>['resize']>[0], learned?: number): void {
    this.#core.opened().resize(bounds);
    this.#core.state = { ...this.#core.state, ...(learned === undefined ? {} : { limit: learned }) };
  }

  /** Leaves thinking out of the view and of later ones; false if there is none. `bare`: a message without it. */
  dropThinking(bare = (message: M) => withoutThinking(this.#core.parts.dialect, message)): boolean {
    const window = this.#core.opened();
    const pending = this.#core.pending.map(bare);
    const isChanged = window.mapView(bare) || pending.some((message, at) => message !== this.#core.pending[at]);
    this.#core.pending = pending;
    this.#core.bare = window.seen;
    if (isChanged) this.#core.shared = 0;
    return isChanged;
  }

  /** Replaces messages that the window has not seen. Only in memory. */
  replacePending(messages: readonly M[]): void {
    this.#core.pending = messages;
  }

  /** Messages that the window has not seen. */
  get pending(): readonly M[] {
    return this.#core.pending;
  }

  /** The newest whole turns of at most `limit` messages. Stateless. */
  pruneHistory<T extends M>(messages: readonly T[], limit: number): { readonly trimmed: T[]; readonly evicted: T[] } {
    return this.#core.opened().pruneHistory(messages, limit);
  }

  /** Tokens of these messages by their characters. */
  estimate(messages: readonly M[]): number {
    return this.#core.opened().estimateTokens(messages);
  }

  async #travel(way: 'undo' | 'redo'): Promise<Receipt | undefined> {
    const window = this.#core.opened();
    // Folds nothing: thinking in what was said last is bound to the present view.
    await window.adopt(this.#core.pending, { offset: window.seen });
    this.#core.pending = [];
    const receipt = await window[way]();
    if (!receipt) return undefined;
    this.#core.note({ receipt }, window.seen);
    const { seen, turns, hold } = window.state();
    const type = way === 'undo' ? 'unfold' : 'refold';
    await this.#core.write([{ type, receipt, seen, turns, ...(hold ? { hold } : {}) }]);
    return receipt;
  }

  /**
   * The view of a history, of whose first messages at most `most` are those of this conversation. With `forks`, a history that
   * the window finds changed in front of an answer of the model gets none but the place: the conversation has to be refreshed.
   */
  fitGiven(
    history: GivenHistory<M>,
    sketches: readonly string[],
    how: { readonly most?: number; readonly forks?: boolean } = {},
  ): Promise<Fitted<M> | { readonly changed: number }> {
    return fitGiven(this.#core, history, sketches, how);
  }

  /** Adopts the history and stores what is new, if it has a log or gets one now. A lenient one goes on without its store. */
  keep(history: GivenHistory<M>, sketches: readonly string[], fitted: Fitted<M>): Promise<KeptView<M>> {
    return keepGiven(this.#core, history, sketches, fitted);
  }

  /** The last view without its cache markers, and whatever these messages add to it, unchecked. */
  lastView(messages: readonly M[]): readonly M[] {
    return lastView(this.#core, messages);
  }

  /** Of each message of a history that its sender keeps. */
  get sketches(): readonly string[] {
    return this.#core.sketches;
  }
}

/** How often a history is fitted while other processes write to its conversation. */
const ATTEMPTS = 3;

function notStored(): HoldfastError {
  return new HoldfastError('UNKNOWN_SESSION', 'nothing has been said yet, or the conversation is in memory');
}

function tokensIn(usage: unknown): SessionTokens {
  const tokens = tokensOf(usage);
  return tokens ? sessionTokens(tokens) : { input: promptTokensOf(usage)?.tokens ?? 0, output: 0 };
}
