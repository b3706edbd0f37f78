import { useState } from 'preact/hooks';
import type { ReportData, ReportRowData, ReportRun } from '../../src/report/types.ts';
import { FillChart } from '../charts/fills.tsx';
import { GrowthChart } from '../charts/growth.tsx';
import { counted, tokens } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import { CallTable } from './call-table.tsx';
import { Folds } from './folds.tsx';

interface TalkProps {
  readonly data: ReportData;
  readonly chosen: number | undefined;
  readonly choose: (row: number) => void;
}

const nameOf = ({ policy, budget }: ReportRowData) => (budget === null ? policy : `${policy} at ${tokens(budget)}`);

/** The end of a path: the beginning is the same for most. */
const shortName = (name: string) => name.split('/').slice(-2).join('/');

/** One conversation under one choice: the history against the view, what filled it, and its folds. */
export function Talk({ data, chosen, choose }: TalkProps) {
  const [at, setAt] = useState(0);
  const talk = data.talks[at];
  const row = chosen ?? data.rows.findIndex(({ budget }) => budget !== null);
  const run = talk?.runs[row];
  const { budget = null } = data.rows[row] ?? {};
  return (
    <section class="stack" aria-labelledby="talk">
      <h2 id="talk">History against view</h2>
      <p class="soft prose">
        {data.talks.length === 1 ? 'The longest conversation' : `The ${data.talks.length} longest conversations`}, call
        by call.
      </p>
      <div class="choices">
        <label>
          Conversation
          <select value={at} onChange={({ currentTarget }) => setAt(Number(currentTarget.value))}>
            {data.talks.map(({ name, calls, peak }, n) => (
              <option value={n} key={name}>
                {plain(shortName(name))} ({calls} calls, {tokens(peak)})
              </option>
            ))}
          </select>
        </label>
        <label>
          Policy and budget
          <select value={row} onChange={({ currentTarget }) => choose(Number(currentTarget.value))}>
            {data.rows.map((one, n) => (
              <option value={n} key={nameOf(one)}>
                {nameOf(one)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {run && <Run run={run} budget={budget ?? undefined} key={`${at} ${row}`} />}
    </section>
  );
}

function Run({ run, budget }: { readonly run: ReportRun; readonly budget: number | undefined }) {
  const { at, history, view, folds, lacking, fills } = run;
  return (
    <>
      <figure class="card">
        <GrowthChart of={{ calls: at, history, view, folds, lacking, budget }} height={280} />
        <details>
          <summary>Show as a table: history against view</summary>
          <CallTable
            run={run}
            columns={[
              { name: 'history', tokens: history },
              { name: 'view', tokens: view },
            ]}
          />
        </details>
      </figure>
      <figure class="card">
        <figcaption>
          <h3>What fills the view</h3>
          <p class="soft small">Tokens by kind, one on top of the other.</p>
        </figcaption>
        <FillChart calls={at} fills={fills} />
        <details>
          <summary>Show as a table: what fills the view</summary>
          <CallTable run={run} columns={fills} />
        </details>
      </figure>
      {folds.length === 0 ? (
        <p class="card">No folds.</p>
      ) : (
        <details class="card">
          <summary>{counted(folds.length, 'fold')}, and what was missing after each</summary>
          <Folds folds={folds} />
        </details>
      )}
    </>
  );
}
