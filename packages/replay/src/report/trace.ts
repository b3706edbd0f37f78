import { maskSecrets, type Receipt } from 'holdfast';
import type { CallFigures, Fills } from '../index.ts';

/** A fold by itself. Tokens are those of the messages. */
export interface FoldTrace {
  readonly number: number;
  readonly reason: string;
  readonly before: number;
  readonly after: number;
  readonly kept: number;
  readonly masked: number;
  readonly dropped: number;
  readonly noteTokens: number;
  readonly note: string;
}

/** A call under one policy, for a page. */
export interface CallTrace {
  readonly answer: number;
  readonly tokens: number;
  /** Tokens of the whole history. */
  readonly history: number;
  readonly fills: Fills;
  readonly fold?: FoldTrace;
  /** How many items the view lacked, and the first of them. */
  readonly lacked: number;
  readonly missing: readonly string[];
  readonly askedAgain: readonly string[];
}

const SHOWN = 6;
const NOTE_CHARS = 1_600;

/** What to show of a call: bounded in size, keys masked. Pure. */
export function traceOf(call: CallFigures): CallTrace {
  const { answer, tokens, history, fills, receipt, missing, missingLines, askedAgain } = call;
  const lacking = [...missing, ...missingLines];
  return {
    answer,
    tokens,
    history,
    fills,
    ...(receipt ? { fold: foldTrace(receipt) } : {}),
    lacked: lacking.length,
    missing: lacking.slice(0, SHOWN).map((text) => shortened(text, 120)),
    askedAgain: askedAgain.slice(0, SHOWN).map((text) => shortened(text, 120)),
  };
}

function foldTrace({
  fold,
  reason,
  before,
  after,
  reserve,
  kept,
  masked,
  dropped,
  noteTokens,
  note,
}: Receipt): FoldTrace {
  const sizes = { before: before.tokens - reserve, after: after.tokens - reserve };
  const text = shortened(note ?? '', NOTE_CHARS);
  return { number: fold, reason, ...sizes, kept, masked, dropped, noteTokens, note: text };
}

function shortened(text: string, most: number): string {
  // Mask before cutting: half a key is not recognized.
  const safe = maskSecrets(text);
  return safe.length <= most ? safe : `${safe.slice(0, most - 1)}…`;
}
