import { html, type Markup } from './markup.ts';

/** The size and margins of a chart, in its own units. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export const FRAME: Frame = { width: 560, height: 320, left: 52, right: 30, top: 30, bottom: 44 };

interface Axes {
  readonly frame: Frame;
  readonly x: Scale;
  readonly y: Scale;
  readonly xName: string;
  readonly yName: string;
  xText(value: number): string;
  yText(value: number): string;
}

/** Grid, ticks and axis names, hidden from screen readers. Pure. */
export function axes({ frame, x, y, xName, yName, xText, yText }: Axes): Markup {
  const { width, height, left, right, top, bottom } = frame;
  const floor = height - bottom;
  return html`<g class="axes" aria-hidden="true">${y.ticks.map(
    (tick) =>
      html`<path class="grid" d="M${left} ${y(tick)}H${width - right}"/><text class="tick end" x="${left - 6}" y="${y(tick) + 4}">${yText(tick)}</text>`,
  )}${x.ticks.map(
    (tick) =>
      html`<path class="grid" d="M${x(tick)} ${top}V${floor}"/><text class="tick middle" x="${x(tick)}" y="${floor + 16}">${xText(tick)}</text>`,
  )}<text class="name middle" x="${(left + width - right) / 2}" y="${height - 6}">${xName}</text><text class="name" x="4" y="${top - 14}">${yName}</text></g>`;
}

/** A tooltip for a point with focus or under the pointer. Pure. */
export function tip(text: string, x: number, y: number, { width, right }: Frame): Markup {
  const room = text.length * 7.6 + 16;
  const from = Math.max(4, Math.min(x - room / 2, width - right - room));
  const above = y > 48;
  const top = above ? y - 38 : y + 14;
  return html`<g class="tip" aria-hidden="true"><rect x="${from}" y="${top}" width="${room}" height="24" rx="4"/><text x="${from + 8}" y="${top + 17}">${text}</text></g>`;
}

const SHAPES: readonly ((x: number, y: number) => string)[] = [
  (x, y) => `M${x - 6} ${y}a6 6 0 1 0 12 0a6 6 0 1 0-12 0Z`,
  (x, y) => `M${x - 5} ${y - 5}h10v10h-10Z`,
  (x, y) => `M${x} ${y - 7}l7 12h-14Z`,
  (x, y) => `M${x} ${y - 7}l7 7l-7 7l-7-7Z`,
  (x, y) => `M${x} ${y + 7}l7-12h-14Z`,
  (x, y) => `M${x - 2} ${y - 6}h4v4h4v4h-4v4h-4v-4h-4v-4h4Z`,
];

/** The symbol of a policy, by its index: shape and colour both identify it. Pure. */
export function sign(at: number, x: number, y: number): Markup {
  const shape = SHAPES[at % SHAPES.length];
  const hollow = at >= SHAPES.length ? ' hollow' : '';
  return html`<path class="sign c${at % SHAPES.length}${hollow}" d="${shape?.(x, y) ?? ''}"/>`;
}

/** The legend of the symbols. Pure. */
export function legend(names: readonly string[]): Markup {
  return html`<ul class="legend" aria-hidden="true">${names.map(
    (name, at) => html`<li><svg width="16" height="16" viewBox="0 0 16 16">${sign(at, 8, 8)}</svg>${name}</li>`,
  )}</ul>`;
}

interface Figure {
  /** The legend. */
  readonly key?: Markup;
  readonly chart: Markup;
  readonly table: Markup;
}

/** A chart that scrolls if it does not fit, followed by its table. Pure. */
export function figure(title: string, about: string, { key = html``, chart, table }: Figure): Markup {
  return html`<figure><figcaption><h3>${title}</h3><p>${about}</p></figcaption>${key}<div class="scroll" tabindex="0" role="region" aria-label="${title}, chart">${chart}</div><details><summary>Show as a table: ${title}</summary><div class="scroll" tabindex="0" role="region" aria-label="${title}, table">${table}</div></details></figure>`;
}

/** Maps values to places on a chart. */
export interface Scale {
  (value: number): number;
  readonly ticks: readonly number[];
}

/** A scale with round limits around `low` and `high`, and about `count` ticks. Pure. */
export function scaleOf(low: number, high: number, from: number, to: number, count = 5): Scale {
  const step = roundStep((high - low || 1) / count);
  const first = Math.floor(low / step + 1e-9) * step;
  const last = Math.max(first + step, Math.ceil(high / step - 1e-9) * step);
  const ticks = Array.from({ length: Math.round((last - first) / step) + 1 }, (_, n) => rounded(first + n * step));
  const place = (value: number) => rounded(from + ((value - first) / (last - first || 1)) * (to - from), 1);
  return Object.assign(place, { ticks });
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const [step = 10] = [1, 2, 5, 10].filter((one) => one * power >= rough - 1e-12);
  return step * power;
}

function rounded(value: number, digits = 6): number {
  return Number(value.toFixed(digits));
}
