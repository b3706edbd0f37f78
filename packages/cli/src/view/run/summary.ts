import type { ExecutorResult } from '@holdfast/agent';
import type { RunStatus } from '@holdfast/agent/run';
import { counted, difference, duration, money, percent, tokens } from '../amounts.ts';
import { clean } from '../clean.ts';
import type { Colours } from '../colours.ts';
import { failurePhrase } from '../phrases.ts';
import type { Style } from '../style.ts';
import { columnsOf, cut, cutMiddle, pad, wrap } from '../text.ts';

export interface SummaryInput {
  readonly title: string;
  readonly result: ExecutorResult;
  /** The command that resumes the run. */
  readonly resume?: string | undefined;
  /** The command that shows the run again. */
  readonly show?: string | undefined;
  readonly columns: number;
}

const MOST_COLUMNS = 100;
// The box must have room for its status.
const LEAST_COLUMNS = 16;
const LABEL_COLUMNS = 15;
const SUMMARY_ROWS = 8;
const FILES = 5;
const NO_CHECKS = 'not checked: no command was named; put one in backticks under "## Definition of Done"';

/** The box at the end of a run and the lines below it. Only a command to copy may be wider than `columns`. Pure. */
export function summaryRows(input: SummaryInput, style: Style): string[] {
  const columns = Math.max(LEAST_COLUMNS, Math.min(input.columns, MOST_COLUMNS));
  const inside = columns - 4;
  const said = input.result.summary.split('\n').flatMap((line) => wrap(clean(line), inside));
  const shown = said.length > SUMMARY_ROWS ? [...said.slice(0, SUMMARY_ROWS), '...'] : said;
  const facts = factsOf(input.result).flatMap((fact) => factRows(fact, inside, style.colours));
  const rows = [...shown, ...(shown.length > 0 ? [''] : []), ...facts];
  return [...boxed(rows, input, columns, style), ...closing(input, columns, style)];
}

/** A label with its values, one per row. */
interface Fact {
  readonly label: string;
  readonly values: readonly string[];
}

function factsOf(result: ExecutorResult): Fact[] {
  const { tokenUsage: usage, filesChanged: files, filesChangedCount: all, validation } = result;
  const failed = validation.filter(({ passed }) => !passed);
  const most = result.maxIterations > 0 ? ` of ${result.maxIterations}` : '';
  return [
    { label: 'iterations', values: [`${result.iteration}${most}`] },
    { label: 'tool calls', values: [String(result.calls)] },
    { label: 'files changed', values: [String(all), ...filesOf(files, all)] },
    ...(validation.length === 0
      ? result.unchecked.length > 0 || result.status !== 'completed'
        ? []
        : [{ label: 'checks', values: [NO_CHECKS] }]
      : [
          {
            label: 'checks',
            values: [
              `${validation.length - failed.length} of ${validation.length} passed`,
              ...failed.map(({ command }) => `failed: ${clean(command)}`),
            ],
          },
        ]),
    ...(result.unchecked.length === 0
      ? []
      : [{ label: 'not checked', values: [...result.unchecked.map(clean), '(--checks runs those in backticks)'] }]),
    ...conversationFacts(result),
    { label: 'folds', values: [String(result.folds)] },
    {
      label: 'tokens',
      values: [
        `${tokens(usage.inputTokens)} input, ${tokens(usage.outputTokens)} output`,
        `${tokens(usage.cacheReadTokens)} cache read, ${tokens(usage.cacheWriteTokens)} cache written`,
      ],
    },
    { label: 'cache share', values: [percent(result.cacheShare)] },
    { label: 'cost', values: [costPhrase(result)] },
    { label: 'elapsed', values: [duration(result.elapsedMs)] },
  ];
}

function conversationFacts({ conversationMessageCount: count, context }: ExecutorResult): Fact[] {
  const messages = context?.messages ?? count;
  if (messages === undefined) return [];
  const sized = context ? ` (${context.estimated ? '~' : ''}${tokens(context.tokens)} tokens)` : '';
  return [{ label: 'conversation', values: [`${counted(messages, 'message')}${sized}`] }];
}

