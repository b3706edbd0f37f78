import type { CompareResult, ViewRun } from '../../src/api/types.ts';
import { counted, tokens, whole } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';

interface ViewStripProps {
  readonly name: string;
  readonly side: CompareResult;
  readonly call: number;
}

/** The history as a strip: what is in the view at a call, what is shortened and what is gone; then what was missing. */
export function ViewStrip({ name, side, call }: ViewStripProps) {
  const total = (side.series.at(-1)?.index ?? 0) + 1;
  const { index = 0, viewTokens = 0, missing = [] } = side.series[call - 1] ?? {};
  const fold = side.foldings.findLast((one) => one.index <= index);
  const runs = runsAt(fold?.runs ?? [], index);
  const gone = runs.reduce((sum, { type, from, to }) => sum + (type === 'folded' ? to - from + 1 : 0), 0);
  const said = `${name}: ${tokens(viewTokens)} tokens, ${whole(gone)} of ${counted(index, 'message')} folded`;
  return (
    <div class="stack">
      <p class="nums">{plain(said)}</p>
      <svg class="strip" viewBox={`0 0 ${total} 10`} preserveAspectRatio="none" role="img" aria-label={plain(said)}>
        {runs.map(({ type, from, to }) =>
          type === 'folded' ? null : <rect class={type} x={from} y={0} width={to - from + 1} height={10} key={from} />,
        )}
      </svg>
      <div class="row small">
        {missing.length > 0 ? (
          <details>
            <summary>{counted(missing.length, 'thing')} missing at this call</summary>
            <ul>
              {missing.map((text) => (
                <li key={text}>
                  <code>{plain(text)}</code>
                </li>
              ))}
            </ul>
          </details>
        ) : (
          <span class="tag good">nothing missing at this call</span>
        )}
        {fold?.note !== undefined && (
          <details>
            <summary>Its note</summary>
            <pre class="output">{plain(fold.note)}</pre>
          </details>
        )}
      </div>
    </div>
  );
}

/** The runs of the newest fold, with the messages since, up to a position. Pure. */
function runsAt(runs: readonly ViewRun[], end: number): ViewRun[] {
  const known = runs.filter(({ from }) => from < end).map((run) => ({ ...run, to: Math.min(run.to, end - 1) }));
  const next = (known.at(-1)?.to ?? -1) + 1;
  return next < end ? [...known, { type: 'kept', from: next, to: end - 1 }] : known;
}
