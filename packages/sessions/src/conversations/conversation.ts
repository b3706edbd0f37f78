import {
  type ArchiveEntry,
  type ConversationHistoryConfig,
  ConversationWindow,
  type Dialect,
  type Fitted,
  type Receipt,
  type WindowState,
} from 'holdfast';
import { withoutNewest } from 'holdfast/fill-state';
import type { SessionEntry, SessionTokens, WireMessage } from '../entry.ts';
import { unknownSession } from '../log/head.ts';
import { appendAnyway, forkSession } from '../log/writer.ts';
import { sessionConversation } from '../replay/session-conversation.ts';
import { type ConversationKind, eachMessage, type SessionInfo, type SessionStore } from '../store.ts';
import { newScope, scopeOf, sessionFor, sketchOf, type Track, takesOver } from './identity.ts';
import type { IncomingHistory } from './incoming.ts';

/** What all conversations share. */
export interface Setup {
  readonly store: SessionStore;
  readonly config: ConversationHistoryConfig;
  /** Who brings the histories. Default: the proxy. */
  readonly kind?: ConversationKind;
}

/**
 * A conversation whose history somebody else keeps: its window and, from its first fold on, its log. Memory never runs ahead of
 * the log: what cannot be written is forgotten. One call at a time.
 */
export class Conversation<M extends WireMessage> implements Track {
  readonly scope: string;
  readonly session: string;
  sketches: readonly string[] = [];
  hint: string | undefined;
  used = 0;
  /** Tokens of the last view: what it takes of the memory. */
  size = 0;
  readonly #setup: Setup;
  readonly #dialect: Dialect<M>;
  #window: ConversationWindow<M> | undefined;
  /** The last view that the log has, and how many messages it stands for: it remains if the store fails. */
  #view: { readonly messages: readonly M[]; readonly seen: number } | undefined;
  /** The last entry of the log that this process has seen; undefined before there is a log. */
  #last: number | undefined;
  /** The model that the log names. */
  #model: string | undefined;
  /** Originals that left the view and are not in the log yet. */
  readonly #unwritten = new Map<string, M>();
  /** The first messages whose thinking the API refused. */
  #bare = 0;
  /** The sentence of a note that says how to recall. */
  #recall: string | false | undefined;
  /** Where the window found the history changed. */
  #changed: number | undefined;

  constructor(setup: Setup, dialect: Dialect<M>, session: string) {
    this.#setup = setup;
    this.#dialect = dialect;
    this.session = session;
    this.scope = scopeOf(session) ?? '';
  }

  /** A conversation without a log. */
  static start<M extends WireMessage>(setup: Setup, dialect: Dialect<M>, root: string): Conversation<M> {
    return new Conversation<M>(setup, dialect, sessionFor(root, newScope()));
  }

  /** The conversation that a session keeps. Throws BAD_STORE. */
  static async load<M extends WireMessage>(
    setup: Setup,
    dialect: Dialect<M>,
    session: string,
  ): Promise<Conversation<M>> {
    const conversation = new Conversation<M>(setup, dialect, session);
    await conversation.#load();
    return conversation;
  }

  get folds(): number {
    return this.#window?.folds ?? 0;
  }

  /** True if it has a log: then it can be loaded again. */
  get isStored(): boolean {
    return this.#last !== undefined;
  }

