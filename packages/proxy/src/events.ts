import type { DialectName, HoldfastErrorCode } from 'holdfast';
import type { Vendor } from './http/api-error.ts';

/** Where something happened. */
interface Place {
  readonly api: DialectName;
  readonly model: string;
  /** The conversation's id, which its handles carry. */
  readonly conversation?: string | undefined;
}

/** What a proxy tells its owner. Contains no text of a conversation, no header and no key. */
export type ProxyEvent =
  /** A conversation was folded. `before` and `after`: tokens of the prompt. `fold`: counted from 1. */
  | (Place & { readonly type: 'fold-end'; readonly fold: number; readonly before: number; readonly after: number })
  /** A view could not be made as it should: the history is invalid or too large, or the store failed. */
  | (Place & { readonly type: 'view-fail'; readonly code: HoldfastErrorCode; readonly message: string })
  /** Everything but the messages takes too much of the budget: the conversation passes through. Once for each client. */
  | (Place & {
      readonly type: 'budget-small';
      readonly reserve: number;
      readonly max_tokens: number;
      /** The least budget with which it would be folded. */
      readonly needed: number;
    })
  /** The API refused thinking of another view: the request was sent again without it. */
  | (Place & { readonly type: 'thinking-retry' })
  /** The API answered a POST with an error, which the client got as it is. `path`: without its query, which may have a key. */
  | { readonly type: 'answer-fail'; readonly upstream: Vendor; readonly path: string; readonly status: number }
  /** The proxy answered a request with an error of its own. */
  | { readonly type: 'request-refuse'; readonly status: number; readonly message: string }
  /** An upstream could not be reached, or hung up before it answered: the client got a 502. */
  | { readonly type: 'upstream-fail'; readonly upstream: Vendor; readonly message: string };
