import { useMemo, useState } from 'preact/hooks';
import type { CompareFigures, CompareResult } from '../../src/api/types.ts';
import { GrowthChart } from '../charts/growth.tsx';
import { counted, money, percent, sentence, tokens, whole } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import { ViewStrip } from './view-strip.tsx';

interface ComparisonProps {
  readonly sides: readonly [CompareResult, CompareResult];
  readonly everything: CompareFigures | undefined;
}

const nameOf = ({ policy, budget }: CompareResult) =>
  policy === 'everything' ? policy : `${policy} at ${tokens(budget)}`;

interface Figure {
  readonly name: string;
  readonly of: (side: CompareFigures) => number | undefined;
  readonly text: (value: number) => string;
  /** True if more is better. */
  readonly isMore?: boolean;
}

const FIGURES: readonly Figure[] = [
  { name: 'cost', of: ({ cost }) => cost, text: money },
  { name: 'cost, of sending everything', of: ({ relativeCost }) => relativeCost, text: percent },
  { name: 'kept of what answers used', of: ({ kept }) => kept, text: percent, isMore: true },
  { name: 'names and values missing', of: ({ missing }) => missing, text: whole },
  { name: 'lines for edits missing', of: ({ missingLines }) => missingLines, text: whole },
  { name: 'results asked for again', of: ({ askedAgain }) => askedAgain, text: whole },
  { name: 'largest prompt', of: ({ peak }) => peak, text: tokens },
  { name: 'tokens of all prompts', of: (side) => side.tokens, text: tokens },
  { name: 'folds', of: ({ folds }) => folds, text: whole },
];

/** Two replays side by side: a verdict, the figures, the growth of each, and the views aligned. */
export function Comparison({ sides, everything }: ComparisonProps) {
  const [call, setCall] = useState(sides[0].series.length);
  return (
    <>
      <p class="verdict">{sentence(verdictOf(sides))}</p>
      <FigureTable sides={sides} everything={everything} />
      <div class="sides">
        {sides.map((side, at) => (
          <figure class="card" key={at}>
            <figcaption>
              <h2>{plain(nameOf(side))}</h2>
            </figcaption>
            <SideChart side={side} at={call} pick={(index) => setCall(index + 1)} />
          </figure>
        ))}
      </div>
      <Views sides={sides} call={call} setCall={setCall} />
    </>
  );
}

/** The comparison in a sentence. Pure. */
function verdictOf([left, right]: readonly [CompareResult, CompareResult]): string {
  const difference = right.units === 0 ? 0 : left.units / right.units - 1;
  const [a, b] = [nameOf(left), nameOf(right)];
  const cost =
    Math.abs(difference) < 0.005
      ? `${a} costs as much as ${b}`
      : `${a} costs ${percent(Math.abs(difference))} ${difference < 0 ? 'less' : 'more'} than ${b}`;
  const [lacked, other] = [left, right].map(({ missing, missingLines }) => missing + missingLines);
  if (lacked === other)
    return `${cost}; ${lacked === 0 ? 'neither lacked anything' : `both lacked ${counted(lacked ?? 0, 'thing')}`} that answers used.`;
  return `${cost}; its view lacked ${counted(lacked ?? 0, 'thing')} that answers used, instead of ${whole(other ?? 0)}.`;
}

function FigureTable({ sides: [left, right], everything }: ComparisonProps) {
  const cell = ({ of, text, isMore = false }: Figure, own: CompareFigures, other?: CompareFigures) => {
    const [value, against] = [of(own), other && of(other)];
    const isBetter =
      value !== undefined && against !== undefined && value !== against && (isMore ? value > against : value < against);
    return <td class={isBetter ? 'better' : ''}>{value === undefined ? '–' : text(value)}</td>;
  };
  return (
    <section class="scroll card" tabIndex={0} aria-label="Figures">
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">figure</span>
            </th>
            <th scope="col">{plain(nameOf(left))}</th>
            <th scope="col">{plain(nameOf(right))}</th>
            {everything && <th scope="col">everything</th>}
          </tr>
        </thead>
        <tbody>
          {FIGURES.filter(({ of }) => of(left) !== undefined || of(right) !== undefined).map((figure) => (
            <tr key={figure.name}>
              <th scope="row">{figure.name}</th>
              {cell(figure, left, right)}
              {cell(figure, right, left)}
              {everything && cell(figure, everything)}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="small soft">
        Green is the better of the two. A replay counts tokens itself, so its costs differ a little from what the
        session paid.
      </p>
    </section>
  );
}

function SideChart({
  side,
  at,
  pick,
}: {
  readonly side: CompareResult;
  readonly at: number;
  readonly pick: (index: number) => void;
}) {
  const growth = useMemo(() => {
    const folded = new Set(side.foldings.map(({ index }) => index));
    const calls = side.series.map((_, n) => n + 1);
    return {
      calls,
      history: side.series.map(({ historyTokens }) => historyTokens),
      view: side.series.map(({ viewTokens }) => viewTokens),
      budget: side.policy === 'everything' ? undefined : side.budget,
      folds: side.series.flatMap(({ index, viewTokens }, n) =>
        folded.has(index)
          ? [{ call: n + 1, before: side.series[n - 1]?.viewTokens ?? viewTokens, after: viewTokens }]
          : [],
      ),
      lacking: side.series.flatMap(({ missing = [] }, n) => (missing.length > 0 ? [n + 1] : [])),
    };
  }, [side]);
  return <GrowthChart of={growth} at={at} height={210} onPick={pick} />;
}

interface ViewsProps {
  readonly sides: ComparisonProps['sides'];
  readonly call: number;
  readonly setCall: (call: number) => void;
}

function Views({ sides, call, setCall }: ViewsProps) {
  const last = sides[0].series.length;
  return (
    <section class="card stack" aria-label="Views at one call">
      <div class="row">
        <h2>What each sees</h2>
        <label class="row grow">
          <span class="nums">
            call {whole(call)} of {whole(last)}
          </span>
          <input
            class="grow"
            type="range"
            min={1}
            max={last}
            value={call}
            onInput={({ currentTarget }) => setCall(Number(currentTarget.value))}
          />
        </label>
      </div>
      <ul class="legend">
        <li class="soft">The history from left to right:</li>
        {[
          ['kept', 'sent as it is'],
          ['shortened', 'shortened'],
          ['gone', 'left out'],
        ].map(([kind, text]) => (
          <li key={kind}>
            <span class={`box ${kind}`} />
            {text}
          </li>
        ))}
      </ul>
      {sides.map((side, at) => (
        <ViewStrip name={nameOf(side)} side={side} call={call} key={at} />
      ))}
    </section>
  );
}
