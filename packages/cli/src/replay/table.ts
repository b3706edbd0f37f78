import type { Advice, Summary } from '@holdfast/replay';
import { READ_PRICES, type Report, type ReportRow } from '@holdfast/replay/report';
import type { TranscriptRemark } from '@holdfast/replay/transcripts';
import { counted, money, tokens } from '../view/amounts.ts';
import { clean } from '../view/clean.ts';
import type { Colours } from '../view/colours.ts';
import { type Column, tableLines } from '../view/table.ts';
import type { Plan } from './plan.ts';

interface ReportColumn extends Column<ReportRow> {
  /** Whether the report has figures for it; always if absent. */
  isMeasured?(report: Report): boolean;
}

const isProbed = ({ results }: Report) => results.some(({ probes }) => probes !== null);

const COLUMNS: readonly ReportColumn[] = [
  { head: 'policy', cell: ({ policy, summaries }) => policy + markOf(summaries) },
  { head: 'budget', cell: ({ budget }) => (budget === null ? '-' : tokens(budget)) },
  { head: 'cost', drop: 2, cell: ({ cost }) => shown(cost, 3) },
  ...READ_PRICES.map((price, at) => ({
    head: `at ${price}`,
    drop: 93 + at,
    cell: ({ costAtReadPrice: costs }: ReportRow) => shown(costs[String(price)] ?? null, 3),
    // By the reference rules, the first is the cost itself.
    isMeasured: ({ model }: Report) => at > 0 || model !== null,
  })),
  {
    head: 'dollars',
    drop: 39,
    cell: ({ dollars }) => (dollars === null ? '-' : money(dollars)),
    isMeasured: ({ results }) => results.some(({ dollars }) => dollars !== null),
  },
  { head: 'coverage', drop: 3, cell: ({ coverage }) => shown(coverage, 1) },
  { head: 'spans', drop: 4, cell: ({ spans }) => shown(spans, 1) },
  { head: 'pointed', drop: 5, cell: ({ pointed }) => shown(pointed, 1) },
  { head: 'user said', drop: 6, cell: ({ probes }) => shown(probes?.user ?? null, 0), isMeasured: isProbed },
  {
    head: 'assistant said',
    drop: 7,
    cell: ({ probes }) => shown(probes?.assistant ?? null, 0),
    isMeasured: isProbed,
  },
  { head: 'again', drop: 79, cell: ({ askedAgain, repeats }) => (repeats === 0 ? '-' : `${askedAgain}/${repeats}`) },
  { head: 'rewrites', drop: 29, cell: ({ rewrites }) => shown(rewrites, 1) },
  { head: 'invalid', drop: 9, cell: ({ invalid }) => shown(invalid, 1) },
  { head: 'over', drop: 54, cell: ({ overBudget }) => shown(overBudget, 1) },
  { head: 'peak', drop: 19, cell: ({ peak }) => tokens(peak) },
];

/** The columns of a report, in the terminal and on the page; the first names the policy. Pure. */
export function columnsFor(report: Report): ReportColumn[] {
  return COLUMNS.filter(({ isMeasured }) => !isMeasured || isMeasured(report));
}

/** Explains the words of a report's table. Pure. */
export function meaningsFor(report: Report): (readonly [string, string])[] {
  return MEANINGS.filter(([word]) => word !== PROBES || isProbed(report));
}

const PROBES = 'user said, assistant said';
const MEANINGS: readonly (readonly [string, string])[] = [
  ['cost', 'price of all prompts, as a multiple of sending everything'],
  ['coverage', 'percent of the names and numbers used by the next call that were in the view'],
  ['spans', 'percent of the lines the next edit depended on that were in the view'],
  ['pointed', 'percent of these lines in the view, or behind a handle that the view shows next to the file'],
  [PROBES, 'percent of the statements planted by --probes that the last view still held'],
  ['again', 'repeated calls whose earlier result was no longer in the view, of all repeated calls'],
  [
    'rewrites, invalid, over',
    'percent of calls that changed earlier messages, broke a rule of the API, exceeded the budget',
  ],
];

/** The results as lines for a terminal of this width. Pure. */
export function resultLines(report: Report, columns: number, paint: Colours): string[] {
  const all = columnsFor(report).map((column, at) => ({ ...column, isFigure: at > 0 }));
  return tableLines(report.results, all, columns, paint);
}

