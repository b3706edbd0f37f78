import type { Archive, Dialect } from 'holdfast';
import { messageEntry, type SessionEntry, type UsageEntry, type WindowPosition } from '../entry.ts';
import { plainHandle } from '../log/handles.ts';
import { unknownSession } from '../log/head.ts';
import { maskForLog } from '../log/mask-entry.ts';
import { appendAnyway, forkSession, type SessionWriter, sessionWriter } from '../log/writer.ts';
import { createRequestRecorder, type RequestRecorder } from '../requests/request-recorder.ts';
import {
  createTextRecorder,
  learnStored,
  type RecordedRequest,
  type StretchText,
  stretchTexts,
  type TextRecorder,
} from '../requests/text-recorder.ts';
import type { SessionInfo, SessionStore } from '../store.ts';
import { checkEdge, checkTail } from '../verify/check-tail.ts';
import { EarlierTexts } from './earlier-texts.ts';
import { scopeOf } from './identity.ts';
import { entriesOwed, type Owed, withOwed } from './owed.ts';
import { type ConversationState, restoreConversation } from './restore/restore-conversation.ts';

/** What an answer used, and where the window was then. */
export type LoggedUsage = Omit<UsageEntry, 'type'> & { readonly window: WindowPosition };

/** What a request is known by: its entry, or its text while there is no log; undefined if it was not recorded. */
export type RequestName = number | readonly StretchText[] | undefined;

/** What was used before a conversation had a log. */
export interface Earlier {
  readonly owed: readonly Owed[];
  readonly texts: EarlierTexts;
}

/**
 * The log of one conversation and its archive: how much of it this process has seen, and what it still lacks. Its methods throw
 * what the store throws, and STORE_CONFLICT if others wrote meanwhile.
 */
export class ConversationLog<M> {
  /** The random id in its handles, if it has one. */
  readonly scope: string | undefined;
  /** Has originals that are on their way to the log, and those in it. */
  readonly archive: Archive<M>;
  readonly #store: SessionStore;
  #dialect: Dialect<M>;
  #session: string | undefined;
  /** Undefined before there is a log. */
  #writer: Promise<SessionWriter> | undefined;
  #last: number | undefined;
  #messages = 0;
  #owed: readonly Owed[] = [];
  /** How many messages of the log still hold, if the history was changed while the store was away. */
  #cut: number | undefined;
  readonly #unwritten = new Map<string, M>();
  #earlier = new EarlierTexts();
  /** Know what requests may refer to; undefined before the log was read for them. */
  #texts: TextRecorder | undefined;
  #bodies: RequestRecorder | undefined;

  /** Without a session, a new one is created when it is first written to. */
  constructor(store: SessionStore, session: string | undefined, dialect: Dialect<M>) {
    this.#store = store;
    this.#session = session;
    this.#dialect = dialect;
    this.scope = session === undefined ? undefined : scopeOf(session);
    this.archive = {
      put: (entries) => {
        for (const { handle, message } of entries) this.#unwritten.set(handle, message);
      },
      get: async (handle) => this.#unwritten.get(handle) ?? this.#original(handle),
    };
  }

  /** The id of its session; undefined before a new one is created. */
  get session(): string | undefined {
    return this.#session;
  }

  get exists(): boolean {
    return this.#last !== undefined;
  }

  /** Messages of the history in it. */
  get messages(): number {
    return this.#messages;
  }

  /** True if a fold just removed messages that are not in the log. */
  get lacksOriginals(): boolean {
    return this.#unwritten.size > 0;
  }

  /** True if the history was changed where the log could not follow. */
  get isCut(): boolean {
    return this.#cut !== undefined;
  }

  /** How many tokens of texts it keeps in memory. */
  get size(): number {
    return this.#earlier.tokens;
  }

  /** The dialect of what is written from here on. */
  speak(dialect: Dialect<M>): void {
    this.#dialect = dialect;
  }

  async info(): Promise<SessionInfo | undefined> {
    return this.#session === undefined ? undefined : this.#store.info(this.#session);
  }

