import { createHash } from 'node:crypto';
import type { DialectName, FoldEntry, KeptTurn, Receipt, WindowState } from 'holdfast';

/** An object in a provider's wire shape. */
export type WireMessage = Readonly<Record<string, unknown>>;

/** Tokens of one or more requests. */
export interface SessionTokens {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
}

/** Where a window stood when an answer had arrived. */
export interface WindowPlace {
  /** Messages of the history that the request accounted for. */
  readonly seen: number;
  /** Messages that the request had. */
  readonly sent: number;
  readonly calibration: WindowState['calibration'];
  /** What the whole history took. */
  readonly history_tokens: number;
  /** What the API said of its limit, where that was less than known. */
  readonly limit?: number;
}

/** A field of a request's body, in its order: its value, the entry that holds it, or a list of messages. */
export type RequestField =
  | { readonly key: string; readonly value: unknown }
  | { readonly key: string; readonly part: number }
  | { readonly key: string; readonly items: readonly RequestItem[] };

/** A message of a request: the entry that holds it; `cached`: its blocks that got a cache marker. */
export type RequestItem = number | { readonly entry: number; readonly cached: readonly number[] };

/** One entry of a session's log: plain JSON, never changed once it is appended. */
export type SessionEntry =
  | { readonly type: 'message'; readonly message: WireMessage }
  /**
   * A fold and what it did; `eras` of the window that made it, where its history was ever rewritten; `dropped`: turns that this
   * fold and those that it stands on have dropped.
   */
  | {
      readonly type: 'fold';
      readonly fold: FoldEntry;
      readonly receipt: Receipt;
      readonly eras?: WindowState['eras'];
      readonly dropped?: number;
    }
  /** The newest fold was undone; the fold that was last undone was made again. `turns`: those of the first `seen` messages. */
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
      readonly window?: WindowPlace;
      /** What a provider that keeps its own conversation needs to go on; of a crew, how much was said (`Said`). */
      readonly state?: unknown;
    }
  /** The result of a call whose answer has other calls, that have none yet. The message with all of them follows. */
  | { readonly type: 'result'; readonly id: string; readonly text: string; readonly failed: boolean }
  /** A call that must not run twice is about to run. `mark`: what its tool says of the state before. */
  | { readonly type: 'call'; readonly id: string; readonly mark?: string }
  /** What changed in the state of a run (`holdfast run`); the fields that it does not name stay. */
  | { readonly type: 'run'; readonly change: Readonly<Record<string, unknown>> }
  | { readonly type: 'title'; readonly title: string }
  | { readonly type: 'pin' | 'unpin'; readonly index: number }
  /**
   * Back to before message `to`: it and those behind it no longer count, but stay in the log. The window is as it was behind
   * entry `seq`, with so many `folds`; without `seq` it begins anew.
   */
  | { readonly type: 'rewind'; readonly to: number; readonly seq?: number; readonly folds?: number }
  /** The next `entries` entries are copies of those of another session, up to its `seq`. */
  | { readonly type: 'fork'; readonly session: string; readonly seq: number; readonly entries: number }
  /** Who speaks from here on, and in which wire format. `fingerprint`: of all that is sent beside the messages. */
  | {
      readonly type: 'model';
      readonly provider: string;
      readonly model: string;
      readonly dialect: DialectName | (string & {});
      readonly fingerprint?: string;
      /** The place of the first message that is said so. */
      readonly from?: number;
    }
  /** A value that requests refer to and that is no message of the log: a system prompt, tools, a note, a shortened result. */
  | { readonly type: 'part'; readonly hash: string; readonly value: unknown }
  /** A request as it was sent; `hash` of its body's JSON text. `masked`: keys were masked in it first. */
  | {
      readonly type: 'request';
      readonly hash: string;
      readonly body: readonly RequestField[];
      readonly masked?: true;
    }
  /** A handle that leads to the message of entry `seq`, or to one that stands nowhere else in the log. */
  | { readonly type: 'handle'; readonly handle: string; readonly seq: number }
  | { readonly type: 'handle'; readonly handle: string; readonly message: WireMessage };

export type SessionEntryType = SessionEntry['type'];

/** An entry as it lies in a store: numbered from 1 in its session, with a hash over it and all before it. */
export interface StoredEntry {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly hash: string;
  readonly entry: SessionEntry;
}

/** What stands for the hash before the first entry. */
export const NO_HASH = '';

/** The hash of an entry behind the hash before it. `body` is the entry's JSON text. Pure. */
export function chainHash(before: string, seq: number, time: number, body: string): string {
  return createHash('sha256').update(`${before}\n${seq}\n${time}\n${body}`).digest('hex');
}