/** Notes on the figures, one per line. Pure. */
export function factLines(report: Report, plan: Plan): string[] {
  const { unmeasured } = plan;
  const { conversations, messages, calls, prediction, prices, model, reserve } = report;
  const priced = Math.max(0, ...report.results.map(({ pricedConversations }) => pricedConversations));
  const rules =
    model === null
      ? 'cost by reference rules (read 0.1, write 1.25, nothing expires)'
      : `cost by the cache rules and prices of ${clean(model)}`;
  return [
    `${counted(conversations, 'conversation')}, ${counted(messages, 'message')}, ${counted(calls, 'call')}; ${tokens(reserve)} tokens of overhead (system prompt, tools); ${rules}.`,
    ...leftOutLines(report, plan),
    ...(priced > 0
      ? [
          `dollars: prompts of ${priced} of ${conversations} conversations, at prices of ${prices.date} (${prices.source}).`,
        ]
      : []),
    ...(prediction
      ? [
          `token counts: median error ${(100 * prediction.medianError).toFixed(2)}% against ${prediction.calls} recorded prompts.`,
        ]
      : []),
    ...(report.results.some(({ summaries }) => summaries === 'partly-recorded')
      ? ['+: some summaries are not recorded (--missing-summaries writes their prompts); the digest replaces those.']
      : []),
    ...(unmeasured.length > 0
      ? [
          `* ${unmeasured.join(', ')}: model summaries are not measured (pass --summaries); rows use the digest instead.`,
        ]
      : []),
  ];
}

/** What the flags skipped, if anything. Pure. */
export function leftOutLines({ leftOut: { short, otherHalf } }: Report, { minTokens, half }: Plan): string[] {
  const parts = [
    ...(short > 0 ? [`${counted(short, 'conversation')} under ${tokens(minTokens)} tokens (--min-tokens)`] : []),
    ...(otherHalf > 0 ? [`${counted(otherHalf, 'conversation')} of the other half (--half ${half})`] : []),
  ];
  return parts.length === 0 ? [] : [`skipped: ${parts.join(', ')}.`];
}

/** The advice of `--advise`, line by line. Pure. */
export function adviceLines(advice: Advice, snippet: string | undefined, minKept: number): string[] {
  if (advice.type !== 'choice')
    return [`${advice.type === 'none' ? 'No advice' : 'Not enough data for advice'}: ${advice.why}.`];
  const { policy, budget, summary, cost, kept, confidence, passedOver } = advice;
  const share = summary.relativeBill ?? summary.relativeCost ?? 1;
  return [
    `Cheapest that keeps at least ${minKept}% of what was needed: ${policy} at ${tokens(budget)}.`,
    `  cost      ${share.toFixed(3)} of sending everything (95% of samples: ${cost.low.toFixed(3)} to ${cost.high.toFixed(3)})`,
    `  kept      ${(summary.kept ?? 0).toFixed(1)}% (${kept.low.toFixed(1)} to ${kept.high.toFixed(1)}): ${partsOf(summary)}; enough in ${Math.round(100 * confidence)}% of samples`,
    ...passedOver.map(
      (one) => `  cheaper, but rejected: ${one.policy} at ${tokens(one.budget)} (${one.cost.toFixed(3)}): ${one.why}`,
    ),
    '',
    '# holdfast.yml',
    ...(snippet ?? '').split('\n'),
  ];
}

function partsOf({ coverage, spans }: Summary): string {
  const names = coverage === undefined ? [] : [`${coverage.toFixed(1)}% of the names`];
  const lines = spans === undefined ? [] : [`${spans.toFixed(1)}% of the lines`];
  return [...names, ...lines].join(', ');
}

/** Skipped parts of the files, a line each. Pure. */
export function remarkLines(remarks: readonly TranscriptRemark[]): string[] {
  return remarks.map(({ file, line, reason, count }) => {
    const place = line > 0 ? `${file}, line ${line}` : file;
    return clean(`${place}: ${reason}${count > 1 ? ` (${count} times)` : ''}`);
  });
}

function markOf(summaries: ReportRow['summaries']): string {
  return summaries === 'not-measured' ? '*' : summaries === 'partly-recorded' ? ' +' : '';
}

function shown(value: number | null, digits: number): string {
  return value === null ? '-' : value.toFixed(digits);
}
