import { plain } from '../parts/plain.ts';
import { BOX, type Edge, layOut } from './layout.ts';

interface GraphProps {
  readonly names: readonly string[];
  readonly entry: string | undefined;
  readonly edges: readonly Edge[];
  /** Those at work. */
  readonly on: ReadonlySet<string>;
}

const MOST_CHARACTERS = 14;

/** The agents as a graph, by their distance from the first one; dashed lines are possible handovers, solid ones were made. */
export function Graph({ names, entry, edges, on }: GraphProps) {
  const { places, ways, width, height } = layOut(names, entry, edges);
  const made = edges
    .filter(({ count }) => count > 0)
    .map(({ from, to, count }) => `${from} to ${to}, ${count} ${count === 1 ? 'time' : 'times'}`);
  const label = `The crew: ${names.join(', ')}. Handovers: ${made.join('; ') || 'none yet'}.`;
  return (
    <svg
      class="graph"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={plain(label)}
    >
      <defs>
        {['', 'used'].map((kind) => (
          <marker
            id={`arrow${kind}`}
            key={kind}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerUnits="userSpaceOnUse"
            markerWidth="9"
            markerHeight="9"
            orient="auto"
          >
            <path class={`tip ${kind}`} d="M0 0L8 4L0 8Z" />
          </marker>
        ))}
      </defs>
      {ways.map(({ from, to, count, d }) => (
        <path
          class={`edge ${count > 0 ? 'used' : ''}`}
          d={d}
          marker-end={`url(#arrow${count > 0 ? 'used' : ''})`}
          key={`${from} ${to}`}
        />
      ))}
      {places.map(({ name, x, y }) => (
        <g class={`node ${on.has(name) ? 'on' : ''}`} key={name}>
          <rect x={x} y={y} width={BOX.width} height={BOX.height} rx={8} />
          <text x={x + BOX.width / 2} y={y + BOX.height / 2 + 4}>
            {plain(name.length > MOST_CHARACTERS ? `${name.slice(0, MOST_CHARACTERS - 1)}…` : name)}
          </text>
        </g>
      ))}
      {ways.map(({ from, to, count, middle }) =>
        count === 0 ? null : (
          <text class="count" x={middle.x} y={middle.y + 4} key={`${from} ${to}`}>
            {count}×
          </text>
        ),
      )}
    </svg>
  );
}
