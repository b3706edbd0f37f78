import type { Dialect, Fitted, Receipt, WindowState } from 'holdfast';
import { withoutNewest } from 'holdfast/fill-state';
import type { SessionEntry, UsageEntry, WindowPosition, WireMessage } from '../entry.ts';
import { unknownSession } from '../log/head.ts';
import { appendAnyway, forkSession } from '../log/writer.ts';
import { createTextRecorder, learnStored, type StretchText } from '../requests/text-recorder.ts';
import type { ConversationKind, SessionInfo, SessionStore } from '../store.ts';
import { scopeOf } from './identity.ts';
import { type ConversationState, restoreConversation } from './restore/restore-conversation.ts';

/** Where the log of a conversation is, and who keeps its history. */
interface LogPlace<M> {
  readonly store: SessionStore;
  readonly session: string;
  readonly dialect: Dialect<M>;
  readonly kind: ConversationKind;
}

/** What an answer used, and where the window was then. */
export type LoggedUsage = Omit<UsageEntry, 'type'> & { readonly window: WindowPosition };

/** The same before there is a log, with the request's text. */
export type EarlierUsage = LoggedUsage & { readonly texts?: readonly StretchText[] | undefined };

/** What a request is known by: its entry, or its text while there is no log; undefined if it was not recorded. */
export type RequestName = number | readonly StretchText[] | undefined;

/** What a request adds to the log. */
interface Addition<M> {
  /** The whole history, of which the log has the first `written` messages. */
  readonly messages: readonly M[];
  readonly written: number;
  readonly model: string;
  readonly fitted: Fitted<M>;
  /** Usage of the answers before there was a log. */
  readonly earlier: readonly EarlierUsage[];
  /** Called only for a fold: it copies the view. */
  state(): WindowState<M>;
}

/** A window as its log has it; `pending`: the messages since its newest fold or answer. */
type Logged<M> = Pick<ConversationState<M>, 'window' | 'pending'>;

/** The log of a conversation, from its first fold on, and how much of it this process has seen. */
export class ConversationLog<M extends WireMessage> {
  readonly scope: string;
  readonly #place: LogPlace<M>;
  /** The last entry that this process has seen; undefined before there is a log. */
  #last: number | undefined;
  /** The model that the log names. */
  #model: string | undefined;
  /** Knows what requests may refer to; undefined before the log was read for it. */
  #requests: ReturnType<typeof createTextRecorder> | undefined;

  constructor(place: LogPlace<M>) {
    this.#place = place;
    this.scope = scopeOf(place.session) ?? '';
  }

  get exists(): boolean {
    return this.#last !== undefined;
  }

