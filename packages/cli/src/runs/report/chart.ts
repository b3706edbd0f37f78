import { money } from '../../view/amounts.ts';
import type { CostPoint } from '../history.ts';
import { type Html, html } from './markup.ts';

const [WIDTH, HEIGHT] = [800, 200];
const MOST_POINTS = 400;

/** The cost of a run, request by request, and of sending everything; undefined if unknown. Pure. */
export function costChart(costs: readonly CostPoint[]): Html | undefined {
  const last = costs.at(-1);
  if (!last || costs.length < 2 || last.everything === 0) return undefined;
  const step = Math.max(1, Math.ceil(costs.length / MOST_POINTS));
  const some = costs.filter((_, at) => at % step === 0 || at === costs.length - 1);
  const most = Math.max(...some.map(({ spent, everything }) => Math.max(spent, everything)));
  const line = (value: (point: CostPoint) => number) =>
    some
      .map((point, at) => `${((at / (some.length - 1)) * WIDTH).toFixed(1)},${y(value(point) / most).toFixed(1)}`)
      .join(' ');
  const label = `Cost of the run: ${money(last.spent)}; sending everything would have cost ${money(last.everything)}`;
  return html`<figure><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}" preserveAspectRatio="none">
<line class="axis" x1="0" y1="${HEIGHT - 1}" x2="${WIDTH}" y2="${HEIGHT - 1}"></line>
<polyline class="everything" points="${line(({ everything }) => everything)}"></polyline>
<polyline class="spent" points="${line(({ spent }) => spent)}"></polyline></svg>
<figcaption><span class="good">━ this run: ${money(last.spent)}</span><span class="warn">┅ sending everything: ${money(last.everything)}</span><span class="dim">left to right: the requests</span></figcaption></figure>`;
}

function y(share: number): number {
  return HEIGHT - 6 - share * (HEIGHT - 12);
}
