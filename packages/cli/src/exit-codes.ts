/** How the program ends; docs/exit-codes.md says what to do about each. */
export const EXIT = {
  done: 0,
  /** A failure while working. */
  failed: 1,
  /** Wrong use or configuration: nothing was done. */
  wrong_use: 2,
  /** The model says that the task cannot be done as it stands. */
  blocked: 3,
  /** Out of iterations, time, money or patience with failures. */
  out_of_budget: 4,
  /** Somebody pressed Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
