/** What one look found. */
export interface Finding {
  readonly about: string;
  /** A task cannot run with a problem, and may with a warning. */
  readonly status: 'ok' | 'warning' | 'problem';
  readonly text: string;
  /** What to do about it. */
  readonly advice?: string;
}
