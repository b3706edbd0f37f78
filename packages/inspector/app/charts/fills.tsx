import { tokens } from '../parts/format.ts';
import { Plot } from './plot.tsx';

interface FillChartProps {
  readonly calls: readonly number[];
  readonly fills: readonly { readonly name: string; readonly tokens: readonly number[]; readonly colour?: string }[];
  readonly at?: number | undefined;
  readonly height?: number;
}

const COLOURS = ['c5', 'c4', 'note-edge', 'c2', 'c1', 'c0', 'c3'];

/** What fills the view at each call, stacked. */
export function FillChart({ calls, fills, at, height = 200 }: FillChartProps) {
  const used = fills.map((fill, n) => ({ ...fill, colour: fill.colour ?? COLOURS[n % COLOURS.length] ?? 'c5' }));
  const shown = used.filter((fill) => fill.tokens.some((count) => count > 0));
  const sums = calls.map(() => 0);
  const stacked = shown.map(({ name, tokens: counts, colour }) => {
    for (const [n, count] of counts.entries()) sums[n] = (sums[n] ?? 0) + count;
    return { name, colour, fill: colour, values: [...sums], width: 0 };
  });
  const tip = (n: number) =>
    `call ${calls[n]}: ${shown.map(({ name, tokens: counts }) => `${name} ${tokens(counts[n] ?? 0)}`).join(', ')}`;
  return (
    <div class="stack">
      <ul class="legend" aria-hidden="true">
        {shown.map(({ name, colour }) => (
          <li key={name}>
            <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
              <rect fill={`var(--${colour})`} width="12" height="12" rx="2" />
            </svg>
            {name}
          </li>
        ))}
      </ul>
      {/* The tallest is drawn first, so that those below cover it. */}
      <Plot
        label="What fills the view: the table has the figures"
        x={calls}
        lines={stacked.toReversed()}
        at={at}
        tip={tip}
        height={height}
      />
    </div>
  );
}
