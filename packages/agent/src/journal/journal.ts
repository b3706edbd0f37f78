import {
  type ConversationState,
  checkEdge,
  checkTail,
  createRequestRecorder,
  dialectFor,
  eachEntry,
  maskForLog,
  type RequestRecorder,
  restoreConversation,
  type SessionEntry,
  type SessionInfo,
  type SessionStore,
  type SessionWriter,
  sessionArchive,
  sessionWriter,
  unknownSession,
  type WireMessage,
} from '@holdfast/sessions';
import type { Archive, Dialect } from 'holdfast';
import type { ExecutionOptions, Provider } from '../providers/provider.ts';
import { wireFormatOf } from './wire-format.ts';

/** One process's hold on a session: it writes what happens, and restores the conversation. Memory never runs ahead of the disk. */
export type Journal = ReturnType<typeof createJournal>;

/** Who answers, as the log names it. */
export interface Answerer {
  readonly name: string;
  /** Where its tools work. */
  readonly folder?: string | undefined;
  readonly provider: Pick<Provider, 'dialect' | 'hold'>;
}

/** A journal of a session, or of one that is created when first needed. */
export function createJournal(store: SessionStore, given: string | undefined, answerer: () => Answerer) {
  let session = given;
  let writer: SessionWriter | undefined;
  let requests: RequestRecorder | undefined;
  let dialect: Dialect<unknown> | undefined;
  let failure: unknown;
  let written = 0;

  const kept = (entry: SessionEntry, { name: provider, folder }: Answerer): SessionEntry => {
    const place = folder === undefined ? {} : { folder };
    const named = entry.type === 'model' ? { ...entry, provider, ...place } : entry;
    return store.mask_keys ? maskForLog(named, dialect?.name) : named;
  };

  const noting = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      failure = error;
      throw error;
    });

  /** The wire format of a session; plain text fits whichever the provider speaks. */
  const formatOf = async (info: SessionInfo): Promise<Dialect<WireMessage>> =>
    dialectFor((await wireFormatOf(store, info)) ?? answerer().provider.dialect) as Dialect<WireMessage>;

  /** The newest state of a provider that keeps its own conversation. */
  const ownState = async (id: string): Promise<unknown> => {
    for await (const { entry } of eachEntry(store, id, { types: ['usage'], reverse: true }))
      if (entry.state !== undefined) return entry.state;
    return undefined;
  };

  const record: NonNullable<ExecutionOptions['record']> = (entries) =>
    noting(async () => {
      const pen = await journal.begin();
      for (const entry of entries) if (entry.type === 'model') dialect = dialectFor(entry.dialect, {});
      const named = answerer();
      const all = entries.map((entry) => kept(entry, named));
      requests?.appended(all, await pen.append(all));
      for (const { type } of all) if (type === 'message') written++;
      return all;
    });

  const journal = {
    /** For the next execution; undefined if nothing has been said yet. */
    state: undefined as unknown,
    get session() {
      return session;
    },
    /** Messages that were written since the journal was opened. */
    get written() {
      return written;
    },
    /** Creates the session, if there is none yet. */
    async begin(): Promise<SessionWriter> {
      session ??= (await store.create()).id;
      writer ??= await sessionWriter(store, session);
      requests ??= createRequestRecorder(store, session);
      return writer;
    },
    /** Deletes a session that was created here if none of its messages counts. */
    async dropEmpty(): Promise<void> {
      if (given !== undefined || session === undefined || (await store.info(session))?.messages !== 0) return;
      await store.delete(session);
      [session, writer, requests, journal.state] = [undefined, undefined, undefined, undefined];
    },
    /**
     * Restores the conversation; for a provider that keeps its own, its newest state. Throws UNKNOWN_SESSION, and BAD_STORE if
     * the log is damaged.
     */
    async load(): Promise<ConversationState<WireMessage> | undefined> {
      if (session === undefined) return undefined;
      const info = await store.info(session);
      if (!info) throw unknownSession(session);
      writer = await sessionWriter(store, session, info.last);
      requests = createRequestRecorder(store, session);
      failure = undefined;
      // Check the entries first: restoring broken ones fails without naming them.
      await checkTail(store, info);
      const format = info.messages === 0 ? undefined : await formatOf(info);
      dialect = format as Dialect<unknown> | undefined;
      const saved = format && (await restoreConversation(store, info, format));
      if (saved && dialect) await checkEdge(store, info, dialect, saved.window);
      journal.state = answerer().provider.hold ? saved : await ownState(session);
      return saved;
    },
    record,
    /** Records a request as it is sent. Never throws: what cannot be written is `trouble`, and fails the next record. */
    async sent(body: string): Promise<number | undefined> {
      const work = async () => {
        const pen = await journal.begin();
        return await requests?.sent(pen, body);
      };
      return await noting(work).catch(() => undefined);
    },
    archive(): Archive | undefined {
      if (!writer) return undefined;
      const { id, append } = writer;
      const own = (message: WireMessage) => dialectFor(dialect?.name, message);
      return sessionArchive<WireMessage>(
        store,
        { id, append: (entries) => noting(() => append(entries)) },
        { withMarkers: (message, most) => own(message).withMarkers(message, most) as WireMessage },
      ) as Archive;
    },
    /** What a record threw since the last call: the conversation in memory is then not the one in the log. */
    trouble(): unknown {
      const trouble = failure;
      failure = undefined;
      return trouble;
    },
    info: async (): Promise<SessionInfo | undefined> => (session === undefined ? undefined : store.info(session)),
    /** Goes back to before this message, window included. */
    async rewind(to: number): Promise<void> {
      const pen = await journal.begin();
      const info = await store.info(pen.id);
      const found = await store.message(pen.id, to);
      if (!info || !found) throw unknownSession(pen.id);
      const seq = found.seq - 1;
      const own = (dialect as Dialect<WireMessage> | undefined) ?? (await formatOf(info));
      const before = await restoreConversation(store, { ...info, last: seq, messages: to }, own);
      await pen.append([{ type: 'rewind', to, seq, folds: before.window.folds }]);
      await journal.load();
    },
  };
  return journal;
}
