/** The result of one check. */
export interface Finding {
  readonly about: string;
  /** A problem prevents tasks from running; a warning does not. */
  readonly status: 'ok' | 'warning' | 'problem';
  readonly text: string;
  /** How to fix it. */
  readonly advice?: string;
}

export const ok = (about: string, text: string): Finding => ({ about, status: 'ok', text });
export const warning = (about: string, text: string, advice: string): Finding => ({
  about,
  status: 'warning',
  text,
  advice,
});
export const problem = (about: string, text: string, advice: string): Finding => ({
  about,
  status: 'problem',
  text,
  advice,
});
