/** Exit codes of the program; docs/exit-codes.md says what to do about each. */
export const EXIT = {
  done: 0,
  /** Something failed along the way. */
  failed: 1,
  /** Invalid usage or configuration; nothing was done. */
  wrongUse: 2,
  /** The model says that it cannot do the task as written. */
  blocked: 3,
  /** A limit was reached: iterations, time, cost or failures in a row. */
  outOfBudget: 4,
  /** Interrupted by Ctrl-C, SIGTERM or a closed terminal or pipe. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
