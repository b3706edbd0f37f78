import { counted, tokens } from '../../view/amounts.ts';
import type { CallTrace, FoldTrace } from '../trace.ts';
import { axes, FRAME, type Frame, figure, type Scale, scaleOf, tip } from './chart.ts';
import { html, type Markup } from './markup.ts';

const TALL: Frame = { ...FRAME, width: 860, height: 300 };

/** What fills a view, in stacking order. */
const KINDS = [
  ['system', 'system'],
  ['user', 'user'],
  ['note', 'note'],
  ['assistant', 'assistant and calls'],
  ['masked', 'shortened results'],
  ['results', 'results'],
  ['reminders', 'reminders'],
] as const;

/** The size of the view at each call, with folds, the budget and the full history. Pure. */
export function timeline(calls: readonly CallTrace[], history: readonly number[], budget: number | undefined): Markup {
  const most = Math.max(1, ...calls.map((call) => call.tokens), budget ?? 0);
  const { x, y, frame } = scales(calls.length, most);
  const places = sampled(calls).map(({ at }) => at);
  const folds = calls.flatMap((call, at) => (call.fold ? [{ at, call, fold: call.fold }] : []));
  const about = `${calls.length} calls, ${folds.length} folds, at most ${tokens(most)} tokens. Triangles are folds; dots at the bottom are calls that lacked something; the thin line is the full history.`;
  const top = y.ticks.at(-1) ?? most;
  const line = (values: readonly number[]) =>
    places
      .filter((at) => (values[at] ?? 0) <= top)
      .map((at, n) => `${n === 0 ? 'M' : 'L'}${x(at + 1)} ${y(values[at] ?? 0)}`)
      .join('');
  const foot = frame.height - frame.bottom - 4;
  const chart = html`<svg class="wide" viewBox="0 0 ${frame.width} ${frame.height}" role="group" aria-label="Context over time: ${about}">
${axes({ frame, x, y, xName: 'call', yName: 'tokens', xText: String, yText: tokens })}
<path class="history" aria-hidden="true" d="${line(history)}"/>
${budget === undefined ? '' : html`<path class="wanted" aria-hidden="true" d="M${frame.left} ${y(budget)}H${frame.width - frame.right}"/>`}
<path class="view" aria-hidden="true" d="${line(calls.map((call) => call.tokens))}"/>
<g aria-hidden="true">${calls.map(({ lacked }, at) => (lacked > 0 ? html`<circle class="lacked" cx="${x(at + 1)}" cy="${foot}" r="2.5"/>` : ''))}</g>
${folds.map(({ at, call, fold }) => {
  const said = `Fold ${fold.number} at call ${at + 1}: ${tokens(fold.before)} to ${tokens(fold.after)} tokens, ${fold.dropped} turns dropped, ${fold.masked} masked`;
  const [px, py] = [x(at + 1), y(call.tokens)];
  return html`<g class="point" tabindex="0" role="img" aria-label="${said}"><path class="fold" d="M${px} ${py - 2}l6-11h-12Z"/>${tip(said, px, py, frame)}</g>`;
})}</svg>`;
  return figure('Context over time', about, { chart, table: timeTable(calls) });
}

/** What fills the view at each call, stacked. Pure. */
export function fillChart(calls: readonly CallTrace[]): Markup {
  const { x, y, frame } = scales(calls.length, Math.max(1, ...calls.map((call) => call.tokens)));
  const shown = sampled(calls);
  const sums = shown.map(() => 0);
  const areas = KINDS.map(([kind], at) => {
    const below = [...sums];
    for (const [i, { call }] of shown.entries()) sums[i] = (sums[i] ?? 0) + call.fills[kind];
    const up = shown.map(({ at: place }, i) => `${i === 0 ? 'M' : 'L'}${x(place + 1)} ${y(sums[i] ?? 0)}`).join('');
    const down = shown
      .map(({ at: place }, i) => `L${x(place + 1)} ${y(below[i] ?? 0)}`)
      .toReversed()
      .join('');
    return html`<path class="area k${at}" d="${up}${down}Z"/>`;
  });
  const about = 'Tokens in the view, by kind.';
  const key = html`<ul class="legend" aria-hidden="true">${KINDS.map(
    ([, name], at) =>
      html`<li><svg width="16" height="16" viewBox="0 0 16 16"><rect class="area k${at}" x="1" y="1" width="14" height="14"/></svg>${name}</li>`,
  )}</ul>`;
  const chart = html`<svg class="wide" viewBox="0 0 ${frame.width} ${frame.height}" role="img" aria-label="What fills the window: the table below has the figures">${axes({ frame, x, y, xName: 'call', yName: 'tokens', xText: String, yText: tokens })}${areas}</svg>`;
  return figure('What fills the window', about, { key, chart, table: fillTable(calls) });
}

