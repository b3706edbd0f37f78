import type { SessionEntry, SessionEntryType, StoredEntry, WireMessage } from './entry.ts';
import type { BrokenEntry } from './log/broken-entry.ts';

/** What a new session is to be called. */
export interface NewSession {
  /** Letters, digits, `.`, `_` and `-`, 1 to 100; made up where left out. */
  readonly id?: string;
  /** Taken from the first words of the user where left out. */
  readonly title?: string;
  /** Milliseconds since 1970; now where left out. */
  readonly created?: number;
}

/** What a list of sessions says of one; kept up to date by every append. */
export interface SessionInfo {
  readonly id: string;
  /** '' until the user has said something. */
  readonly title: string;
  readonly created: number;
  readonly updated: number;
  /** The number of its last entry; 0 if it has none. */
  readonly last: number;
  /** The hash of its last entry. */
  readonly hash: string;
  /** Messages that count. */
  readonly messages: number;
  /** Folds that were made and not undone. */
  readonly folds: number;
  /** Bytes of all entries, as JSON. */
  readonly bytes: number;
  /** Tokens of all requests, read and written, and dollars. */
  readonly tokens: number;
  readonly cost: number;
  readonly provider?: string;
  readonly model?: string;
  readonly dialect?: string;
  /** Who writes it: `holdfast run` or a crew; a chat where it is undefined. */
  readonly kind?: SessionKind;
}

export type SessionKind = 'run' | 'crew';

/** Which entries are read. */
export interface ReadOptions {
  /** The first sequence number, or with `reverse` the last. */
  readonly from?: number;
  readonly types?: readonly SessionEntryType[];
  /** Newest first. */
  readonly reverse?: boolean;
  /** Entries of a page at most, 500 by default; large entries make pages shorter. */
  readonly limit?: number;
  /** Told of each entry that cannot be read, which is then left out. Without it, such an entry is BAD_STORE. */
  readonly onBroken?: (broken: BrokenEntry) => void;
}

/** A part of what was asked for; `next` is where the rest begins, undefined if there is none. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: number;
}

/** A message with its place. */
export interface PlacedMessage {
  readonly seq: number;
  /** Place in the history. */
  readonly index: number;
  /** The store's name for it, which leads back to it whatever is said or taken back later. */
  readonly handle: string;
  readonly message: WireMessage;
}

/** A message that was asked for by its place or name, and what led to it. */
export interface FoundMessage extends PlacedMessage {
  /** `record`: an archive gave it this name; `name`: the store's own name for it; `place`: it stands there now. */
  readonly by: 'record' | 'name' | 'place';
}

/** A passage that holds what was looked for. */
export interface Hit {
  readonly session: string;
  readonly seq: number;
  readonly index: number;
  readonly handle: string;
  /** Lines of the message's text (`messageText`), from 1. */
  readonly lines: { readonly from: number; readonly to: number };
  readonly text: string;
  /** Its line that holds most of the words. */
  readonly snippet: string;
}

/**
 * Where sessions lie. Everything that was appended is kept, in one total order for each session, whoever else writes.
 * Unknown sessions throw UNKNOWN_SESSION, everywhere but in `info`.
 */
export interface SessionStore {
  /** True if key-like strings are masked before anything is written. */
  readonly mask_keys: boolean;
  /** A new session without entries. Throws STORE_CONFLICT if its id is taken. */
  create(session?: NewSession): Promise<SessionInfo>;
  /**
   * Adds entries behind number `after`, all or none, and gives the number of the last; they are on the disk when it does.
   * Throws STORE_CONFLICT with both numbers if others were added meanwhile, and INVALID_HISTORY for what is no entry. `times`:
   * when each of them was said, for copies; now where left out.
   */
  append(session: string, entries: readonly SessionEntry[], after: number, times?: readonly number[]): Promise<number>;
  /** Entries in order, a page at a time. */
  read(session: string, options?: ReadOptions): Promise<Page<StoredEntry>>;
  /** The messages that count from place `from` on, in order, a page at a time. */
  history(session: string, options?: { readonly from?: number; readonly limit?: number }): Promise<Page<PlacedMessage>>;
  /**
   * The message at a place of the history, or that a handle names (`m41`, `m41~1`, and `#12` for that of entry 12), which may be one that no longer counts.
   * Undefined if there is none.
   */
  message(session: string, place: number | string): Promise<FoundMessage | undefined>;
  info(session: string): Promise<SessionInfo | undefined>;
  /** The sessions that were used last, newest first; with `before`, those behind that one in this order. */
  list(options?: {
    readonly limit?: number;
    readonly before?: Pick<SessionInfo, 'id' | 'updated'>;
    /** Only those whose id begins so. */
    readonly prefix?: string;
  }): Promise<SessionInfo[]>;
  /** The session whose id begins so. Throws UNKNOWN_SESSION, with the candidates if there are several. */
  find(prefix: string): Promise<SessionInfo>;
  /** The passages that hold these words best, the best first; of one session or of all. */
  search(words: string, options?: { readonly session?: string; readonly limit?: number }): Promise<Hit[]>;
  /** Removes a session and all of its entries. */
  delete(session: string): Promise<void>;
  /**
   * Works on the store as it is at this moment, whatever others write meanwhile. Writing there throws. Stores may lack it; one
   * that wraps another and passes its methods on gives a snapshot of its own, or `undefined`.
   */
  snapshot?<T>(work: (moment: SessionStore) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** All entries, page by page. */
export async function* eachEntry(
  store: Pick<SessionStore, 'read'>,
  session: string,
  options: ReadOptions = {},
): AsyncGenerator<StoredEntry> {
  for (let from = options.from; ; ) {
    const page = await store.read(session, { ...options, ...(from === undefined ? {} : { from }) });
    yield* page.items;
    if (page.next === undefined) return;
    from = page.next;
  }
}

/** All messages that count, page by page. */
export async function* eachMessage(
  store: Pick<SessionStore, 'history'>,
  session: string,
  from = 0,
): AsyncGenerator<PlacedMessage> {
  for (let next: number | undefined = from; next !== undefined; ) {
    const page: Page<PlacedMessage> = await store.history(session, { from: next });
    yield* page.items;
    next = page.next;
  }
}
