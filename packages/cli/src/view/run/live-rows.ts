import type { ExecutorState } from '@holdfast/agent';
import type { ContextGauge } from '@holdfast/agent/run';
import { clock, counted, money, percent } from '../amounts.ts';
import { clean } from '../clean.ts';
import type { Colours } from '../colours.ts';
import { gaugeBar, gaugeOf } from '../gauge.ts';
import { interruptPhrase } from '../phrases.ts';
import { type Style, spinnerAt } from '../style.ts';
import { columnsOf, cut, wrap } from '../text.ts';
import { aboutIn } from './log-lines.ts';
import type { Moment } from './run-watch.ts';

/** What the live region shows. */
export interface LiveInput {
  readonly title: string;
  readonly moment: Moment;
  readonly now: number;
  /** How often Ctrl-C was pressed. */
  readonly interrupts: number;
  /** Counts up; turns the spinner. */
  readonly tick: number;
  readonly columns: number;
  readonly rows: number;
}

// Wider is harder to read, and wraps over the whole screen when a wide terminal is made narrow.
const MOST_COLUMNS = 110;
const BAR_COLUMNS = 24;
const SAYING_ROWS = 2;

/** The rows below the log: at least one column narrower than the terminal, and never more than it has. Pure. */
export function liveRows(input: LiveInput, style: Style): string[] {
  const columns = Math.max(1, Math.min(input.columns - 1, MOST_COLUMNS));
  const { colours, marks } = style;
  const { state } = input.moment;
  const rows = [
    colours.dim(marks.rule.repeat(columns)),
    titleRow(input, columns, style),
    activityRow(input, columns, style),
    ...outputRows(input.moment.calls.at(-1)?.output, columns, style),
    ...sayingRows(input.moment.saying, columns, colours),
    ...(state?.context ? contextRows(state.context, columns, style) : []),
    ...(state ? figureRows(state, columns, style) : []),
    ...interruptRows(input.interrupts, columns, colours),
  ];
  // One row stays free for the cursor. With few rows, the activity matters most.
  const most = Math.max(1, input.rows - 2);
  if (rows.length <= most) return rows;
  return [...rows.slice(2), ...rows.slice(1, 2)].slice(0, most);
}

function titleRow(input: LiveInput, columns: number, { colours, marks }: Style): string {
  const { state, since } = input.moment;
  const running = state?.status === 'running' || state === undefined;
  const elapsed = (state?.elapsedMs ?? 0) + (running ? input.now - since : 0);
  const most = state && state.maxIterations > 0 ? `/${state.maxIterations}` : '';
  const right = state ? `iteration ${state.iteration}${most} ${marks.dot} ${clock(elapsed)}` : clock(elapsed);
  return between(clean(input.title).trim(), right, columns, colours.bold, colours.dim);
}

function activityRow({ moment, now, tick }: LiveInput, columns: number, style: Style): string {
  const { colours } = style;
  const spinner = spinnerAt(tick, style);
  const call = moment.calls.at(-1);
  if (!call) {
    const waited = moment.retryAt === undefined ? undefined : Math.max(0, moment.retryAt - now);
    return `${spinner} ${cut(phasePhrase(moment.state, waited), Math.max(1, columns - 2))}`;
  }
  const more = moment.calls.length > 1 ? `+${moment.calls.length - 1} more  ` : '';
  const right = `${more}${clock(now - call.since)}`;
  const name = cut(clean(call.name), Math.max(1, columns - 2));
  const room = columns - columnsOf(name) - columnsOf(right) - 5;
  const about = room > 3 ? aboutIn(call.about, room) : '';
  const left = about === '' ? name : `${colours.bold(name)} ${about}`;
  return `${spinner} ${between(left, right, columns - 2, (text) => text, colours.dim)}`;
}

/** The newest line of what the tool prints. */
function outputRows(output: string | undefined, columns: number, { colours, marks }: Style): string[] {
  const line = clean(output ?? '').trim();
  return line === '' ? [] : [`  ${colours.dim(`${marks.side} ${cut(line, Math.max(1, columns - 4))}`)}`];
}

function phasePhrase(state: ExecutorState | undefined, waited: number | undefined): string {
  switch (state?.phase) {
    case undefined:
    case 'starting':
      return 'starting';
    case 'tool':
      return state?.tool ? `${clean(state.tool.name)} ${clean(state.tool.about)}` : 'running a tool';
    case 'validation':
      return 'checking';
    case 'retry':
      return waited === undefined ? 'waiting to retry' : `retrying in ${clock(waited + 999)}`;
    case 'ended':
      return 'ending';
    case 'model':
      return 'waiting for the model';
  }
}

function sayingRows(saying: string, columns: number, colours: Colours): string[] {
  const rows = wrap(clean(saying), Math.max(1, columns - 2)).slice(-SAYING_ROWS);
  return rows.map((row) => `  ${colours.dim(row)}`);
}

function contextRows(gauge: ContextGauge, columns: number, style: Style): string[] {
  const { share, figures } = gaugeOf(gauge);
  const bar = Math.min(BAR_COLUMNS, columns - columnsOf(figures.join('   ')) - 4);
  if (share === undefined || bar < 6) return flowing(figures, columns, style, columns >= 40 ? 'context ' : '');
  return [`  ${gaugeBar(share, bar, style)} ${figures.join(style.colours.dim(` ${style.marks.dot} `))}`];
}

function figureRows(state: ExecutorState, columns: number, style: Style): string[] {
  const { cost } = state;
  const parts = [counted(state.calls, 'tool call'), counted(state.folds, 'fold'), `cache ${percent(state.cacheShare)}`];
  if (cost) {
    const everything = cost.everything === undefined ? '' : `, sending everything ${money(cost.everything)}`;
    parts.push(`${money(cost.spent)}${everything}`);
  } else if (state.tokenUsage.outputTokens > 0) parts.push('cost unknown');
  return flowing(parts, columns, style);
}

/** Puts parts side by side, on more rows if they do not fit. */
function flowing(parts: readonly string[], columns: number, { colours, marks }: Style, label = ''): string[] {
  const room = Math.max(1, columns - 2);
  const rows: string[][] = [[]];
  for (const part of parts) {
    const row = rows.at(-1) ?? [];
    const used = row.reduce((sum, one) => sum + columnsOf(one) + 3, columnsOf(label));
    if (row.length > 0 && used + columnsOf(part) > room) rows.push([part]);
    else row.push(part);
  }
  return rows.map(
    (row, i) => `  ${i === 0 ? label : ''}${row.map((part) => cut(part, room)).join(colours.dim(` ${marks.dot} `))}`,
  );
}

function interruptRows(interrupts: number, columns: number, colours: Colours): string[] {
  if (interrupts === 0) return [];
  return wrap(interruptPhrase(interrupts), columns).map((row) => colours.yellow(row));
}

function between(
  left: string,
  right: string,
  columns: number,
  paintLeft: (text: string) => string,
  paintRight: (text: string) => string,
): string {
  const room = columns - columnsOf(right) - 2;
  if (room < 4) return paintLeft(cut(left, columns));
  const shown = columnsOf(left) > room ? cut(left, room) : left;
  const gap = ' '.repeat(columns - columnsOf(shown) - columnsOf(right));
  return `${paintLeft(shown)}${gap}${paintRight(right)}`;
}
