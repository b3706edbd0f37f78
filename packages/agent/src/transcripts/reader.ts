import type { Recording } from './recording.ts';

/** Takes the values of one form out of a file, line by line. */
export interface Reader {
  /** The conversations that this line ended; most end none. */
  take(line: number, value: unknown): readonly Recording[];
  /** What is left when the file ends. */
  end(): readonly Recording[];
}

/** A list of one, or of none. */
export function some<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}
