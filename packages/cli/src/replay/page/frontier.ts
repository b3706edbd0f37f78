import { tokens } from '../../view/amounts.ts';
import type { ReportRow } from '../report.ts';
import { axes, FRAME, figure, legend, type Scale, scaleOf, sign, tip } from './chart.ts';
import { html, type Markup } from './markup.ts';

type Measure = 'coverage' | 'spans';

interface Point {
  readonly row: ReportRow;
  readonly cost: number;
  readonly value: number;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

const DOTS = 4;
const INSIDE = { left: FRAME.left, right: FRAME.width - 2, top: FRAME.top - 12, bottom: FRAME.height - FRAME.bottom };

/** Cost against coverage or spans, a point per policy and budget, with the frontier of the best points. Pure. */
export function frontier(rows: readonly ReportRow[], measure: Measure, wanted?: number): Markup {
  const names = [...new Set(rows.map(({ policy }) => policy))];
  const points = rows.flatMap((row) =>
    row.cost === null || row[measure] === null ? [] : [{ row, cost: row.cost, value: row[measure] }],
  );
  const about =
    measure === 'coverage'
      ? 'Percent of the names and numbers in the next call that were in the view, against cost. Up and to the left is better.'
      : 'Percent of the lines the next edit depended on that were in the view, against cost. Up and to the left is better.';
  const title = measure === 'coverage' ? 'Cost and coverage' : 'Cost and spans';
  if (points.length === 0)
    return html`<figure><figcaption><h3>${title}</h3><p>Nothing to show: every view was the full history.</p></figcaption></figure>`;
  const costs = points.map(({ cost }) => cost);
  const x = scaleOf(Math.min(...costs), Math.max(...costs), FRAME.left, FRAME.width - FRAME.right);
  const low = Math.min(...points.map(({ value }) => value), wanted ?? 95);
  const y = scaleOf(Math.max(0, low), 100, FRAME.height - FRAME.bottom, FRAME.top);
  const place = ({ cost, value }: Point): Place => ({ x: x(cost), y: y(value) });
  const joined = names.map((name) => byBudget(points.filter(({ row }) => row.policy === name)).map(place));
  const aim =
    wanted === undefined || wanted < low
      ? []
      : [
          { x: FRAME.left, y: y(wanted) },
          { x: FRAME.width, y: y(wanted) },
        ];
  const labels = labelsFor(
    points.map((point) => ({ text: tokens(point.row.budget ?? 0), ...place(point) })),
    { lines: [...joined, aim].flatMap(dotsOf), inside: INSIDE },
  );
  const chart = html`<svg viewBox="0 0 ${FRAME.width} ${FRAME.height}" role="group" aria-label="${title}: ${about}">
${axes({ frame: FRAME, x, y, xName: 'cost, as a multiple of sending everything', yName: measure, xText: String, yText: (value) => `${value}%` })}
${wanted === undefined || wanted < low ? '' : html`<path class="wanted" aria-hidden="true" d="M${FRAME.left} ${y(wanted)}H${FRAME.width - FRAME.right}"/>`}
<path class="frontier" aria-hidden="true" d="${stepsOf(best(points), x, y)}"/>
${joined.map((line, at) => html`<path class="join c${at % 6}" aria-hidden="true" d="${lineOf(line)}"/>`)}
${points.map((point, i) => pointOf(point, names.indexOf(point.row.policy), measure, x, y, labels[i]))}</svg>`;
  return figure(title, about, { key: legend(names), chart, table: tableOf(points, measure) });
}

function pointOf(
  { row, cost, value }: Point,
  at: number,
  measure: Measure,
  x: Scale,
  y: Scale,
  label: Label | undefined,
): Markup {
  const said = `${row.policy} at ${tokens(row.budget ?? 0)}: cost ${cost.toFixed(3)}, ${measure} ${value.toFixed(1)}%`;
  return html`<g class="point" tabindex="0" role="img" aria-label="${said}">${sign(at, x(cost), y(value))}${label ? html`<text class="label" aria-hidden="true" x="${label.x}" y="${label.y}">${label.text}</text>` : ''}${tip(said, x(cost), y(value), FRAME)}</g>`;
}

/** The points that no other point beats in both measures. */
function best(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a.cost - b.cost || b.value - a.value);
  let most = Number.NEGATIVE_INFINITY;
  return sorted.filter(({ value }) => {
    const isBetter = value > most;
    most = Math.max(most, value);
    return isBetter;
  });
}

