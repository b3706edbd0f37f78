import { HoldfastError, shown } from '../errors.ts';
import type { Strategy, TurnResult } from '../strategy.ts';

/** What is said of a result that was cut: the length is that of the whole. */
export const TRUNCATED = '[…truncated, {chars} chars]';

/** True for a result that a trimmer cuts to so many characters. */
export function isLong({ chars, masked }: TurnResult, most: number): boolean {
  return chars > most && !masked;
}

/**
 * Cuts tool results to so many characters once, before the first request for which they are no longer in the last exchange;
 * drops nothing. To stand first in a list of strategies. Throws BAD_CONFIG.
 */
export function toolOutputTrimmer(chars = 2_000): Strategy {
  if (!Number.isInteger(chars) || chars < 1)
    throw new HoldfastError('BAD_CONFIG', `toolOutputTrimmer(${shown(chars)}): give a whole number from 1 on`);
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
