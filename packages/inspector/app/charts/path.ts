/** The inside of a chart. */
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A line as an SVG path, and where each of its unbroken parts starts and ends. */
export interface DrawnPath {
  readonly d: string;
  readonly parts: readonly { readonly d: string; readonly from: number; readonly to: number }[];
}

/** A path through points; null breaks it. Of the points in one pixel only the first, lowest, highest and last are drawn. Pure. */
export function pathOf(xs: readonly number[], ys: readonly (number | null)[]): DrawnPath {
  const parts: { d: string; from: number; to: number }[] = [];
  let points: [number, number][] = [];
  const flush = () => {
    const [first, last] = [points[0], points.at(-1)];
    if (first && last) {
      const d = thinned(points).map(([x, y], n) => `${n === 0 ? 'M' : 'L'}${x} ${y}`);
      parts.push({ d: d.join(''), from: first[0], to: last[0] });
    }
    points = [];
  };
  for (const [n, y] of ys.entries()) {
    if (y === null) flush();
    else points.push([xs[n] ?? 0, y]);
  }
  flush();
  return { d: parts.map(({ d }) => d).join(''), parts };
}

/** The area below a path. Pure. */
export function areaOf({ parts }: DrawnPath, bottom: number): string {
  return parts.map(({ d, from, to }) => `${d}L${to} ${bottom}L${from} ${bottom}Z`).join('');
}

function thinned(points: readonly [number, number][]): readonly [number, number][] {
  const pixels = new Map<number, [number, number][]>();
  for (const point of points) {
    const pixel = Math.round(point[0]);
    const known = pixels.get(pixel);
    if (known) known.push(point);
    else pixels.set(pixel, [point]);
  }
  return [...pixels.values()].flatMap((all) => {
    if (all.length <= 4) return all;
    const byHeight = all.toSorted((a, b) => a[1] - b[1]);
    const kept = new Set([all[0], byHeight[0], byHeight.at(-1), all.at(-1)]);
    return all.filter((point) => kept.has(point));
  });
}
