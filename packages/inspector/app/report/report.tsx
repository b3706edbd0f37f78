import { useState } from 'preact/hooks';
import type { ReportData, ReportRowData } from '../../src/report/types.ts';
import { type Choice, Frontier } from '../charts/frontier.tsx';
import { counted, tokens } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import { ThemeButton } from '../shell/theme-button.tsx';
import { Figures } from './figures.tsx';
import { Talk } from './talk.tsx';
import { mainRow, verdictOf } from './verdict.ts';

/** A replay report: the verdict, the choices, the picture, the tables. */
export function Report({ data }: { readonly data: ReportData }) {
  const main = mainRow(data);
  const [chosen, choose] = useState(main);
  const row = chosen === undefined ? undefined : data.rows[chosen];
  const pick = ({ policy, budget }: Choice) =>
    choose(data.rows.findIndex((one) => one.policy === policy && one.budget === budget));
  return (
    <>
      <a class="skip" href="#figures">
        Skip to the figures
      </a>
      <header class="bar">
        <span class="brand">Holdfast</span>
        <span class="soft">replay report</span>
        <div class="end">
          <ThemeButton />
        </div>
      </header>
      <main class="page narrow">
        <Head data={data} row={main === undefined ? undefined : data.rows[main]} />
        <section class="stack" aria-labelledby="frontier">
          <h2 id="frontier">Cost, and what stays in the view</h2>
          <Frontiers data={data} row={row} pick={pick} />
        </section>
        {data.talks.length > 0 && <Talk data={data} chosen={chosen} choose={choose} />}
        <Figures data={data} chosen={chosen} />
        {data.remarks.length > 0 && (
          <section class="stack">
            <h2>Skipped parts of the files</h2>
            <ul>
              {data.remarks.map((line) => (
                <li key={line}>{plain(line)}</li>
              ))}
            </ul>
          </section>
        )}
      </main>
    </>
  );
}

function Head({ data, row }: { readonly data: ReportData; readonly row: ReportRowData | undefined }) {
  const { conversations, calls, facts, advice, snippet } = data;
  return (
    <div class="stack">
      <h1 class="soft small">
        Replay of {counted(conversations, 'conversation')}, {counted(calls, 'call')}
      </h1>
      <p class="verdict">
        {row
          ? verdictOf(row, data).map(({ text, tone }) => (tone ? <b class={tone}>{text}</b> : text))
          : 'No policy with a budget was measured.'}
      </p>
      <p class="lead soft">
        Measured on recorded conversations, without a model: what would have been sent before each call, what that
        costs, and whether the names and numbers that the next answer used were in it.
      </p>
      <div class="row">
        <details>
          <summary>What was measured</summary>
          {facts.map((line) => (
            <p class="prose soft" key={line}>
              {plain(line)}
            </p>
          ))}
        </details>
        {advice.length > 0 && (
          <details>
            <summary>Advice</summary>
            {advice.map((line) => (
              <p class="prose soft" key={line}>
                {plain(line)}
              </p>
            ))}
            {snippet !== undefined && (
              <>
                <p>To use it, put this into holdfast.yml:</p>
                <pre class="output">{plain(snippet)}</pre>
              </>
            )}
          </details>
        )}
      </div>
    </div>
  );
}

interface FrontiersProps {
  readonly data: ReportData;
  readonly row: ReportRowData | undefined;
  readonly pick: (choice: Choice) => void;
}

function Frontiers({ data, row, pick }: FrontiersProps) {
  const choicesOf = (measure: 'coverage' | 'spans') =>
    data.rows.flatMap(({ policy, budget, cost, [measure]: kept }) =>
      budget === null || cost === null || kept === null ? [] : [{ policy, budget, cost, kept }],
    );
  const [coverage, spans] = [choicesOf('coverage'), choicesOf('spans')];
  if (coverage.length + spans.length === 0)
    return <p class="soft">Nothing to compare: every view was the full history. Try a smaller --budget.</p>;
  const of = (choices: readonly Choice[]) =>
    choices.find(({ policy, budget }) => policy === row?.policy && budget === row.budget);
  return (
    <>
      <p class="soft prose">
        Up and to the left is better. Choose a point to see that policy and budget below
        {row?.budget ? `; now ${row.policy} at ${tokens(row.budget)}` : ''}.
      </p>
      <div class="pair">
        {coverage.length > 0 && (
          <Frontier
            title="Names and numbers kept"
            about="Percent of the names that the next call used."
            choices={coverage}
            aim={data.minKept}
            chosen={of(coverage)}
            onPick={pick}
          />
        )}
        {spans.length > 0 && (
          <Frontier
            title="Lines for edits kept"
            about="Percent of the lines that the next edit depended on."
            choices={spans}
            chosen={of(spans)}
            onPick={pick}
          />
        )}
      </div>
    </>
  );
}
