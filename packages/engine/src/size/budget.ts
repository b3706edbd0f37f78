import type { ResolvedConfig } from '../config.ts';
import type { Known } from '../history/memory.ts';
import { type Calibration, NO_LOAD, ratesOf, tokensOf } from './tokens.ts';

/** How much there is: messages, and tokens with all that is sent beside them. */
export interface Size {
  readonly messages: number;
  readonly tokens: number;
}

/** The bounds of a view; Infinity where there is none. Tokens include `reserve`. */
export interface Budget {
  /** A fold is due above it, and no view exceeds it. */
  readonly max: Size;
  /** A fold goes down to it. */
  readonly target: Size;
  /** The model's real window. */
  readonly limit: number;
  /** Tokens outside the messages: as configured, or as measured if that is more. */
  readonly reserve: number;
  /** Tokens that the note may take, and how many of them are for a summary by a model. */
  readonly note: number;
  readonly summary: number;
  readonly preserve_first_n: number;
  readonly preserve_last_n: number;
  /** All that was said so far, folded away or not, reserve included. */
  readonly history: Size;
  /** Tokens that were said since the last fold, and those of the newest turn. */
  readonly grown: number;
  readonly newest: number;
  /** The newest turn is the user's, and tools were called since the user spoke last. */
  readonly asked: boolean;
  /** To write a token to the provider's cache costs as much as to read this many from it. */
  readonly write_price: number;
  /** Tokens that a character and a message cost. */
  readonly rates: { readonly character: number; readonly message: number };
}

/** True if either measure is above its bound. */
export function exceeds(size: Size, bound: Size): boolean {
  return size.messages > bound.messages || size.tokens > bound.tokens;
}

/** True if the user speaks after work: in a plain talk every other turn is the user's. */
function isNextTask(pieces: Known<unknown>['view']['pieces']): boolean {
  if (!pieces.at(-1)?.asks) return false;
  const before = pieces.findLastIndex((piece, i) => piece.asks && i < pieces.length - 1);
  return pieces.slice(before + 1).some(({ readings }) => readings.some(({ calls }) => calls.length > 0));
}

/** The share of `max` that a fold goes down to; of tokens, the share of `of` where that is less. */
export interface Share extends Size {
  readonly of: number;
}

/** A note may take this many tokens, and no more than this share of what is left for messages. */
const NOTE_TOKENS = 2_000;
const NOTE_SHARE = 0.12;

/**
 * The budget of a configuration with the reserve and rates known by now. The target of tokens is a share of what is left
 * for messages: the reserve cannot be folded.
 */
export function makeBudget(
  config: ResolvedConfig,
  share: Share,
  reserve: number,
  calibration: Calibration,
  { said, log, view }: Pick<Known<unknown>, 'said' | 'log' | 'view'>,
  summary: number,
  write_price: number,
): Budget {
  const left = Math.max(0, Math.min(config.max_tokens, share.of) - reserve);
  const own = Math.floor(Math.min(summary, left * NOTE_SHARE));
  return {
    max: { messages: config.max_messages, tokens: config.max_tokens },
    target: {
      messages: Math.max(1, Math.floor(config.max_messages * share.messages)),
      tokens: reserve + Math.floor(left * share.tokens),
    },
    limit: config.limit,
    reserve,
    note: Math.floor(Math.min(NOTE_TOKENS, left * NOTE_SHARE)) + own,
    summary: own,
    preserve_first_n: config.preserve_first_n,
    preserve_last_n: config.tail,
    history: { messages: said.messages, tokens: reserve + tokensOf(said, calibration) },
    grown: tokensOf(said, calibration) - tokensOf(log.at(-1)?.said ?? NO_LOAD, calibration),
    newest: tokensOf(view.pieces.at(-1)?.load ?? NO_LOAD, calibration),
    asked: isNextTask(view.pieces),
    write_price,
    rates: ratesOf(calibration),
  };
}
