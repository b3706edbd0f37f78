import type { SessionTokens } from '@holdfast/models';
import {
  type ArchiveEntry,
  type ConversationHistoryConfig,
  ConversationWindow,
  type Dialect,
  type FitMetrics,
  type Fitted,
  hashMessage,
  type WindowState,
} from 'holdfast';
import { boundsOf, promptOf, type WireMessage } from '../entry.ts';
import { unknownSession } from '../log/head.ts';
import { type RecordedRequest, stretchTexts } from '../requests/text-recorder.ts';
import { type ConversationKind, eachMessage, type SessionStore } from '../store.ts';
import { ConversationLog, type EarlierUsage, type LoggedUsage, type RequestName } from './conversation-log.ts';
import { EarlierTexts } from './earlier-texts.ts';
import { newScope, sessionFor, sketchOf, type Track, takesOver } from './identity.ts';
import type { IncomingHistory } from './incoming.ts';
import type { Opening } from './openings.ts';

const NOTHING = { from: 0, messages: [] };

/** What all conversations share. */
export interface Setup {
  readonly store: SessionStore;
  readonly config: ConversationHistoryConfig;
  /** Who keeps the histories. Default: the proxy. */
  readonly kind?: ConversationKind;
}

/** A view that was sent, and how many messages it had. */
export interface SentView {
  /** Undefined if the messages could not be fitted. */
  readonly metrics: FitMetrics | undefined;
  readonly model: string;
  readonly sent: number;
  request?: RequestName;
}

/** What an answer used, and its dollars, if known. */
interface Spent {
  readonly tokens: SessionTokens;
  readonly cost?: number;
}

/**
 * A conversation whose history somebody else keeps: its window and, from its first fold on, its log. Memory never runs ahead of
 * the log: what cannot be written is forgotten. One call at a time.
 */
export class Conversation<M extends WireMessage> implements Track {
  readonly session: string;
  sketches: readonly string[] = [];
  hint: string | undefined;
  used = 0;
  /** Tokens of the last view: how much memory it takes. */
  size = 0;
  readonly #setup: Setup;
  readonly #dialect: Dialect<M>;
  readonly #log: ConversationLog<M>;
  #window: ConversationWindow<M> | undefined;
  /** The last view in the log, and how many messages it represents: the fallback if the store fails. */
  #view: { readonly messages: readonly M[]; readonly seen: number } | undefined;
  /** Originals that left the view and are not in the log yet. */
  readonly #unwritten = new Map<string, M>();
  /** What the answers before its first fold used: the log begins with them. */
  #earlier: EarlierUsage[] = [];
  /** The texts of their requests. */
  #texts = new EarlierTexts();
  /** The first messages whose thinking the API refused. */
  #bare = 0;
  /** The sentence of a note that says how to recall. */
  #recall: string | false | undefined;
  /** Where the window found the history changed. */
  #changed: number | undefined;
  /** Messages of the log that the window, as it was loaded, has not seen, and the place of the first. */
  #pending: { readonly from: number; readonly messages: readonly M[] } = NOTHING;

  constructor(setup: Setup, dialect: Dialect<M>, session: string) {
    this.#setup = setup;
    this.#dialect = dialect;
    this.session = session;
    this.#log = new ConversationLog({ store: setup.store, session, dialect, kind: setup.kind ?? 'proxy' });
  }

