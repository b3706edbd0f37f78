import { maskSecrets } from 'holdfast';
import type { CallFigures, Fills } from 'holdfast/replay';

/** What the page shows of a fold. */
export interface FoldTrace {
  readonly number: number;
  readonly reason: string;
  /** Tokens of the messages. */
  readonly before: number;
  readonly after: number;
  readonly kept: number;
  readonly masked: number;
  readonly dropped: number;
  readonly noteTokens: number;
  readonly note: string;
}

/** What the page shows of a call. */
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
export function traceOf({
  answer,
  tokens,
  history,
  fills,
  receipt,
  missing,
  missingLines,
  askedAgain,
}: CallFigures): CallTrace {
  return {
    answer,
    tokens,
    history,
    fills,
    ...(receipt
      ? {
          fold: {
            number: receipt.fold,
            reason: receipt.reason,
            before: receipt.before.tokens - receipt.reserve,
            after: receipt.after.tokens - receipt.reserve,
            kept: receipt.kept,
            masked: receipt.masked,
            dropped: receipt.dropped,
            noteTokens: receipt.note_tokens,
            note: shortened(receipt.note ?? '', NOTE_CHARS),
          },
        }
      : {}),
    lacked: missing.length + missingLines.length,
    missing: [...missing, ...missingLines].slice(0, SHOWN).map((text) => shortened(text, 120)),
    askedAgain: askedAgain.slice(0, SHOWN).map((text) => shortened(text, 120)),
  };
}

function shortened(text: string, most: number): string {
  // Mask before cutting: half a key is not recognized.
  const safe = maskSecrets(text);
  return safe.length <= most ? safe : `${safe.slice(0, most - 1)}…`;
}
