import {
  type Archive,
  ConversationWindow,
  type FitMetrics,
  type Fitted,
  isHoldfastError,
  memoryArchive,
  type Size,
  type WindowState,
} from 'holdfast';
import { boundsOf, type SessionEntry, type WindowPosition } from '../entry.ts';
import { unknownSession } from '../log/head.ts';
import { eachMessage } from '../store.ts';
import { ConversationLog } from './conversation-log.ts';
import { sketchOf } from './identity.ts';
import { foldEntry, type Owed } from './owed.ts';
import type { ConversationParts, ConversationPlace, Writing } from './parts.ts';
import type { ConversationState } from './restore/restore-conversation.ts';

/** What the parts of a conversation share: its window, what it opens from, and its log. */
export class ConversationCore<M> {
  /** Of each message of a history that its sender keeps. */
  sketches: readonly string[] = [];
  readonly place: ConversationPlace | undefined;
  readonly log: ConversationLog<M> | undefined;
  parts: ConversationParts<M>;
  window: ConversationWindow<M> | undefined;
  /** What the window opens from, and what it does not know. */
  state: Partial<ConversationState<M>> = {};
  /** Messages that the window has not seen. */
  pending: readonly M[] = [];
  /** The window before the fold under way: the store may refuse its originals. */
  before: WindowState<M> | undefined;
  /** Folds name no handle, because their originals cannot be stored. */
  isNameless = false;
  /** True while `sketches` are those of the log. */
  isSketched = true;
  /** The last view, how many messages it represents, and its figures. */
  view: { readonly messages: readonly M[]; readonly seen: number; readonly metrics?: FitMetrics } | undefined;
  viewSize: Size = { messages: 0, tokens: 0 };
  /** How many messages at its start the view has in common with the last request that was answered. */
  shared = 0;
  /** Turns dropped up to each fold, by what it covered. */
  dropped = new Map<number, number>();
  /** The first messages whose thinking an API refused. */
  bare = 0;
  recall: string | false | undefined;
  /** Where the window found the history changed. */
  changed: number | undefined;
  /** The model that the log names. */
  named: string | undefined;
  /** Usage that is recorded with the next messages. */
  waiting: SessionEntry[] = [];
  failure: unknown;

  /** In memory without a place; in a new session without an id. */
  constructor(parts: ConversationParts<M>, place?: ConversationPlace, session?: string) {
    this.parts = parts;
    this.place = place;
    this.log = place && new ConversationLog<M>(place.store, session, parts.dialect);
  }

  get isStored(): boolean {
    return this.log?.exists ?? false;
  }

  get folds(): number {
    return this.window?.folds ?? this.state.window?.folds ?? 0;
  }

  get messages(): number {
    return this.opened().seen + this.pending.length;
  }

  get isStrict(): boolean {
    return this.place?.durability !== 'lenient';
  }

  /**
   * As the log has it. Without a log it starts over. Throws BAD_STORE; with `check` also if the log was changed. Throws
   * UNKNOWN_SESSION if a strict one was deleted.
   */
  async refresh({ check = false, sketches = this.isSketched } = {}): Promise<void> {
    if (this.isStrict && this.isStored && !(await this.log?.info())) throw unknownSession(this.log?.session ?? '');
    const state = await this.log?.restore(check);
    const read: string[] = [];
    if (state && sketches) for await (const message of this.history()) read.push(sketchOf(this.parts.dialect, message));
    this.sketches = read;
    this.isSketched = sketches || !state;
    [this.failure, this.named, this.before, this.isNameless] = [undefined, undefined, undefined, false];
    this.waiting = [];
    this.load(state ?? {});
  }

  /** Stores entries, and returns them as stored. Messages do not become part of the view, which `refresh()` reads again. */
  async record(entries: readonly SessionEntry[]): Promise<readonly SessionEntry[]> {
    if (!this.log || entries.length === 0) return entries;
    if (this.failure !== undefined) throw this.failure;
    return await this.strictly(this.log.append(entries));
  }

  async write(entries: readonly SessionEntry[]): Promise<readonly SessionEntry[]> {
    const write: Writing = (given) => this.record(given);
    const { through } = this.parts;
    return entries.length > 0 && through ? through(entries, write) : write(entries);
  }

  load(state: Partial<ConversationState<M>>): void {
    this.window = undefined;
    this.state = state;
    this.pending = state.pending ?? [];
    this.shared = state.shared ?? 0;
    this.dropped = new Map(Object.entries(state.dropped ?? {}).map(([covered, sum]) => [Number(covered), sum]));
    const { view, seen } = state.window ?? {};
    this.view = view && seen !== undefined ? { messages: view, seen } : undefined;
    this.viewSize = { messages: view?.length ?? 0, tokens: 0 };
  }