function scales(calls: number, most: number): { readonly x: Scale; readonly y: Scale; readonly frame: Frame } {
  const x = scaleOf(0, Math.max(2, calls), TALL.left, TALL.width - TALL.right, 8);
  return { x, y: scaleOf(0, most, TALL.height - TALL.bottom, TALL.top), frame: TALL };
}

const MOST_SHOWN = 160;
const TABLE_ROWS = 25;

/** A sample of a long conversation that includes its ends and the calls around folds. */
function sampled(calls: readonly CallTrace[]): { readonly call: CallTrace; readonly at: number }[] {
  const every = Math.max(1, Math.ceil(calls.length / MOST_SHOWN));
  return calls
    .map((call, at) => ({ call, at }))
    .filter(({ call, at }) => at % every === 0 || at === calls.length - 1 || call.fold || calls[at + 1]?.fold);
}

function tableRows(calls: readonly CallTrace[]): { readonly call: CallTrace; readonly at: number }[] {
  const every = Math.max(1, Math.ceil(calls.length / TABLE_ROWS));
  return calls
    .map((call, at) => ({ call, at }))
    .filter(({ call, at }) => at % every === 0 || at === calls.length - 1 || call.fold !== undefined);
}

function timeTable(calls: readonly CallTrace[]): Markup {
  return html`<table><thead><tr><th scope="col">call</th><th scope="col">tokens</th><th scope="col">fold</th><th scope="col">lacked</th></tr></thead><tbody>${tableRows(
    calls,
  ).map(
    ({ call, at }) =>
      html`<tr><th scope="row">${at + 1}</th><td>${tokens(call.tokens)}</td><td>${call.fold ? call.fold.number : ''}</td><td>${call.lacked || ''}</td></tr>`,
  )}</tbody></table>`;
}

function fillTable(calls: readonly CallTrace[]): Markup {
  return html`<table><thead><tr><th scope="col">call</th>${KINDS.map(([, name]) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${tableRows(
    calls,
  ).map(
    ({ call, at }) =>
      html`<tr><th scope="row">${at + 1}</th>${KINDS.map(([kind]) => html`<td>${tokens(call.fills[kind])}</td>`)}</tr>`,
  )}</tbody></table>`;
}

/** A fold, and what was missing until the next one. */
interface Receipt {
  readonly fold: FoldTrace;
  readonly call: number;
  readonly lacked: number;
  readonly missing: readonly string[];
  readonly askedAgain: readonly string[];
}

const SHOWN = 8;

/** Every fold, with its effect and what later calls lacked. Pure. */
export function receipts(calls: readonly CallTrace[]): Markup {
  const all = receiptsOf(calls);
  if (all.length === 0) return html`<h3>Folds</h3><p>No folds.</p>`;
  return html`<h3>Folds and what was missing after each</h3><div class="scroll" tabindex="0" role="region" aria-label="Folds"><table class="receipts"><thead><tr><th scope="col">fold</th><th scope="col">at call</th><th scope="col">reason</th><th scope="col">tokens</th><th scope="col">turns</th><th scope="col">note</th><th scope="col">missing until the next fold</th></tr></thead><tbody>${all.map(receiptRow)}</tbody></table></div>`;
}

function receiptRow({ fold, call, lacked, missing, askedAgain }: Receipt): Markup {
  const turns = `${fold.kept} kept, ${fold.masked} masked, ${fold.dropped} dropped`;
  const note =
    fold.note === ''
      ? html`none`
      : html`<details><summary>${tokens(fold.noteTokens)} tokens</summary><pre tabindex="0">${fold.note}</pre></details>`;
  const missed =
    lacked === 0 && askedAgain.length === 0
      ? html`nothing`
      : html`<details><summary>${lacked} ${lacked === 1 ? 'name or line' : 'names or lines'}${askedAgain.length > 0 ? `, ${counted(askedAgain.length, 'call')} again` : ''}</summary><ul>${missing.map((text) => html`<li><code>${text}</code></li>`)}${askedAgain.map((text) => html`<li>asked again: <code>${text}</code></li>`)}</ul></details>`;
  return html`<tr><th scope="row">${fold.number}</th><td>${call}</td><td>${fold.reason}</td><td>${tokens(fold.before)} → ${tokens(fold.after)}</td><td>${turns}</td><td>${note}</td><td>${missed}</td></tr>`;
}

function receiptsOf(calls: readonly CallTrace[]): Receipt[] {
  const starts = calls.flatMap((call, at) => (call.fold ? [{ fold: call.fold, at }] : []));
  return starts.map(({ fold, at }, i) => {
    const behind = calls.slice(at, starts[i + 1]?.at ?? calls.length);
    return {
      fold,
      call: at + 1,
      lacked: behind.reduce((sum, { lacked }) => sum + lacked, 0),
      missing: [...new Set(behind.flatMap(({ missing }) => missing))].slice(0, SHOWN),
      askedAgain: [...new Set(behind.flatMap(({ askedAgain }) => askedAgain))].slice(0, SHOWN),
    };
  });
}