  /** Another conversation that goes on from the first messages of this one, with the folds that it had then. */
  async fork(root: string, common: number): Promise<Conversation<M>> {
    const { store } = this.#setup;
    const other = Conversation.start<M>(this.#setup, this.#dialect, root);
    const before = await this.#at(common);
    if (!before || before.window.folds === 0) return other;
    await forkSession(store, this.session, { id: other.session, seq: before.seq });
    const info = await store.info(other.session);
    await store.append(other.session, [this.#modelEntry(this.#model ?? '', common)], info?.last ?? 0);
    await other.#load();
    return other;
  }

  /** True if others have written to the log, or deleted it. */
  async isOutdated(): Promise<boolean> {
    if (this.#last === undefined) return false;
    return (await this.#setup.store.info(this.session))?.last !== this.#last;
  }

  /** Reads again what the log holds; without a log it starts over. */
  async reload(): Promise<void> {
    this.#window = undefined;
    this.#unwritten.clear();
    if (await this.#setup.store.info(this.session)) return this.#load();
    this.#last = undefined;
    this.sketches = [];
  }

  /**
   * The view of a history that shares its first `common` messages with this one. If the window finds a change that the sketches
   * do not show, in front of an answer of the model: where it is, and the conversation has to be reloaded. Throws
   * INVALID_HISTORY, OVER_BUDGET, STORE_CONFLICT if others wrote meanwhile, and what the store throws.
   */
  async fit(history: IncomingHistory<M>, common: number): Promise<Fitted<M> | { readonly changed: number }> {
    this.#explain(history.recall);
    if (common < this.sketches.length) await this.#rewind(common, history);
    const fitted = await this.#fitOnce(history);
    const changed = this.#changed;
    if (changed === undefined) return fitted;
    if (this.isStored && !takesOver({ track: this, common: changed })) return { changed };
    await this.#rewind(changed, history);
    return this.#fitOnce(history);
  }

  /** Takes over the history, and writes what is new of it once there is a fold. Throws as `fit`. */
  async keep(history: IncomingHistory<M>, sketches: readonly string[], fitted: Fitted<M>): Promise<void> {
    if (this.folds > 0) await this.#write(history, fitted);
    this.sketches = sketches;
    this.size = fitted.metrics.estimatedTokens;
    this.#view = { messages: fitted.messages, seen: history.messages.length };
  }

  /** Tokens of the whole prompt, if this history is sent as it came. */
  estimate({ messages, bounds }: IncomingHistory<M>): number {
    return bounds.reserve + (this.#window?.estimateTokens(messages) ?? 0);
  }

  /** The last view without its cache markers, and whatever this history adds to it, unchecked. */
  lastView({ messages }: IncomingHistory<M>): readonly M[] {
    if (!this.#view || !this.isStored) return messages;
    // The client has moved its markers, and a request may carry only so many.
    const bare = this.#view.messages.map((message) => this.#dialect.withMarkers(message, 0));
    return [...bare, ...messages.slice(this.#view.seen)];
  }

  /** Leaves the thinking of a refused view out of later ones; if another request changed the view since, that one's answer decides. */
  async dropThinking({ metrics }: Fitted<M>): Promise<void> {
    const window = await this.#opened();
    if (window.seen !== metrics.totalMessages) return;
    window.mapView((message) => withoutThinking(this.#dialect, message));
    this.#bare = window.seen;
  }

  /** Learns from the usage of the answer to the last view; `seen`: the messages that it stood for. */
  async answered(usage: unknown, entry: { tokens: SessionTokens; cost?: number; model: string }, sent: Fitted<M>) {
    const window = this.#window;
    if (!window || window.seen !== sent.metrics.totalMessages) return;
    window.observe(usage);
    if (this.#last === undefined) return;
    const position = {
      seen: window.seen,
      sent: sent.messages.length,
      calibration: window.calibration,
      historyTokens: sent.metrics.historyTokens,
    };
    const before = this.#last;
    const last = await appendAnyway(this.#setup.store, this.session, [{ type: 'usage', ...entry, window: position }]);
    // With an entry of somebody else in between, the next call loads the log again.
    if (last === before + 1) this.#last = last;
  }

  async #load(): Promise<void> {
    const { store } = this.#setup;
    const info = await store.info(this.session);
    if (!info) throw unknownSession(this.session);
    const saved = await sessionConversation<M>(store, info, this.#dialect, { scope: this.scope });
    const sketches: string[] = [];
    for await (const { message } of eachMessage(store, this.session))
      sketches.push(sketchOf(this.#dialect, message as M));
    this.sketches = sketches;
    this.#last = info.last;
    this.#model = info.model;
    this.#window = this.#open(saved.window);
    this.#view = { messages: saved.window.view, seen: saved.window.seen };
  }

  /** The window as it was with this many messages, by the log. */
  async #at(messages: number) {
    const { store } = this.#setup;
    const info = await store.info(this.session);
    const found = info && (await store.message(this.session, messages));
    if (!info || !found) return undefined;
    const seq = found.seq - 1;
    const then: SessionInfo = { ...info, last: seq, messages };
    const { window } = await sessionConversation<M>(store, then, this.#dialect, { scope: this.scope });
    return { window, seq, last: info.last };
  }

  /** Goes back to the first messages, in the log, too. */
  async #rewind(messages: number, { model }: IncomingHistory<M>): Promise<void> {
    this.#bare = Math.min(this.#bare, messages);
    if (this.#last === undefined) {
      this.#window = undefined;
      return;
    }
    const before = await this.#at(messages);
    if (!before) throw unknownSession(this.session);
    const { seq, window } = before;
    await this.#append([{ type: 'rewind', to: messages, seq, folds: window.folds }, this.#modelEntry(model, messages)]);
    await this.#load();
  }

  async #fitOnce(history: IncomingHistory<M>): Promise<Fitted<M>> {
    const window = await this.#opened();
    const { messages, bounds } = history;
    window.resize(bounds);
    this.#changed = undefined;
    const bare = (message: M) => withoutThinking(this.#dialect, message);
    return window.fit(messages.map((message, at) => (at < this.#bare ? bare(message) : message)));
  }

  /** Sets what notes say about recall. A window has it from its start, so an open one starts again from its state. */
  #explain(recall: string | false | undefined): void {
    if (recall === this.#recall) return;
    this.#recall = recall;
    if (this.#window) this.#window = this.#open(this.#window.state());
  }

  async #opened(): Promise<ConversationWindow<M>> {
    if (!this.#window && this.isStored) await this.#load();
    this.#window ??= this.#open();
    return this.#window;
  }

  #open(state?: WindowState<M>): ConversationWindow<M> {
    return new ConversationWindow<M>(
      { ...this.#setup.config, max_messages: 0 },
      {
        dialect: this.#dialect,
        handles: this.#recall !== false && {
          scope: this.scope,
          ...(this.#recall === undefined ? {} : { how: this.#recall }),
        },
        archive: {
          put: (entries: readonly ArchiveEntry<M>[]) => {
            for (const { handle, message } of entries) this.#unwritten.set(handle, message);
          },
          get: async (handle) =>
            this.#unwritten.get(handle) ??
            ((await this.#setup.store.message(this.session, handle))?.message as M | undefined),
        },
        logger: { warn: () => undefined },
        onEvent: (event) => {
          if (event.type === 'history-rewritten') this.#changed = event.index;
        },
        ...(state ? { state } : {}),
      },
    );
  }

  async #write({ messages, model }: IncomingHistory<M>, { receipt, reminder }: Fitted<M>): Promise<void> {
    const written = this.isStored ? this.sketches.length : 0;
    const fold = receipt && foldEntry(this.#window?.state(), receipt);
    const covered = fold?.fold.covered ?? 0;
    const entries: SessionEntry[] = [
      ...(this.#model === model ? [] : [this.#modelEntry(model, written)]),
      // What the fold does not need comes after it: the client may still change its last message.
      ...messages.slice(written, covered).map(messageEntry),
      ...(fold ? [fold] : []),
      ...messages.slice(Math.max(written, covered)).map(messageEntry),
      ...(reminder ? [{ type: 'reminder' as const, at: reminder.at, text: reminder.text }] : []),
    ];
    if (!this.isStored) await this.#create();
    await this.#append(entries);
    this.#model = model;
    this.#unwritten.clear();
  }

  async #create(): Promise<void> {
    await this.#setup.store.create({ id: this.session });
    this.#last = 0;
  }

  async #append(entries: readonly SessionEntry[]): Promise<void> {
    if (entries.length > 0) this.#last = await this.#setup.store.append(this.session, entries, this.#last ?? 0);
  }

  #modelEntry(model: string, from: number): SessionEntry {
    return { type: 'model', provider: this.#setup.kind ?? 'proxy', model, dialect: this.#dialect.name, from };
  }
}

/** A message without its thinking; the same one if it has none. Pure. */
export function withoutThinking<M>(dialect: Dialect<M>, message: M): M {
  if (!dialect.read(message).thinking) return message;
  return dialect.withoutThinking(message) ?? dialect.note('assistant', '(thinking)');
}

function messageEntry(message: WireMessage): SessionEntry {
  return { type: 'message', message };
}

/** The newest fold, without the newest turn if the fold left that as it was; a view cannot end with its note. */
function foldEntry<M>(state: WindowState<M> | undefined, receipt: Receipt) {
  const newest = state?.log.at(-1);
  if (!state || !newest) return undefined;
  const settled = withoutNewest(newest);
  const isProper = settled && (settled.note === undefined || settled.head < settled.kept.length);
  return { type: 'fold' as const, fold: isProper ? settled : newest, receipt, eras: state.eras };
}
