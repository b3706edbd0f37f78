import { ToolFailure } from '../failure.ts';
import type { Judge } from '../scope/judge.ts';
import { matchBelow } from './protected-files.ts';

/** Why a file is not reached. */
export const OUT_OF_REACH = "holdfast's own files and your credentials are read and written by no tool";

/** A judge that lets nobody read or write these paths, and leaves all else to `judge`. Pure. */
export function hiding(hidden: readonly string[], judge: Judge): Judge {
  const isHidden = matchBelow(hidden);
  return (path, access) => (isHidden(path) ? `${path} is out of reach: ${OUT_OF_REACH}` : judge(path, access));
}

/** What lists and searches leave out. Throws ToolFailure for a path that they must not begin at. */
export function hiddenFrom(path: string, hidden: readonly string[]): (path: string) => boolean {
  const isHidden = matchBelow(hidden);
  if (isHidden(path)) throw new ToolFailure(`${path} is out of reach: ${OUT_OF_REACH}`);
  return isHidden;
}
