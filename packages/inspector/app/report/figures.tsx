import { useState } from 'preact/hooks';
import type { ReportData } from '../../src/report/types.ts';
import { plain } from '../parts/plain.ts';

/** All figures: the columns that fit are shown, the others are one click away. */
export function Figures({ data, chosen }: { readonly data: ReportData; readonly chosen: number | undefined }) {
  const [showsAll, showAll] = useState(false);
  const columns = data.columns.filter(({ isMain }) => isMain || showsAll);
  const hasMore = data.columns.some(({ isMain }) => !isMain);
  return (
    <section class="stack" aria-labelledby="figures">
      <div class="row">
        <h2 id="figures">All figures</h2>
        {hasMore && (
          <button type="button" class="plain" aria-pressed={showsAll} onClick={() => showAll(!showsAll)}>
            {showsAll ? 'Fewer columns' : `Show all ${data.columns.length} columns`}
          </button>
        )}
      </div>
      <section class="scroll" tabIndex={0} aria-label="All figures, table">
        <table>
          <thead>
            <tr>
              {columns.map(({ head }) => (
                <th scope="col" key={head}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.rows.map((row, at) => (
              <tr class={at === chosen ? 'chosen' : ''} key={`${row.policy} ${row.budget}`}>
                {columns.map(({ head, cells }, column) =>
                  column === 0 ? (
                    <th scope="row" key={head}>
                      {plain(cells[at] ?? '')}
                    </th>
                  ) : (
                    <td key={head}>{cells[at]}</td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <details>
        <summary>What the words mean</summary>
        <dl class="meanings prose">
          {data.meanings.map(([word, meaning]) => (
            <div key={word}>
              <dt>{word}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
}
