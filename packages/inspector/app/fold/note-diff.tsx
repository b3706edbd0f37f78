import { useMemo } from 'preact/hooks';
import type { Note } from '../../src/api/types.ts';
import { counted } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import { type DiffLine, diffLines } from './diff.ts';

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;
const NAMES = { same: '', added: 'added: ', removed: 'removed: ' } as const;

/** The note before and after a fold, line by line. */
export function NoteDiff({ before, after }: { readonly before: Note | undefined; readonly after: Note | undefined }) {
  const lines = useMemo(
    () => diffLines(before?.text.split('\n') ?? [], after?.text.split('\n') ?? []),
    [before, after],
  );
  const count = (type: DiffLine['type']) => lines.filter((line) => line.type === type).length;
  if (!before && !after) return <p class="soft">This fold wrote no note.</p>;
  return (
    <div class="stack">
      <p class="soft small">
        {before
          ? `${counted(count('added'), 'line')} added, ${counted(count('removed'), 'line')} removed`
          : 'The first note of this session'}
      </p>
      <section class="diff" tabIndex={0} aria-label="Changes of the note">
        {lines.map(({ type, text }, at) => (
          <div class={type} key={at}>
            <span aria-hidden="true">{SIGNS[type]}</span>
            <span>
              <span class="unseen">{NAMES[type]}</span>
              {plain(text)}
            </span>
          </div>
        ))}
      </section>
    </div>
  );
}
