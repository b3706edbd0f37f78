import type { ReportColumn, ReportData, ReportFold, ReportRun } from '@holdfast/inspector/report';
import type { CallTrace, JobResult, Report, ReportRow } from '@holdfast/replay/report';
import type { TranscriptRemark } from '@holdfast/replay/transcripts';
import type { Plan } from './plan.ts';
import { adviceLines, columnsFor, factLines, meaningsFor, remarkLines } from './table.ts';

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

/** More points than a chart has room for only make the file larger. */
const MOST_POINTS = 400;
const SHOWN = 8;
/** Columns that every reader needs, and that fit on a narrow page. */
const MAIN = new Set(['policy', 'budget', 'cost', 'dollars', 'coverage', 'spans', 'peak']);

/** What the page of a report shows. Pure. */
export function reportData(
  report: Report,
  jobs: readonly JobResult[],
  remarks: readonly TranscriptRemark[],
  plan: Plan,
): ReportData {
  const { advice, snippet, conversations, calls, results } = report;
  const advised =
    advice?.type === 'choice'
      ? results.findIndex(({ policy, budget }) => policy === advice.policy && budget === advice.budget)
      : -1;
  const traced = jobs.filter(({ traces }) => traces !== undefined).sort((a, b) => b.baseline.peak - a.baseline.peak);
  return {
    conversations,
    calls,
    minKept: plan.minKept,
    rows: results.map((row) => ({ ...figuresOf(row), isPriced: row.pricedConversations === row.conversations })),
    ...(advised < 0 ? {} : { advised }),
    advice: advice ? adviceTexts(adviceLines(advice, undefined, plan.minKept)) : [],
    ...(snippet === undefined ? {} : { snippet }),
    columns: columnsOf(report),
    facts: factLines(report, plan),
    meanings: meaningsFor(report),
    remarks: remarkLines(remarks),
    talks: traced.map(({ name, baseline, traces = [] }) => ({
      name,
      calls: baseline.calls,
      peak: baseline.peak,
      runs: traces.map(runOf),
    })),
  };
}

function figuresOf({ policy, budget, cost, dollars, dollarsEverything, coverage, spans, kept }: ReportRow) {
  return { policy, budget, cost, dollars, dollarsEverything, coverage, spans, kept };
}

function adviceTexts(lines: readonly string[]): string[] {
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

function columnsOf(report: Report): ReportColumn[] {
  // Dollars of some conversations next to the cost of all would contradict it.
  const isPriced = report.results.every((row) => row.pricedConversations === row.conversations);
  return columnsFor(report).map(({ head, cell }) => ({
    head,
    isMain: MAIN.has(head) && (head !== 'dollars' || isPriced),
    cells: report.results.map((row) => cell(row)),
  }));
}

function runOf(calls: readonly CallTrace[]): ReportRun {
  const every = Math.max(1, Math.ceil(calls.length / MOST_POINTS));
  const shown = calls
    .map((call, n) => ({ call, n }))
    .filter(({ call, n }) => n % every === 0 || n === calls.length - 1 || call.fold || calls[n + 1]?.fold);
  return {
    at: shown.map(({ n }) => n + 1),
    history: shown.map(({ call }) => call.history),
    view: shown.map(({ call }) => call.tokens),
    lacking: calls.flatMap(({ lacked }, n) => (lacked > 0 ? [n + 1] : [])),
    fills: KINDS.map(([kind, name]) => ({ name, tokens: shown.map(({ call }) => call.fills[kind]) })),
    folds: foldsOf(calls),
  };
}

/** Each fold, with what was missing until the next one. */
function foldsOf(calls: readonly CallTrace[]): ReportFold[] {
  const starts = calls.flatMap((call, at) => (call.fold ? [{ fold: call.fold, at }] : []));
  return starts.map(({ fold, at }, n) => {
    const after = calls.slice(at, starts[n + 1]?.at ?? calls.length);
    return {
      ...fold,
      call: at + 1,
      lacked: after.reduce((sum, { lacked }) => sum + lacked, 0),
      missing: [...new Set(after.flatMap(({ missing }) => missing))].slice(0, SHOWN),
      askedAgain: [...new Set(after.flatMap(({ askedAgain }) => askedAgain))].slice(0, SHOWN),
    };
  });
}