function stepsOf(points: readonly Point[], x: Scale, y: Scale): string {
  return points
    .map(({ cost, value }, at) => (at === 0 ? `M${x(cost)} ${y(value)}` : `H${x(cost)}V${y(value)}`))
    .join('');
}

function byBudget(points: readonly Point[]): Point[] {
  return [...points].sort((a, b) => (a.row.budget ?? 0) - (b.row.budget ?? 0));
}

function lineOf(places: readonly Place[]): string {
  return places.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join('');
}

/** Dots along a line, too close for a label to fit between two. */
function dotsOf(places: readonly Place[]): Place[] {
  return places.flatMap((from, at) => {
    const to = places[at + 1] ?? from;
    const count = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / DOTS);
    return Array.from({ length: count }, (_, n) => ({
      x: from.x + ((to.x - from.x) * n) / count,
      y: from.y + ((to.y - from.y) * n) / count,
    }));
  });
}

function tableOf(points: readonly Point[], measure: Measure): Markup {
  return html`<table><thead><tr><th scope="col">policy</th><th scope="col">budget</th><th scope="col">cost</th><th scope="col">${measure}</th></tr></thead><tbody>${points.map(
    ({ row, cost, value }) =>
      html`<tr><th scope="row">${row.policy}</th><td>${tokens(row.budget ?? 0)}</td><td>${cost.toFixed(3)}</td><td>${value.toFixed(1)}%</td></tr>`,
  )}</tbody></table>`;
}

/** A text and its start position. */
export interface Label {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const CHARACTER = 6.5;

/** What labels avoid. */
interface Surroundings {
  /** Points of lines, covered only if there is no other place. */
  readonly lines?: readonly { readonly x: number; readonly y: number }[];
  /** Labels must be inside. */
  readonly inside?: Box;
}

/** A place next to each point where its text covers no point or other text and, if possible, no line; else undefined. Pure. */
export function labelsFor(points: readonly Label[], { lines = [], inside }: Surroundings = {}): (Label | undefined)[] {
  const taken: Box[] = points.map(({ x, y }) => ({ left: x - 7, right: x + 7, top: y - 7, bottom: y + 7 }));
  const drawn = lines.map(({ x, y }) => ({ left: x, right: x, top: y, bottom: y }));
  return points.map((point) => {
    const width = point.text.length * CHARACTER;
    const free = placesOf(point, width).filter((place) => {
      const box = boxOf(place, width);
      return !taken.some((other) => overlaps(other, box)) && (!inside || holds(inside, box));
    });
    const best = free.find((place) => !drawn.some((dot) => overlaps(dot, boxOf(place, width)))) ?? free[0];
    if (!best) return undefined;
    taken.push(boxOf(best, width));
    return { text: point.text, ...best };
  });
}

function placesOf({ x, y }: Label, width: number): { readonly x: number; readonly y: number }[] {
  const [right, left, middle] = [x + 10, x - 10 - width, x - width / 2];
  return [
    { x: right, y: y + 4 },
    { x: left, y: y + 4 },
    { x: middle, y: y - 11 },
    { x: middle, y: y + 19 },
    { x: right - 2, y: y - 8 },
    { x: right - 2, y: y + 16 },
    { x: left + 2, y: y - 8 },
    { x: left + 2, y: y + 16 },
  ];
}

function holds(outer: Box, { left, right, top, bottom }: Box): boolean {
  return outer.left <= left && right <= outer.right && outer.top <= top && bottom <= outer.bottom;
}

function boxOf({ x, y }: { readonly x: number; readonly y: number }, width: number): Box {
  return { left: x, right: x + width, top: y - 10, bottom: y + 2 };
}

function overlaps(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
