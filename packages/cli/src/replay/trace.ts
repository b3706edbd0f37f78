import { maskSecrets } from 'holdfast';
import type { CallFigures, Fills } from 'holdfast/replay';

/** What a fold did, as it is shown. */
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

/** One call, as it is shown. */
export interface CallTrace {
  readonly answer: number;
  readonly tokens: number;
  /** Tokens of the whole history. */
  readonly history: number;
  readonly fills: Fills;
  readonly fold?: FoldTrace;
  /** How much the view lacked, and the first of it. */
  readonly lacked: number;
  readonly missing: readonly string[];
  readonly askedAgain: readonly string[];
}

const SHOWN = 6;
const NOTE_CHARS = 1_600;

/** What is shown of a call: bounded, whatever the conversation holds, and without keys. Pure. */
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
  // Masked before it is cut: half a key is not known for one.
  const safe = maskSecrets(text);
  return safe.length <= most ? safe : `${safe.slice(0, most - 1)}…`;
}