  /** True if others have written to it, or deleted it. */
  async isOutdated(): Promise<boolean> {
    return this.exists && (await this.info())?.last !== this.#last;
  }

  /** The conversation as the log has it; undefined if there is no log. `check`: throws BAD_STORE if it was changed. */
  async restore(check = false): Promise<ConversationState<M> | undefined> {
    const info = await this.info();
    // Restoring a broken log fails without naming what is broken.
    if (info && check) await checkTail(this.#store, info);
    const state = info && (await this.#stateAt(info));
    if (state && check) await checkEdge(this.#store, info, this.#dialect as Dialect<unknown>, state.window);
    [this.#texts, this.#bodies] = [undefined, undefined];
    const writer = info && (await sessionWriter(this.#store, info.id, info.last));
    this.#writer = writer && Promise.resolve(writer);
    this.#last = info?.last;
    this.#messages = info?.messages ?? 0;
    this.#unwritten.clear();
    if (info || this.isCut) this.#settled();
    return state;
  }

  /** Continues after what `info` says is in it. */
  async attach(info: SessionInfo): Promise<void> {
    this.#writer = Promise.resolve(await sessionWriter(this.#store, info.id, info.last));
    [this.#last, this.#messages] = [info.last, info.messages];
  }

  /** The message as it would be stored: with keys masked, if the store masks them. */
  stored(message: M): M {
    const entry = this.#stored(messageEntry(message));
    return entry.type === 'message' ? (entry.message as M) : message;
  }

  /** Creates the session, if there is none yet. */
  begin(): Promise<SessionWriter> {
    this.#writer ??= this.#created();
    this.#writer.catch(() => {
      this.#writer = undefined;
    });
    return this.#writer;
  }

  /** Appends entries and returns them as stored. `entries` may be computed from the number of the newest. */
  async append(
    entries: readonly SessionEntry[] | ((last: number) => readonly SessionEntry[]),
  ): Promise<SessionEntry[]> {
    const writer = await this.begin();
    let kept: SessionEntry[] = [];
    const last = await writer.append(async (before) => {
      kept = (typeof entries === 'function' ? entries(before) : entries).map((entry) => this.#stored(entry));
      return kept;
    });
    this.#last = last;
    for (const [at, entry] of kept.entries()) {
      if (entry.type !== 'message') continue;
      this.#messages++;
      this.#texts?.learn(entry, last - kept.length + 1 + at);
    }
    this.#bodies?.appended(kept, last);
    return kept;
  }

  /** Keeps entries for when the log can have them. */
  owe(...entries: readonly Owed[]): void {
    this.#owed = withOwed(this.#owed, entries);
  }

  /** Takes over what was used before. */
  inherit({ owed, texts }: Earlier): void {
    this.owe(...owed);
    this.#earlier = texts;
  }

  /** Writes everything that the log lacks: of these messages of the whole history, and what is owed, this last. */
  async write(messages: readonly M[], speaker: SessionEntry | undefined, ...more: readonly Owed[]): Promise<void> {
    const owed = [...this.#owed, ...more];
    if (messages.length <= this.#messages && owed.length === 0 && this.exists) return;
    const first = speaker ? [speaker] : [];
    await this.append((last) => [...first, ...entriesOwed(messages, this.#messages, owed, last + first.length)]);
    this.#settled();
  }

  /**
   * Adds a request as it is sent, and returns what it is known by: by its text while it waits for a log. Undefined if there is
   * no room for it.
   */
  async addRequest(request: RecordedRequest | readonly StretchText[]): Promise<RequestName> {
    if (!this.exists) return 'bytes' in request ? this.#earlier.keep(request) : request;
    const texts = 'bytes' in request ? stretchTexts(request.stretches()) : request;
    const { id } = await this.begin();
    if (!this.#texts) {
      this.#texts = createTextRecorder();
      await learnStored(this.#store, id, this.#texts);
    }
    const recorder = this.#texts;
    await this.append((last) => recorder.entriesFor(texts, last)).catch((error: unknown) => {
      // It counts on entries that were not written.
      this.#texts = undefined;
      throw error;
    });
    return this.#last;
  }

  /** Adds a request by its JSON body, and returns its number. */
  async addBody(body: string): Promise<number> {
    const writer = await this.begin();
    this.#bodies ??= createRequestRecorder(this.#store, writer.id);
    this.#last = await this.#bodies.sent(writer, body);
    return this.#last;
  }

  /** Adds what an answer used, even if others have written meanwhile. Without a log, it is owed. */
  async addUsage(used: LoggedUsage, sent: RequestName): Promise<void> {
    const entry = { type: 'usage', ...used } as const;
    if (!this.exists)
      return this.owe({ at: used.window.seen, entry, texts: typeof sent === 'object' ? sent : undefined });
    // Another answer may have folded the conversation meanwhile.
    const request = typeof sent === 'object' ? await this.addRequest(sent) : sent;
    const writer = await this.begin();
    const named = typeof request === 'number' ? { ...entry, request } : entry;
    const last = await appendAnyway(this.#store, writer.id, [named]);
    // If another process wrote in between, the next call reads the log again.
    if (last !== writer.last + 1) return;
    writer.seen(last);
    this.#last = last;
  }

  /** Goes back to the first messages; the window has to be restored then. */
  async rewind(messages: number): Promise<void> {
    const before = await this.#at(messages);
    if (!before) throw unknownSession(this.#session ?? '');
    await this.append([{ type: 'rewind', to: messages, seq: before.seq, folds: before.window.folds }]);
    this.#messages = messages;
  }

  /** Remembers that only the first messages hold, for when the store can be written again. */
  cut(messages: number): void {
    this.#cut = Math.min(this.#cut ?? this.#messages, messages);
  }

  /** Does what was cut. False if nothing was. */
  async makeCut(): Promise<boolean> {
    if (this.#cut === undefined) return false;
    if (this.#cut < this.#messages) await this.rewind(this.#cut);
    return true;
  }

  /**
   * Copies the log up to this many messages into a session; false if nothing was folded by then. `apart`: its handles do not
   * lead to this conversation, of which the other one may know no more than what both share.
   */
  async copyTo(session: string, messages: number, apart: boolean, speaker: SessionEntry): Promise<boolean> {
    const before = await this.#at(messages);
    if (!before || before.window.folds === 0) return false;
    const { revisions } = before.window;
    const from = [...new Set(revisions.flatMap(([, , scope]) => scope ?? []))];
    const handles = apart ? { rescope: { from, to: scopeOf(session) ?? '' } } : { revisions };
    await forkSession(this.#store, before.session, { id: session, seq: before.seq, ...handles });
    const info = await this.#store.info(session);
    await this.#store.append(session, [speaker], info?.last ?? 0);
    return true;
  }

  /** The log has everything. */
  #settled(): void {
    [this.#owed, this.#cut, this.#earlier] = [[], undefined, new EarlierTexts()];
    this.#unwritten.clear();
  }

  #stored(entry: SessionEntry): SessionEntry {
    return this.#store.mask_keys ? maskForLog(entry, this.#dialect.name) : entry;
  }

  async #original(handle: string): Promise<M | undefined> {
    if (this.#session === undefined) return undefined;
    return (await this.#store.message(this.#session, plainHandle(handle)))?.message as M | undefined;
  }

  /** The window as it was with this many messages, and the last entry then. */
  async #at(messages: number) {
    const info = await this.info();
    const found = info && (await this.#store.message(info.id, messages));
    if (!info || !found) return undefined;
    const seq = found.seq - 1;
    return { session: info.id, window: (await this.#stateAt({ ...info, last: seq, messages })).window, seq };
  }

  #stateAt(info: SessionInfo): Promise<ConversationState<M>> {
    const scope = this.scope === undefined ? {} : { scope: this.scope };
    return restoreConversation<M>(this.#store, info, this.#dialect, scope);
  }

  async #created(): Promise<SessionWriter> {
    const known = await this.info();
    const { id } = known ?? (await this.#store.create(this.#session === undefined ? {} : { id: this.#session }));
    this.#session = id;
    const writer = await sessionWriter(this.#store, id, 0);
    this.#last = 0;
    return writer;
  }
}