  /** True if others have written to it, or deleted it. */
  async isOutdated(): Promise<boolean> {
    return this.exists && (await this.#info())?.last !== this.#last;
  }

  /**
   * The window as the log has it, and the messages after those that it covers; undefined if there is no log. Throws BAD_STORE.
   */
  async read(): Promise<Logged<M> | undefined> {
    const info = await this.#info();
    const logged = info && (await this.#readAt(info));
    this.#last = info?.last;
    this.#model = info?.model;
    this.#requests = undefined;
    return logged;
  }

  /** Adds messages, a fold and a reminder. Throws STORE_CONFLICT if others have written meanwhile. */
  async add({ messages, written, model, fitted, earlier, state }: Addition<M>): Promise<void> {
    const { receipt, reminder } = fitted;
    const fold = receipt && foldEntry(state(), receipt);
    const covered = fold?.fold.covered ?? 0;
    const named = this.#model === model ? [] : [this.#modelEntry(model, written)];
    const entries: SessionEntry[] = [
      ...named,
      // Messages that the fold does not need are written after it: the client may still change its last message.
      ...withUsage(messages.slice(written, covered), earlier, (this.#last ?? 0) + named.length),
      ...(fold ? [fold] : []),
      ...messages.slice(Math.max(written, covered)).map(messageEntry),
      ...(reminder ? [{ type: 'reminder' as const, at: reminder.at, text: reminder.text }] : []),
    ];
    const { store, session } = this.#place;
    if (!this.exists) await store.create({ id: session });
    await this.#append(entries);
    this.#model = model;
  }

  /** Adds a request as it is sent; returns its number. Throws STORE_CONFLICT if others have written meanwhile. */
  async addRequest(texts: readonly StretchText[]): Promise<number> {
    const { store, session } = this.#place;
    if (!this.#requests) {
      const requests = createTextRecorder();
      await learnStored(store, session, requests);
      this.#requests = requests;
    }
    const entries = this.#requests.entriesFor(texts, this.#last ?? 0);
    await this.#append(entries).catch((error: unknown) => {
      // It counts on entries that were not written.
      this.#requests = undefined;
      throw error;
    });
    return this.#last ?? 0;
  }

  /** Adds what an answer used, even if others have written meanwhile. */
  async addUsage(entry: LoggedUsage): Promise<void> {
    const { store, session } = this.#place;
    const last = await appendAnyway(store, session, [{ type: 'usage', ...entry }]);
    // If another process wrote in between, the next call reads the log again.
    if (last === (this.#last ?? 0) + 1) this.#last = last;
  }

  /** Goes back to the first messages. Throws STORE_CONFLICT if others have written meanwhile. */
  async rewind(messages: number, model: string): Promise<void> {
    const before = await this.#at(messages);
    if (!before) throw unknownSession(this.#place.session);
    const { seq, window } = before;
    await this.#append([{ type: 'rewind', to: messages, seq, folds: window.folds }, this.#modelEntry(model, messages)]);
  }

  /**
   * Copies the log up to this many messages into a session; false if nothing was folded by then. `apart`: its handles do not
   * lead to this conversation, of which the other one may know no more than what both share.
   */
  async copyTo(session: string, messages: number, apart: boolean): Promise<boolean> {
    const { store, session: own } = this.#place;
    const before = await this.#at(messages);
    if (!before || before.window.folds === 0) return false;
    const { eras } = before.window;
    const from = [...new Set(eras.flatMap(([, , scope]) => scope ?? []))];
    const handles = apart ? { rescope: { from, to: scopeOf(session) ?? '' } } : { eras };
    await forkSession(store, own, { id: session, seq: before.seq, ...handles });
    const info = await store.info(session);
    await store.append(session, [this.#modelEntry(this.#model ?? '', messages)], info?.last ?? 0);
    return true;
  }

  /** The window as it was with this many messages, and the last entry then. */
  async #at(messages: number) {
    const { store, session } = this.#place;
    const info = await this.#info();
    const found = info && (await store.message(session, messages));
    if (!info || !found) return undefined;
    const seq = found.seq - 1;
    return { window: (await this.#readAt({ ...info, last: seq, messages })).window, seq };
  }

  #readAt(info: SessionInfo): Promise<Logged<M>> {
    const { store, dialect } = this.#place;
    return restoreConversation<M>(store, info, dialect, { scope: this.scope });
  }

  #info(): Promise<SessionInfo | undefined> {
    const { store, session } = this.#place;
    return store.info(session);
  }

  async #append(entries: readonly SessionEntry[]): Promise<void> {
    const { store, session } = this.#place;
    const before = this.#last ?? 0;
    this.#last = before;
    if (entries.length > 0) this.#last = await store.append(session, entries, before);
    for (const [at, entry] of entries.entries())
      if (entry.type === 'message') this.#requests?.learn(entry, before + at + 1);
  }

  #modelEntry(model: string, from: number): SessionEntry {
    const { kind, dialect } = this.#place;
    return { type: 'model', provider: kind, model, dialect: dialect.name, from };
  }
}

function messageEntry(message: WireMessage): SessionEntry {
  return { type: 'message', message };
}

/**
 * The first messages of a history, each followed by the requests and usage of the answers to it. An answer to later messages,
 * which are logged after the fold, counts as one to the last of these: it was not folded, and a log names no message before it
 * has it. `before`: how many entries come before.
 */
function withUsage(messages: readonly WireMessage[], usage: readonly EarlierUsage[], before: number): SessionEntry[] {
  const requests = createTextRecorder();
  const last = messages.length;
  const placed = usage
    .map(({ window, ...entry }) => {
      const [seen, sent] = [Math.max(1, Math.min(window.seen, last)), Math.min(window.sent, last)];
      return { ...entry, window: { ...window, seen, sent } };
    })
    .sort((a, b) => a.window.seen - b.window.seen);
  const entries: SessionEntry[] = [];
  let next = 0;
  for (const [at, message] of messages.entries()) {
    entries.push(messageEntry(message));
    requests.learn(messageEntry(message), before + entries.length);
    for (; placed[next]?.window.seen === at + 1; next++) {
      const { texts, ...used } = placed[next] as EarlierUsage;
      if (texts) entries.push(...requests.entriesFor(texts, before + entries.length));
      entries.push({ type: 'usage', ...used, ...(texts ? { request: before + entries.length } : {}) });
    }
  }
  return entries;
}

/** The newest fold, without the newest turn if the fold left that as it was; a view cannot end with its note. */
function foldEntry<M>({ log, eras }: WindowState<M>, receipt: Receipt) {
  const newest = log.at(-1);
  if (!newest) return undefined;
  const settled = withoutNewest(newest);
  const isProper = settled && (settled.note === undefined || settled.head < settled.kept.length);
  return { type: 'fold' as const, fold: isProper ? settled : newest, receipt, eras };
}