  /** A conversation without a log. `opening`: what the model answered before. */
  static start<M extends WireMessage>(
    setup: Setup,
    dialect: Dialect<M>,
    root: string,
    opening?: Opening<Conversation<M>>,
  ): Conversation<M> {
    const conversation = new Conversation<M>(setup, dialect, sessionFor(root, opening?.scope ?? newScope()));
    if (!opening) return conversation;
    conversation.#earlier = opening.used;
    conversation.#texts = opening.texts;
    opening.conversation = conversation;
    return conversation;
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

  /** The random id in its handles. */
  get scope(): string {
    return this.#log.scope;
  }

  get folds(): number {
    return this.#window?.folds ?? 0;
  }

  /** True if it has a log: then it can be loaded again. */
  get isStored(): boolean {
    return this.#log.exists;
  }

  /**
   * A conversation that branches off after the first messages of this one, with the folds that it had then; `apart`: with its
   * own handles. Undefined if it had none.
   */
  async fork(root: string, common: number, apart: boolean): Promise<Conversation<M> | undefined> {
    const other = Conversation.start<M>(this.#setup, this.#dialect, root);
    if (!(await this.#log.copyTo(other.session, common, apart))) return undefined;
    await other.#load();
    return other;
  }

  /** True if others have written to the log, or deleted it. */
  isOutdated(): Promise<boolean> {
    return this.#log.isOutdated();
  }

  /** Reads the log again; without a log it starts over. */
  async reload(): Promise<void> {
    this.#window = undefined;
    this.#pending = NOTHING;
    this.#unwritten.clear();
    if (await this.#readLog()) this.#forgetEarlier();
    else this.sketches = [];
  }

  /**
   * The view of a history that shares its first `common` messages with this one. If the window finds a change that the sketches
   * do not show, in front of an answer of the model: where it is, and the conversation has to be reloaded. Throws
   * INVALID_HISTORY, OVER_BUDGET, STORE_CONFLICT if others wrote meanwhile, and what the store throws.
   */
  async fit(history: IncomingHistory<M>, common: number): Promise<Fitted<M> | { readonly changed: number }> {
    this.#explain(history.recall);
    // Thinking after the user's last words may be required.
    if (history.once && this.sketches.length === 0)
      this.#bare = history.messages.findLastIndex((message) => this.#dialect.read(message).role === 'user');
    if (common < this.sketches.length) await this.#rewind(common, history);
    const fitted = await this.#fitOnce(history);
    const changed = this.#changed ?? this.#changeInPending(history);
    if (changed === undefined) return fitted;
    if (this.isStored && !takesOver({ track: this, common: changed })) return { changed };
    await this.#rewind(changed, history);
    return this.#fitOnce(history);
  }

  /** Adopts the history, and writes its new messages once there is a fold. Throws as `fit` does. */
  async keep(history: IncomingHistory<M>, sketches: readonly string[], fitted: Fitted<M>): Promise<void> {
    const window = this.#window;
    // Also after a rewind to before its first fold: the log must not miss a message.
    if (window && (window.folds > 0 || this.isStored)) {
      const { messages, model } = history;
      const written = this.isStored ? this.sketches.length : 0;
      const earlier = this.#earlier;
      await this.#log.add({ messages, written, model, fitted, earlier, state: () => window.state() });
      this.#forgetEarlier();
      this.#unwritten.clear();
    }
    this.sketches = sketches;
    this.#pending = NOTHING;
    this.size = fitted.metrics.estimatedTokens + this.#texts.tokens;
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

  /**
   * Leaves the thinking of a refused view out of later ones; if another request changed the view since, that one's answer
   * decides.
   */
  async dropThinking({ metrics }: Fitted<M>): Promise<void> {
    const window = await this.#opened();
    if (window.seen !== metrics.totalMessages) return;
    window.mapView((message) => withoutThinking(this.#dialect, message));
    this.#bare = window.seen;
  }

  /** Records a request as it is sent. Returns what the log, or memory before there is one, knows it by. */
  async sent(request: RecordedRequest): Promise<RequestName> {
    return this.isStored ? this.#log.addRequest(stretchTexts(request.stretches())) : this.#texts.keep(request);
  }

  #forgetEarlier(): void {
    this.#earlier = [];
    this.#texts = new EarlierTexts();
  }

  /** Records what an answer used; learns from it if no later request has changed the view. */
  async answered(usage: unknown, spent: Spent, { model, metrics, sent, request }: SentView): Promise<void> {
    const window = await this.#opened();
    if (window.seen === metrics?.totalMessages) window.observe(usage);
    const { seen, calibration } = window;
    const { historyTokens = promptOf(spent.tokens), max = window.budget.max } = metrics ?? {};
    const position = { seen, sent, calibration, historyTokens, max: boundsOf(max) };
    await this.record({ ...spent, model, window: position }, request);
  }

  /** Records what an answer used. `sent`: what its request is known by. */
  async record(used: LoggedUsage, sent: RequestName): Promise<void> {
    if (!this.isStored) {
      this.#earlier.push({ ...used, texts: typeof sent === 'number' ? undefined : sent });
      return;
    }
    // Another answer may have folded the conversation meanwhile.
    const request = typeof sent === 'object' ? await this.#log.addRequest(sent) : sent;
    await this.#log.addUsage(request === undefined ? used : { ...used, request });
  }

  async #load(): Promise<void> {
    if (!(await this.#readLog())) throw unknownSession(this.session);
  }

  /** False if there is no log. */
  async #readLog(): Promise<boolean> {
    const logged = await this.#log.read();
    if (!logged) return false;
    const { window: state, pending } = logged;
    const sketches: string[] = [];
    for await (const { message } of eachMessage(this.#setup.store, this.session))
      sketches.push(sketchOf(this.#dialect, message as M));
    this.sketches = sketches;
    this.#window = this.#open(state);
    this.#pending = { from: state.seen, messages: pending };
    this.#view = { messages: state.view, seen: state.seen };
    return true;
  }

  /** Goes back to the first messages, also in the log. */
  async #rewind(messages: number, { model }: IncomingHistory<M>): Promise<void> {
    this.#bare = Math.min(this.#bare, messages);
    this.#window = undefined;
    if (!this.isStored) return;
    await this.#log.rewind(messages, model);
    await this.#load();
  }

  async #fitOnce(history: IncomingHistory<M>): Promise<Fitted<M>> {
    const window = await this.#opened();
    const { first_reserve = 0, ...bounds } = history.bounds;
    const isMeasured = window.calibration.fixed !== undefined;
    window.resize(isMeasured ? bounds : { ...bounds, reserve: Math.max(bounds.reserve, first_reserve) });
    this.#changed = undefined;
    const bare = history.messages.slice(0, this.#bare).map((message) => withoutThinking(this.#dialect, message));
    return window.fit(bare.length === 0 ? history.messages : [...bare, ...history.messages.slice(bare.length)]);
  }

  /** Where the history differs from messages that only the log has. */
  #changeInPending({ messages }: IncomingHistory<M>): number | undefined {
    const { from, messages: known } = this.#pending;
    const hash = (message: M | undefined) =>
      message && hashMessage(this.#dialect, withoutThinking(this.#dialect, message));
    const at = known.findIndex((message, i) => hash(message) !== hash(messages[from + i]));
    return at < 0 ? undefined : from + at;
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

  #open(state = this.#emptyState()): ConversationWindow<M> {
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
        state,
      },
    );
  }

  /** A new window's, with the scope that its log will have: a note is measured with handles, and a recall tool may come later. */
  #emptyState(): WindowState<M> {
    return new ConversationWindow<M>({}, { dialect: this.#dialect, handles: { scope: this.scope } }).state();
  }
}

/** A message without its thinking and signatures; the same one if it has none. Pure. */
export function withoutThinking<M>(dialect: Dialect<M>, message: M): M {
  if (dialect.unsigned) return dialect.unsigned(message);
  if (!dialect.read(message).thinking) return message;
  return dialect.withoutThinking(message) ?? dialect.note('assistant', '(thinking)');
}
