import { ToolFailure } from '../failure.ts';
import type { Judge } from '../scope/judge.ts';
import { matchBelow } from './protected-files.ts';

/** Why a file is out of reach. */
export const OUT_OF_REACH = "no tool may read or write holdfast's own files or your credentials";

/** Denies all access to these paths and leaves the rest to `judge`. Pure. */
export function hiding(hidden: readonly string[], judge: Judge): Judge {
  const isHidden = matchBelow(hidden);
  return (path, access) => (isHidden(path) ? `${path} is out of reach: ${OUT_OF_REACH}` : judge(path, access));
}

/** What lists and searches skip. Throws ToolFailure for a starting path that is hidden itself. */
export function hiddenFrom(path: string, hidden: readonly string[]): (path: string) => boolean {
  const isHidden = matchBelow(hidden);
  if (isHidden(path)) throw new ToolFailure(`${path} is out of reach: ${OUT_OF_REACH}`);
  return isHidden;
}
