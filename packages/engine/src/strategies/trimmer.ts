import { HoldfastError, shown } from '../errors.ts';
import type { Strategy, TurnResult } from '../strategy.ts';

/** The default length of a trimmed result. */
export const TRIM_CHARS = 2_000;

/** Follows a result that was cut; the length is that of the whole result. */
export const TRUNCATED = '[…truncated, {chars} chars]';

/** True for a result that a trimmer cuts to so many characters. */
export function isLong({ chars, masked }: TurnResult, most: number): boolean {
  return chars > most && !masked;
}

/**
 * Cuts tool results to this many characters, once, before the first request for which they are no longer in the last
 * exchange; drops nothing. Put it first in a list of strategies. Throws BAD_CONFIG.
 */
export function toolOutputTrimmer(chars = TRIM_CHARS): Strategy {
  if (!Number.isInteger(chars) || chars < 1)
    throw new HoldfastError('BAD_CONFIG', `toolOutputTrimmer(${shown(chars)}): expected a whole number, 1 or more`);
  return {
    name: 'governed-trim',
    trim_chars: chars,
    due: () => false,
    judge: (turns) => ({
      verdicts: turns.map(({ latest, results }) =>
        !latest && results.some((result) => isLong(result, chars)) ? 'mask' : 'keep',
      ),
      note: 'none',
      mask_chars: chars,
      wording: { mask: TRUNCATED },
    }),
  };
}
