import type { ReportData, ReportRowData } from '../../src/report/types.ts';
import { counted, money, percent, tokens } from '../parts/format.ts';

/** A row that the report speaks about: the advised one, else the cheapest that keeps enough, else what keeps most. Pure. */
export function mainRow({ rows, advised, minKept }: ReportData): number | undefined {
  if (advised !== undefined) return advised;
  const own = rows.map((row, at) => ({ row, at })).filter(({ row }) => row.budget !== null && row.cost !== null);
  const folds = own.filter(({ row }) => row.policy === 'fold');
  const candidates = folds.length > 0 ? folds : own;
  const enough = candidates.filter(({ row }) => (row.kept ?? 100) >= minKept);
  const cheapest = enough.sort((a, b) => (a.row.cost ?? 0) - (b.row.cost ?? 0))[0];
  return (cheapest ?? candidates.sort((a, b) => (b.row.kept ?? 0) - (a.row.kept ?? 0))[0])?.at;
}

/** A part of the verdict's sentence; `tone` marks figures. */
export interface VerdictPart {
  readonly text: string;
  readonly tone?: 'good' | 'bad';
}

/** The report in one sentence. Pure. */
export function verdictOf(row: ReportRowData, { minKept, conversations }: ReportData): VerdictPart[] {
  const name = row.policy === 'fold' ? 'Holdfast' : row.policy;
  const head = `At ${tokens(row.budget ?? 0)} tokens ${name} would have `;
  const { coverage } = row;
  if (coverage === null && (row.cost ?? 1) === 1)
    return [
      { text: `At ${tokens(row.budget ?? 0)} tokens nothing would have changed: ` },
      { text: conversations === 1 ? 'the conversation fits' : `all ${counted(conversations, 'conversation')} fit` },
      { text: '.' },
    ];
  return [{ text: head }, ...costOf(row), { text: ' and kept ' }, ...keptOf(row, minKept), { text: '.' }];
}

/** What was kept, and of what: names and lines are counted apart. */
function keptOf({ coverage, spans }: ReportRowData, minKept: number): VerdictPart[] {
  if (coverage === null && spans === null) return [{ text: 'everything that was needed', tone: 'good' }];
  const names: VerdictPart[] =
    coverage === null
      ? []
      : [
          { text: percent(coverage / 100), tone: coverage >= minKept ? 'good' : 'bad' },
          { text: ' of the names that the next call used' },
        ];
  if (spans === null) return names;
  const by = names.length > 0 ? 'it' : 'the next call';
  return [
    ...names,
    ...(names.length > 0 ? [{ text: ' and ' }] : []),
    { text: percent(spans / 100), tone: spans >= minKept ? 'good' : 'bad' },
    { text: ` of the lines that ${by} edited` },
  ];
}

function costOf({ cost, dollars, dollarsEverything, isPriced }: ReportRowData): VerdictPart[] {
  const tone = (less: boolean) => (less ? ('good' as const) : ('bad' as const));
  if (isPriced && dollars !== null && dollarsEverything !== null)
    return [
      { text: 'cost ' },
      { text: money(dollars), tone: tone(dollars <= dollarsEverything) },
      { text: ` instead of ${money(dollarsEverything)}` },
    ];
  const share = cost ?? 1;
  const text = share === 1 ? 'as much' : `${percent(Math.abs(1 - share))} ${share < 1 ? 'less' : 'more'}`;
  return [
    { text: 'cost ' },
    { text, tone: tone(share <= 1) },
    { text: ` ${share === 1 ? 'as' : 'than'} sending everything` },
  ];
}
