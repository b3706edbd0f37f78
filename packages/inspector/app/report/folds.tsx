import type { ReportFold } from '../../src/report/types.ts';
import { counted, tokens } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';

/** Every fold in a line, with its note and what later calls lacked one click away. */
export function Folds({ folds }: { readonly folds: readonly ReportFold[] }) {
  return (
    <ol class="folds">
      {folds.map((fold) => (
        <li key={fold.number}>
          <p class="row nums">
            <span class="tag fold">fold {fold.number}</span>
            <span>
              at call {fold.call}: {tokens(fold.before)} → {tokens(fold.after)} tokens
            </span>
            <span class="soft">
              {fold.kept} kept, {fold.masked} shortened, {fold.dropped} dropped
            </span>
          </p>
          <div class="row">
            {fold.note !== '' && (
              <details>
                <summary>Note, {tokens(fold.noteTokens)} tokens</summary>
                <pre class="output">{plain(fold.note)}</pre>
              </details>
            )}
            <Missing fold={fold} />
          </div>
        </li>
      ))}
    </ol>
  );
}

function Missing({ fold: { lacked, missing, askedAgain } }: { readonly fold: ReportFold }) {
  if (lacked === 0 && askedAgain.length === 0) return <span class="tag good">nothing missing afterwards</span>;
  const again = askedAgain.length > 0 ? `, ${counted(askedAgain.length, 'call')} again` : '';
  return (
    <details>
      <summary>
        Missing until the next fold: {lacked} {lacked === 1 ? 'name or line' : 'names or lines'}
        {again}
      </summary>
      <ul>
        {missing.map((text) => (
          <li key={text}>
            <code>{plain(text)}</code>
          </li>
        ))}
        {askedAgain.map((text) => (
          <li key={text}>
            asked again: <code>{plain(text)}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
