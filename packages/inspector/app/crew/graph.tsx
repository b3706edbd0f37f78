import { plain } from '../parts/plain.ts';

/** A handover: possible, or made `count` times. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

interface GraphProps {
  readonly names: readonly string[];
  readonly entry: string | undefined;
  readonly edges: readonly Edge[];
  /** Those at work. */
  readonly on: ReadonlySet<string>;
}

interface Node {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

const [WIDE, HIGH, ACROSS, DOWN] = [126, 34, 172, 62];

/** The agents as a graph, by their distance from the first one; dashed lines are possible handovers, solid ones were made. */
export function Graph({ names, entry, edges, on }: GraphProps) {
  const nodes = placed(names, entry, edges);
  const at = new Map(nodes.map((node) => [node.name, node]));
  const [width, height] = [
    Math.max(...nodes.map(({ x }) => x)) + WIDE + 4,
    Math.max(...nodes.map(({ y }) => y)) + HIGH + 14,
  ];
  const made = edges.filter(({ count }) => count > 0).map(({ from, to, count }) => `${from} to ${to}, ${count} times`);
  const label = `The crew: ${names.join(', ')}. Handovers: ${made.join('; ') || 'none yet'}.`;
  const lines = edges.flatMap((edge) => {
    const [a, b] = [at.get(edge.from), at.get(edge.to)];
    return a && b ? [{ ...edge, a, b }] : [];
  });
  return (
    <svg
      class="graph"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={plain(label)}
    >
      {lines.map(({ from, to, count, a, b }) => (
        <path class={`edge ${count > 0 ? 'used' : ''}`} d={curve(a, b)} key={`${from} ${to}`} />
      ))}
      {nodes.map(({ name, x, y }) => (
        <g class={`node ${on.has(name) ? 'on' : ''}`} key={name}>
          <rect x={x} y={y} width={WIDE} height={HIGH} rx={8} />
          <text x={x + WIDE / 2} y={y + HIGH / 2 + 4}>
            {plain(name.length > 16 ? `${name.slice(0, 15)}…` : name)}
          </text>
        </g>
      ))}
      {lines.map(({ from, to, count, a, b }) =>
        count === 0 ? null : (
          <text
            class="count"
            x={(a.x + b.x + WIDE) / 2}
            y={(a.y + b.y + HIGH) / 2 + (a.x <= b.x ? -2 : 14)}
            key={`${from} ${to}`}
          >
            {count}×
          </text>
        ),
      )}
    </svg>
  );
}

/** A place for each agent: columns by steps from the first, rows within. Pure. */
function placed(names: readonly string[], entry: string | undefined, edges: readonly Edge[]): Node[] {
  const depth = new Map<string, number>([[entry ?? names[0] ?? '', 0]]);
  for (let grew = true; grew; ) {
    grew = false;
    for (const { from, to } of edges) {
      const own = depth.get(from);
      if (own === undefined || depth.has(to) || !names.includes(to)) continue;
      depth.set(to, own + 1);
      grew = true;
    }
  }
  const last = Math.max(0, ...depth.values());
  const rows: number[] = [];
  return names.map((name) => {
    const column = depth.get(name) ?? last + 1;
    const row = rows[column] ?? 0;
    rows[column] = row + 1;
    return { name, x: 2 + column * ACROSS, y: 8 + row * DOWN };
  });
}

/** From the middle of one to the middle of the other; the way back bends below. */
function curve(a: Node, b: Node): string {
  const [x1, y1, x2, y2] = [a.x + WIDE / 2, a.y + HIGH / 2, b.x + WIDE / 2, b.y + HIGH / 2];
  if (a.x === b.x) return `M${x1} ${y1}C${x1 + WIDE} ${y1} ${x1 + WIDE} ${y2} ${x2} ${y2}`;
  const bend = a.x > b.x ? 22 : 0;
  return `M${x1} ${y1}C${(x1 + x2) / 2} ${y1 + bend} ${(x1 + x2) / 2} ${y2 + bend} ${x2} ${y2}`;
}
