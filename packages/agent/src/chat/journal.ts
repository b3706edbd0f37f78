import {
  checkEdge,
  checkTail,
  dialectFor,
  eachEntry,
  maskSaid,
  type SessionEntry,
  type SessionInfo,
  type SessionStore,
  type SessionWriter,
  sessionArchive,
  sessionConversation,
  sessionWriter,
  unknownSession,
  type WireMessage,
} from '@holdfast/sessions';
import type { Archive, Dialect } from 'holdfast';
import type { SavedConversation } from '../loop/saved.ts';
import type { ExecutionOptions } from '../providers/provider.ts';
import { wireFormatOf } from './going-on.ts';

/** A session and the conversation that its log holds: what is in memory never runs ahead of the disk. */
export interface Journal {
  readonly session: string | undefined;
  /** For the next execution; undefined if nothing was said yet. */
  state: unknown;
  /** What a provider that keeps its own conversation said last that it needs to go on; undefined for others. */
  own(): Promise<unknown>;
  /** Makes the session, if there is none yet. */
  begin(): Promise<SessionWriter>;
  /** Takes a session that was made here back if nothing that was said in it counts. */
  dropEmpty(): Promise<void>;
  /** The conversation from the log. Throws UNKNOWN_SESSION, and BAD_STORE if the log does not add up. */
  load(): Promise<SavedConversation<WireMessage> | undefined>;
  record: NonNullable<ExecutionOptions['record']>;
  archive(): Archive | undefined;
  /** Messages that were written since the journal was opened. */
  readonly written: number;
  /** What a record threw since it was last asked for: the conversation in memory is then no longer that of the log. */
  trouble(): unknown;
  info(): Promise<SessionInfo | undefined>;
  /** Back to before this message, the window with it. */
  rewind(to: number): Promise<void>;
}

/** Who speaks, as the log is to know it. */
export interface Pen {
  readonly name: string;
  /** The wire format, where that is known. */
  readonly dialect: string | undefined;
}

/** A journal of a session, or of one that is made when it is first needed. */
export function createJournal(store: SessionStore, given: string | undefined, speaker: () => Promise<Pen>): Journal {
  let session = given;
  let writer: SessionWriter | undefined;
  let dialect: Dialect<unknown> | undefined;
  let failure: unknown;
  let written = 0;

  const kept = (entry: SessionEntry, provider: string): SessionEntry => {
    const named = entry.type === 'model' ? { ...entry, provider } : entry;
    return store.mask_keys ? maskSaid(named, dialect?.name) : named;
  };

  const noting = <T>(doing: () => Promise<T>): Promise<T> =>
    doing().catch((error: unknown) => {
      failure = error;
      throw error;
    });

  /** The wire format of a session; words alone are the same in all that the speaker may use. */
  const spoken = async (info: SessionInfo): Promise<Dialect<unknown>> =>
    dialectFor((await wireFormatOf(store, info)) ?? (await speaker()).dialect);

  const journal: Journal = {
    state: undefined,
    get session() {
      return session;
    },
    get written() {
      return written;
    },
    async own() {
      if (session === undefined) return undefined;
      for await (const { entry } of eachEntry(store, session, { types: ['usage'], reverse: true }))
        if (entry.type === 'usage' && entry.state !== undefined) return entry.state;
      return undefined;
    },
    async begin() {
      session ??= (await store.create()).id;
      writer ??= await sessionWriter(store, session);
      return writer;
    },
    async dropEmpty() {
      if (given !== undefined || session === undefined || (await store.info(session))?.messages !== 0) return;
      await store.delete(session);
      [session, writer, journal.state] = [undefined, undefined, undefined];
    },
    async load() {
      if (session === undefined) return undefined;
      const info = await store.info(session);
      if (!info) throw unknownSession(session);
      writer = await sessionWriter(store, session, info.last);
      failure = undefined;
      // First the entries one by one: what is made of a broken one fails in words that name none.
      await checkTail(store, info);
      dialect = info.messages === 0 ? undefined : await spoken(info);
      const saved = dialect && (await sessionConversation(store, info, dialect as Dialect<WireMessage>));
      if (saved && dialect) await checkEdge(store, info, dialect, saved.window);
      journal.state = saved;
      return saved;
    },
    record: (entries) =>
      noting(async () => {
        const pen = await journal.begin();
        for (const entry of entries) if (entry.type === 'model') dialect = dialectFor(entry.dialect, {});
        const { name } = await speaker();
        const all = entries.map((entry) => kept(entry, name));
        await pen.append(all);
        for (const { type } of all) if (type === 'message') written++;
        return all;
      }),
    archive() {
      if (!writer) return undefined;
      const own = (message: WireMessage) => dialectFor(dialect?.name, message);
      const pen = writer;
      const append = (entries: readonly SessionEntry[]) => noting(() => pen.append(entries));
      return sessionArchive<WireMessage>(
        store,
        { id: pen.id, append },
        {
          withMarkers: (message, most) => own(message).withMarkers(message, most) as WireMessage,
        },
      ) as Archive;
    },
    trouble() {
      const trouble = failure;
      failure = undefined;
      return trouble;
    },
    info: async () => (session === undefined ? undefined : store.info(session)),
    async rewind(to) {
      const pen = await journal.begin();
      const info = await store.info(pen.id);
      const found = await store.message(pen.id, to);
      if (!info || !found) throw unknownSession(pen.id);
      const seq = found.seq - 1;
      const own = (dialect ?? (await spoken(info))) as Dialect<WireMessage>;
      const before = await sessionConversation(store, { ...info, last: seq, messages: to }, own);
      await pen.append([{ type: 'rewind', to, seq, folds: before.window.folds }]);
      await journal.load();
    },
  };
  return journal;
}