function filesOf(files: readonly string[], all: number): string[] {
  const shown = files.slice(0, all > FILES ? FILES - 1 : FILES).map(clean);
  return all > shown.length ? [...shown, `and ${all - shown.length} more`] : shown;
}

function costPhrase({ cost }: ExecutorResult): string {
  if (!cost) return 'unknown for this model';
  if (cost.everything === undefined) return money(cost.spent);
  return `${money(cost.spent)}, sending everything ${money(cost.everything)}: ${savedPhrase(cost.spent, cost.everything)}`;
}

function savedPhrase(spent: number, everything: number): string {
  return everything > spent ? `${percent(1 - spent / everything)} saved` : 'nothing saved';
}

function factRows({ label, values }: Fact, columns: number, colours: Colours): string[] {
  const valueColumns = columns - LABEL_COLUMNS;
  // If two columns do not fit, values go below their label.
  const stacked = valueColumns < 20;
  const room = Math.max(1, stacked ? columns - 2 : valueColumns);
  const rows = values.flatMap((value) => (value.includes(' ') ? wrap(value, room) : [cutMiddle(value, room, '...')]));
  if (stacked) return [colours.dim(cut(label, columns, '')), ...rows.map((row) => `  ${row}`)];
  return rows.map((row, i) => `${colours.dim(pad(i === 0 ? label : '', LABEL_COLUMNS))}${row}`);
}

function boxed(rows: readonly string[], { title, result }: SummaryInput, columns: number, style: Style): string[] {
  const { colours, marks } = style;
  const [topLeft = '', topRight = '', bottomRight = '', bottomLeft = '', across = '', down = ''] = marks.box;
  const paint = statusPaint(result.status, colours);
  const name = cut(clean(title).trim(), Math.max(0, columns - result.status.length - 10), '...');
  const head = name === '' ? '' : `${paint(across)} ${colours.bold(name)} `;
  const tail = ` ${paint(colours.bold(result.status))} ${paint(across)}`;
  const line = across.repeat(Math.max(0, columns - 2 - columnsOf(head) - columnsOf(tail)));
  const sides = rows.map((row) => `${paint(down)} ${pad(row, columns - 4)} ${paint(down)}`);
  return [
    `${paint(topLeft)}${head}${paint(line)}${tail}${paint(topRight)}`,
    ...sides,
    paint(`${bottomLeft}${across.repeat(columns - 2)}${bottomRight}`),
  ];
}

function statusPaint(status: RunStatus, colours: Colours): (text: string) => string {
  if (status === 'completed') return colours.green;
  return status === 'failed' || status === 'blocked' ? colours.red : colours.yellow;
}

function closing({ result, resume, show }: SummaryInput, columns: number, { colours }: Style): string[] {
  // A command to copy is never cut or wrapped.
  const details = show === undefined ? [] : [`Details: ${clean(show)}`];
  if (result.status === 'completed')
    return [...details, ...wrap(totals(result), columns).map((row) => colours.bold(row))];
  const why = result.reason ?? result.lastError;
  const reason = why !== undefined && result.errorCategory ? failurePhrase(why, result.errorCategory) : why;
  return [
    ...(reason === undefined ? [] : wrap(clean(reason), columns).map(statusPaint(result.status, colours))),
    ...details,
    ...(resume === undefined ? [] : [`To continue: ${colours.bold(clean(resume))}`]),
  ];
}

function totals({ calls, folds, cost }: ExecutorResult): string {
  const counts = `${counted(calls, 'tool call')}, ${counted(folds, 'fold')}`;
  if (!cost) return `${counts}, cost unknown for this model`;
  const { spent, everything = 0 } = cost;
  if (everything <= spent) return `${counts}, cost ${money(spent)}, nothing saved`;
  const saved = difference(everything, spent);
  return `${counts}, cost saved ${saved} of ${money(everything)} (${percent(1 - spent / everything)})`;
}
