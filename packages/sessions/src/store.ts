import type { SessionEntry, SessionEntryType, StoredEntry, WireMessage } from './entry.ts';
import type { BrokenEntry } from './log/broken-entry.ts';

/** How a new session starts. */
export interface NewSession {
  /** Letters, digits, `.`, `_` and `-`, 1 to 100; random by default. */
  readonly id?: string;
  /** Default: the user's first words. */
  readonly title?: string;
  /** Milliseconds since 1970. Default: now. */
  readonly created?: number;
}

/** What a list shows of a session; every append updates it. */
export interface SessionInfo {
  readonly id: string;
  /** '' until the user's first message. */
  readonly title: string;
  readonly created: number;
  readonly updated: number;
  /** The number of its last entry; 0 if it has none. */
  readonly last: number;
  /** The hash of its last entry. */
  readonly hash: string;
  /** Messages in the history: those not rewound. */
  readonly messages: number;
  /** Folds in effect: those not undone. */
  readonly folds: number;
  /** Bytes of all entries, as JSON. */
  readonly bytes: number;
  /** Tokens of all requests, input and output; dollars. Those that a fork copied count in the session that sent them. */
  readonly tokens: number;
  readonly cost: number;
  readonly provider?: string;
  readonly model?: string;
  readonly dialect?: string;
  /** What writes it: `holdfast run`, a crew, the proxy or an agent framework; undefined for a chat. */
  readonly kind?: SessionKind;
}

/** What writes the conversations whose histories somebody else keeps. */
export type ConversationKind = 'proxy' | 'integration';

export type SessionKind = 'run' | 'crew' | ConversationKind;

/** True for a conversation whose history somebody else keeps. Pure. */
export function isConversation(kind: unknown): kind is ConversationKind {
  return kind === 'proxy' || kind === 'integration';
}

/** Which entries to read. */
export interface ReadOptions {
  /** The first sequence number, or with `reverse` the last. */
  readonly from?: number;
  readonly types?: readonly SessionEntryType[];
  /** Newest first. */
  readonly reverse?: boolean;
  /** Most entries in a page. Default 500; large entries make pages shorter. */
  readonly limit?: number;
  /** Called with each unreadable entry, which is then skipped. Without it, such an entry throws BAD_STORE. */
  readonly onBroken?: (broken: BrokenEntry) => void;
}

/** Which sessions to list. */
export interface ListOptions {
  readonly limit?: number;
  readonly before?: Pick<SessionInfo, 'id' | 'updated'>;
  /** Only those whose id starts with this. */
  readonly prefix?: string;
  /** Only those whose id ends with this. */
  readonly suffix?: string;
}

/** Part of a result; `next` is where the rest starts, undefined at the end. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: number;
}

/** How far a session had come: its last entry, and the messages of its history. */
export type Moment = Pick<SessionInfo, 'last' | 'messages'>;

/** A message and where it is. */
export interface PlacedMessage {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Its position in the history. */
  readonly index: number;
  /** The store's name for it, valid whatever is appended or rewound later. */
  readonly handle: string;
  readonly message: WireMessage;
}

/** A message found by position or name. */
export interface FoundMessage extends PlacedMessage {
  /** `record`: by a name that an archive recorded; `name`: by the store's own name; `place`: by its current position. */
  readonly by: 'record' | 'name' | 'place';
}

/** A passage that matches a search. */
export interface Hit {
  readonly session: string;
  readonly seq: number;
  readonly index: number;
  readonly handle: string;
  /** Lines of the message's text (`messageText`), from 1. */
  readonly lines: { readonly from: number; readonly to: number };
  readonly text: string;
  /** Its line with most of the words. */
  readonly snippet: string;
}

/**
 * Stores sessions. Every appended entry is kept, in one total order per session, whatever else writes. Every method but `info`
 * throws UNKNOWN_SESSION for an unknown session.
 */
export interface SessionStore {
  /** True if key-like strings are masked before anything is written. */
  readonly mask_keys: boolean;
  /** Creates a session without entries. Throws STORE_CONFLICT if its id is taken. */
  create(session?: NewSession): Promise<SessionInfo>;
  /**
   * Adds entries after entry number `after`, all or none, and returns the number of the last once they are on disk. Throws
   * STORE_CONFLICT with both numbers if others were added meanwhile, and INVALID_HISTORY for an invalid entry. `times`: one for
   * each entry, for copies. Default: now.
   */
  append(session: string, entries: readonly SessionEntry[], after: number, times?: readonly number[]): Promise<number>;
  /** Entries in order, a page at a time. */
  read(session: string, options?: ReadOptions): Promise<Page<StoredEntry>>;
  /**
   * The messages of the history from position `from` on, in order, a page at a time. With `at`: of the history as it was after
   * entry `last`, when it had this many messages, whatever was rewound since.
   */
  history(
    session: string,
    options?: { readonly from?: number; readonly limit?: number; readonly at?: Moment },
  ): Promise<Page<PlacedMessage>>;
  /**
   * The message at a position of the history, or the one that a handle names (`m41`, `m41~1`, or `#12` for that of entry 12),
   * rewound or not. Undefined if there is none.
   */
  message(session: string, place: number | string): Promise<FoundMessage | undefined>;
  info(session: string): Promise<SessionInfo | undefined>;
  /** Sessions, last used first; with `before`, those after it in this order. */
  list(options?: ListOptions): Promise<SessionInfo[]>;
  /** The session whose id starts with this. Throws UNKNOWN_SESSION, with the candidates if there are several. */
  find(prefix: string): Promise<SessionInfo>;
  /** The passages that match these words best, best first; of one session or of all. */
  search(words: string, options?: { readonly session?: string; readonly limit?: number }): Promise<Hit[]>;
  /** Removes a session and all of its entries. */
  delete(session: string): Promise<void>;
  /**
   * Runs `work` on the store as it is now, whatever is written meanwhile. Writing to it throws. Optional: a store that wraps
   * another must define its own, or set it to `undefined`.
   */
  snapshot?<T>(work: (moment: SessionStore) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** All entries, page by page; with `types`, those alone. */
export async function* eachEntry<T extends SessionEntryType = SessionEntryType>(
  store: Pick<SessionStore, 'read'>,
  session: string,
  options: ReadOptions & { readonly types?: readonly T[] } = {},
): AsyncGenerator<StoredEntry<T>> {
  for (let from = options.from; ; ) {
    const page = await store.read(session, { ...options, ...(from === undefined ? {} : { from }) });
    yield* page.items as readonly StoredEntry<T>[];
    if (page.next === undefined) return;
    from = page.next;
  }
}

/** All messages of the history, page by page. */
export async function* eachMessage(
  store: Pick<SessionStore, 'history'>,
  session: string,
  from = 0,
  at?: Moment,
): AsyncGenerator<PlacedMessage> {
  for (let next: number | undefined = from; next !== undefined; ) {
    const page: Page<PlacedMessage> = await store.history(session, { from: next, ...(at ? { at } : {}) });
    yield* page.items;
    next = page.next;
  }
}
