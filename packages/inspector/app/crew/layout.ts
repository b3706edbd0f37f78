/** A handover: possible, or made `count` times. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/** Where an agent is drawn: the left upper corner of its box. */
export interface AgentBox {
  readonly name: string;
  readonly column: number;
  readonly x: number;
  readonly y: number;
}

/** An edge as a curve, with the middle of its way for a label. */
export interface Way extends Edge {
  readonly d: string;
  readonly middle: Point;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

export const BOX = { width: 108, height: 34 } as const;
const [ACROSS, DOWN, EDGE] = [BOX.width + 46, BOX.height + 22, 4];
/** How far a curve leaves the row or column of its boxes. */
const BEND = 40;

/** The agents in columns by their distance from the first one, and the handovers between them. Counts do not affect the layout. Pure. */
export function layOut(names: readonly string[], entry: string | undefined, edges: readonly Edge[]) {
  const columns = columnsOf(names, entry ?? names[0] ?? '', edges);
  const has = (test: (span: number) => boolean) =>
    edges.some(({ from, to }) => test((columns.get(to) ?? 0) - (columns.get(from) ?? 0)));
  const top = EDGE + (has((span) => span > 1) ? BEND : 0);
  const rows: number[] = [];
  const places = names.map((name): AgentBox => {
    const column = columns.get(name) ?? 0;
    const row = rows[column] ?? 0;
    rows[column] = row + 1;
    return { name, column, x: EDGE + column * ACROSS, y: top + row * DOWN };
  });
  const at = new Map(places.map((place) => [place.name, place]));
  const ways = edges.flatMap((edge): Way[] => {
    const [a, b] = [at.get(edge.from), at.get(edge.to)];
    return a && b && a !== b ? [{ ...edge, ...wayBetween(a, b) }] : [];
  });
  const width = Math.max(...places.map(({ x }) => x)) + BOX.width + EDGE + (has((span) => span === 0) ? BEND : 0);
  const height = Math.max(...places.map(({ y }) => y)) + BOX.height + EDGE + (has((span) => span < 0) ? BEND : 0);
  return { places, ways, width, height };
}

/** Steps from the first agent; those that nobody hands over to come last. */
function columnsOf(names: readonly string[], entry: string, edges: readonly Edge[]): Map<string, number> {
  const columns = new Map([[entry, 0]]);
  for (const [name, column] of columns)
    for (const { from, to } of edges)
      if (from === name && names.includes(to) && !columns.has(to)) columns.set(to, column + 1);
  const last = Math.max(...columns.values()) + 1;
  for (const name of names) if (!columns.has(name)) columns.set(name, last);
  return columns;
}

/** Straight to the next column; on the right within one, above when it skips columns, and below on the way back, so no edge crosses a box. */
function wayBetween(a: AgentBox, b: AgentBox): Pick<Way, 'd' | 'middle'> {
  const span = b.column - a.column;
  const [middleOfA, middleOfB] = [a.x + BOX.width / 2, b.x + BOX.width / 2];
  if (span === 1) {
    const [from, to] = [sideOf(a, BOX.width), sideOf(b, 0)];
    const half = (from.x + to.x) / 2;
    const way = curve(from, { x: half, y: from.y }, { x: half, y: to.y }, to);
    // A straight way is too short for a label on it.
    return from.y === to.y ? { ...way, middle: { x: half - 3, y: from.y - 9 } } : way;
  }
  if (span === 0) {
    const [from, to] = [sideOf(a, BOX.width), sideOf(b, BOX.width)];
    return curve(from, { x: from.x + BEND, y: from.y }, { x: to.x + BEND, y: to.y }, to);
  }
  const [y, bend] = span > 0 ? [0, -BEND] : [BOX.height, BEND];
  const [from, to] = [
    { x: middleOfA, y: a.y + y },
    { x: middleOfB, y: b.y + y },
  ];
  const far = span > 0 ? Math.min(from.y, to.y) + bend : Math.max(from.y, to.y) + bend;
  return curve(from, { x: from.x, y: far }, { x: to.x, y: far }, to);
}

function sideOf({ x, y }: AgentBox, offset: number): Point {
  return { x: x + offset, y: y + BOX.height / 2 };
}

function curve(a: Point, b: Point, c: Point, d: Point): Pick<Way, 'd' | 'middle'> {
  const half = (of: keyof Point) => (a[of] + 3 * b[of] + 3 * c[of] + d[of]) / 8;
  return { d: `M${a.x} ${a.y}C${b.x} ${b.y} ${c.x} ${c.y} ${d.x} ${d.y}`, middle: { x: half('x'), y: half('y') } };
}