  opened(): ConversationWindow<M> {
    this.window ??= this.open(this.state.window);
    return this.window;
  }

  open(given: WindowState<M> | undefined): ConversationWindow<M> {
    const { config, archive = memoryArchive<M>(), onEvent, handles: own, ...parts } = this.parts;
    const { scope } = this.log ?? {};
    const isNamed = !this.isNameless && this.recall !== false;
    const how = typeof this.recall === 'string' ? { how: this.recall } : {};
    const handles = scope === undefined || own === false ? own : { ...(own === true ? {} : own), scope, ...how };
    // A note is measured with handles, and a recall tool may come later.
    const state = given ?? (scope === undefined ? undefined : this.empty(scope));
    return new ConversationWindow<M>(config, {
      ...parts,
      ...(isNamed ? (handles === undefined ? {} : { handles }) : { handles: false }),
      archive: this.log ? this.guarded(this.log.archive) : archive,
      onEvent: (event) => {
        if (event.type === 'history-rewritten') this.changed = event.index;
        onEvent?.(event);
      },
      ...(state ? { state } : {}),
    });
  }

  empty(scope: string): WindowState<M> {
    return new ConversationWindow<M>({}, { dialect: this.parts.dialect, handles: { scope } }).state();
  }

  /** A lenient conversation remembers the window as it was before a fold, and does without originals that it cannot read. */
  guarded(archive: Archive<M>): Archive<M> {
    if (this.isStrict) return archive;
    return {
      put: (entries) => {
        this.before ??= this.window?.state();
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

  reopen(state: WindowState<M> | undefined = this.window?.state()): void {
    if (state) this.window = this.open(state);
  }

  note({ messages, metrics, receipt }: Partial<Fitted<M>>, seen: number): void {
    const { metrics: before, messages: old = [] } = this.view ?? {};
    const figures = metrics ?? before;
    this.view = { messages: messages ?? old, seen, ...(figures ? { metrics: figures } : {}) };
    if (metrics) this.viewSize = { messages: metrics.preservedMessages, tokens: metrics.estimatedTokens };
    else if (receipt) this.viewSize = receipt.after;
    if (receipt) this.shared = Math.min(this.shared, receipt.changedFrom);
  }

  /** What a view adds to the log besides messages. `settles`: the sender may still change its last message. */
  newsOf({ receipt, reminder }: Pick<Fitted<M>, 'receipt' | 'reminder'>, settles: boolean): Owed[] {
    const news: Owed[] = [];
    const entry = receipt && foldEntry(this.opened().state(), receipt, { settles, dropped: this.dropped });
    if (entry) news.push({ at: entry.fold.covered, entry });
    if (reminder)
      news.push({ at: this.opened().seen, entry: { type: 'reminder', at: reminder.at, text: reminder.text } });
    return news;
  }

  position(historyTokens: number, max: Size = this.opened().budget.max): WindowPosition {
    const { seen, calibration } = this.opened();
    const { limit } = this.state;
    const learned = limit === undefined ? {} : { limit };
    return { seen, sent: this.shared, calibration, historyTokens, max: boundsOf(max), ...learned };
  }

  modelEntry(model: string, from: number): SessionEntry {
    const { provider = '' } = this.place ?? {};
    return { type: 'model', provider, model, dialect: this.parts.dialect.name, from };
  }

  /** Whatever is not written is no longer what memory says. */
  async strictly<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing;
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  /** No API refuses a request for its number of messages, so if only that is over the budget, the limit yields for one call. */
  async yielding<T>(act: () => Promise<T>): Promise<T> {
    const window = this.opened();
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

  /** Its messages in the log, from position `from` on. */
  async *history(from = 0): AsyncGenerator<M> {
    const { session, exists = false } = this.log ?? {};
    if (!this.place || session === undefined || !exists) return;
    for await (const { message } of eachMessage(this.place.store, session, from)) yield message as M;
  }
}

/** How many messages a view needs that is over its budget in nothing else; undefined for any other error. */
function messagesOver(error: unknown): number | undefined {
  if (!isHoldfastError(error) || error.code !== 'OVER_BUDGET') return undefined;
  const { floor, max } = error.details as { readonly floor?: Size; readonly max?: Size };
  if (!floor || !max || floor.messages <= max.messages || floor.tokens > max.tokens) return undefined;
  return floor.messages;
}
