import { plain } from './plain.ts';

const TONES: Readonly<Record<string, string>> = { completed: 'good', failed: 'bad', blocked: 'bad' };

/** How a run ended, or that it has not; nothing for other sessions. */
export function StatusTag({ of }: { readonly of: string | undefined }) {
  return of === undefined ? null : <span class={`tag ${TONES[of] ?? ''}`}>{plain(of)}</span>;
}
