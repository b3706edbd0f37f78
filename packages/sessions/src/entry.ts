import { createHash } from 'node:crypto';
import type { SessionTokens } from '@holdfast/models';
import type { DialectName, FoldEntry, KeptTurn, Receipt, Size, WindowState } from 'holdfast';

/** An object in a provider's wire shape. */
export type WireMessage = Readonly<Record<string, unknown>>;

/** Tokens of the prompts. Pure. */
export function promptOf({ input, cacheRead = 0, cacheWrite = 0 }: SessionTokens): number {
  return input + cacheRead + cacheWrite;
}

/** How far a window was when an answer arrived. */
export interface WindowPosition {
  /** Messages of the history that the request covered. */
  readonly seen: number;
  /** Messages in the request. */
  readonly sent: number;
  readonly calibration: WindowState['calibration'];
  /** Tokens of the whole history. */
  readonly historyTokens: number;
  /** Tokens and messages above which the view folds, each if there is such a bound. */
  readonly max?: { readonly tokens?: number; readonly messages?: number };
  /** The limit that the API reported, if lower than the known one. */
  readonly limit?: number;
}

/** The bounds of a view for a log: JSON has no Infinity. Pure. */
export function boundsOf({ tokens, messages }: Size): NonNullable<WindowPosition['max']> {
  return {
    ...(Number.isFinite(tokens) ? { tokens } : {}),
    ...(Number.isFinite(messages) ? { messages } : {}),
  };
}

/** A field of a request's body: its value, the entry that holds it, or a list of messages. */
export type RequestField =
  | { readonly key: string; readonly value: unknown }
  | { readonly key: string; readonly part: number }
  | { readonly key: string; readonly items: readonly RequestItem[] };

/** A message of a request, by the entry that holds it; `cached`: its blocks with a cache marker. */
export type RequestItem = number | { readonly entry: number; readonly cached: readonly number[] };

/** A piece of a request's text: the text itself, the text of an entry, or that with one stretch of it replaced. */
export type RequestPiece =
  | string
  | number
  | { readonly entry: number; readonly from: number; readonly to: number; readonly text: string };

/** One entry of a session's log: plain JSON that never changes. */
export type SessionEntry =
  | { readonly type: 'message'; readonly message: WireMessage }
  /**
   * A fold and its receipt. `revisions`: of the window, if its history was ever rewritten or its handles have a scope.
   * `dropped`: turns dropped by this fold and those it builds on.
   */
  | {
      readonly type: 'fold';
      readonly fold: FoldEntry;
      readonly receipt: Receipt;
      readonly revisions?: WindowState['revisions'];
      readonly dropped?: number;
    }
  /** The newest fold was undone, or the last undone fold redone. `turns`: of the first `seen` messages. */
  | {
      readonly type: 'unfold' | 'refold';
      readonly receipt?: Receipt;
      readonly seen?: number;
      readonly turns?: readonly KeptTurn[];
      readonly hold?: WindowState['hold'];
    }
  | {
      readonly type: 'usage';
      readonly tokens: SessionTokens;
      readonly cost?: number;
      readonly model?: string;
      /** The number of the request's entry. */
      readonly request?: number;
      /** True if the answer was paused, and the next request continues it. */
      readonly paused?: true;
      /** True in a fork: the session that it was copied from spent it. */
      readonly copied?: true;
      readonly window?: WindowPosition;
      /** What a provider that keeps its own conversation resumes from; for a crew, how much was said. */
      readonly state?: unknown;
    }
  /** The result of a call while other calls of the same answer run. The message with all results follows. */
  | { readonly type: 'result'; readonly id: string; readonly text: string; readonly failed: boolean }
  /** A call that must not run twice is about to run. `mark`: what its tool noted of the state before. */
  | { readonly type: 'call'; readonly id: string; readonly mark?: string }
  /** The fields that changed in the state of a run (`holdfast run`). */
  | { readonly type: 'run'; readonly change: Readonly<Record<string, unknown>> }
  | { readonly type: 'title'; readonly title: string }
  | { readonly type: 'pin' | 'unpin'; readonly index: number }
  /** Folded lines that every request from here on repeats at the end of message `at`, until a fold. */
  | { readonly type: 'reminder'; readonly at: number; readonly text: string }
  /**
   * The history goes back to before message `to`; what follows stays in the log. The window is again as it was after entry
   * `seq`, with this many `folds`; without `seq` it starts over.
   */
  | { readonly type: 'rewind'; readonly to: number; readonly seq?: number; readonly folds?: number }
  /** The next `entries` entries are copied from another session, up to its `seq`, where its window had these `revisions`. */
  | {
      readonly type: 'fork';
      readonly session: string;
      readonly seq: number;
      readonly entries: number;
      readonly revisions?: WindowState['revisions'];
    }
  /** The provider, model and wire format from here on. `fingerprint`: of system prompt and tools. `folder`: of a chat. */
  | {
      readonly type: 'model';
      readonly provider: string;
      readonly model: string;
      readonly dialect: DialectName | (string & {});
      readonly fingerprint?: string;
      readonly folder?: string;
      /** The position of the first message under it. */
      readonly from?: number;
    }
  /** A value that requests refer to, other than a message: a system prompt, tools, a note, a shortened result. */
  | { readonly type: 'part'; readonly hash: string; readonly value: unknown }
  /** A request as it was sent; `hash`: of its body's JSON text. `masked`: keys were masked before it was stored. */
  | {
      readonly type: 'request';
      readonly hash: string;
      readonly body: readonly RequestField[];
      readonly masked?: true;
    }
  /** The same for a request of another program, whose layout is its own. A part that is a text counts as that text. */
  | { readonly type: 'request'; readonly hash: string; readonly pieces: readonly RequestPiece[] }
  /** A handle for the message of entry `seq`, or for one that is nowhere else in the log. */
  | { readonly type: 'handle'; readonly handle: string; readonly seq: number }
  | { readonly type: 'handle'; readonly handle: string; readonly message: WireMessage };

export type SessionEntryType = SessionEntry['type'];

export type UsageEntry = Extract<SessionEntry, { type: 'usage' }>;

export type RequestEntry = Extract<SessionEntry, { type: 'request' }>;

/** The tokens of a `usage` entry, and those of the whole history at that time; 0 for what it does not say. Pure. */
export function readUsage({ tokens, window }: Pick<UsageEntry, 'tokens' | 'window'>) {
  const { input, output, cacheRead = 0, cacheWrite = 0 } = tokens;
  return { tokens: { input, output, cacheRead, cacheWrite }, historyTokens: window?.historyTokens ?? 0 };
}

/** The entry of a message, in the shape that its API takes. Pure. */
export function messageEntry(message: unknown): SessionEntry {
  return { type: 'message', message: message as WireMessage };
}

/** A stored entry: numbered from 1 in its session, with a hash of it and all before it. */
export interface StoredEntry<T extends SessionEntryType = SessionEntryType> {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly hash: string;
  readonly entry: SessionEntry & { readonly type: T };
}

/** The hash before the first entry. */
export const NO_HASH = '';

/** The hash of an entry, chained to the one before. `body`: the entry's JSON text. Pure. */
export function chainHash(before: string, seq: number, time: number, body: string): string {
  return createHash('sha256').update(`${before}\n${seq}\n${time}\n${body}`).digest('hex');
}
