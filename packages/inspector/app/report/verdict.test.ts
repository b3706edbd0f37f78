import { expect, test } from 'vitest';
import type { ReportData, ReportRowData } from '../../src/report/types.ts';
import { mainRow, verdictOf } from './verdict.ts';

const row = (more: Partial<ReportRowData>): ReportRowData => ({
  policy: 'fold',
  budget: 40_000,
  cost: 0.42,
  dollars: 74,
  dollarsEverything: 178,
  isPriced: true,
  coverage: 96.2,
  spans: null,
  kept: 96.2,
  ...more,
});
const report = (rows: readonly ReportRowData[], more: Partial<ReportData> = {}): ReportData => ({
  conversations: 12,
  calls: 100,
  minKept: 95,
  rows,
  advice: [],
  columns: [],
  facts: [],
  meanings: [],
  remarks: [],
  talks: [],
  ...more,
});
const said = (one: ReportRowData) =>
  verdictOf(one, report([one]))
    .map(({ text }) => text)
    .join('');

test('the verdict says cost and coverage in one sentence', () => {
  expect(said(row({}))).toBe(
    'At 40k tokens Holdfast would have cost $74.00 instead of $178.00 and kept 96% of the names that the next call used.',
  );
  expect(said(row({ isPriced: false }))).toBe(
    'At 40k tokens Holdfast would have cost 58% less than sending everything and kept 96% of the names that the next call used.',
  );
  expect(said(row({ isPriced: false, cost: 1.2, coverage: null }))).toBe(
    'At 40k tokens Holdfast would have cost 20% more than sending everything and kept everything that was needed.',
  );
  const head = 'At 40k tokens Holdfast would have cost $74.00 instead of $178.00 and kept';
  expect(said(row({ spans: 80.1 }))).toBe(
    `${head} 96% of the names that the next call used and 80% of the lines that it edited.`,
  );
  expect(said(row({ coverage: null, spans: 80.1 }))).toBe(`${head} 80% of the lines that the next call edited.`);
  expect(said(row({ cost: 1, coverage: null }))).toBe(
    'At 40k tokens nothing would have changed: all 12 conversations fit.',
  );
});

test('the verdict is about the advised row, the cheapest fold that keeps enough, or the fold that keeps most', () => {
  const rows = [
    row({ policy: 'everything', budget: null, cost: 1, coverage: null, kept: null }),
    row({ budget: 20_000, cost: 0.3, kept: 90 }),
    row({ budget: 40_000, cost: 0.4, kept: 96 }),
    row({ budget: 80_000, cost: 0.5, kept: 98 }),
    row({ policy: 'sliding', budget: 80_000, cost: 0.1, kept: 99 }),
  ];
  expect(mainRow(report(rows))).toBe(2);
  expect(mainRow(report(rows, { advised: 4 }))).toBe(4);
  expect(mainRow(report(rows, { minKept: 99.5 }))).toBe(3);
  expect(mainRow(report(rows.slice(0, 1)))).toBeUndefined();
});
