import type { Context } from '../context.ts';
import { age, labelled, times } from '../sessions/session-text.ts';
import { money } from '../view/amounts.ts';
import { clean } from '../view/clean.ts';
import type { Colours } from '../view/colours.ts';
import { foldPhrase } from '../view/phrases.ts';
import { plainStyle, terminalStyle } from '../view/style.ts';
import { type Column, tableLines } from '../view/table.ts';
import { cut } from '../view/text.ts';
import type { FoundRun } from './find-run.ts';
import type { Step } from './steps.ts';

/** A table of runs. Pure. */
export function runsTable(runs: readonly FoundRun[], now: number, paint: Colours, columns: number | undefined): string {
  const all: Column<FoundRun>[] = [
    { head: 'id', cell: ({ info }) => info.id },
    { head: 'status', cell: ({ saved }) => saved.status },
    { head: 'last used', cell: ({ info }) => age(info.updated, now) },
    { head: 'calls', cell: ({ saved }) => String(saved.totals.calls), drop: 3 },
    { head: 'folds', cell: ({ saved }) => String(saved.totals.folds), drop: 2 },
    { head: 'cost', cell: ({ saved: { totals } }) => (totals.cost ? money(totals.cost.spent) : '?'), drop: 1 },
    { head: 'title', cell: ({ info }) => clean(info.title) },
  ];
  return tableLines(runs, all, columns, paint).join('\n');
}

/** What a run is, line by line. Pure. */
export function factsOf({ info, saved }: FoundRun, now: number): string[] {
  return labelled([
    ['run', info.id],
    ['title', clean(info.title)],
    ...(saved.task === undefined ? [] : [['task', clean(saved.task)] as const]),
    ['folder', clean(saved.workspace)],
    ['model', clean([saved.provider, saved.speaker?.model].filter(Boolean).join(', '))],
    ...times(info, now),
    ['status', saved.status],
  ]);
}

const COLUMNS = 100;

/** A step as one line. */
export function stepLine(step: Step, { columns, env, paint }: Context): string {
  const { marks } = columns === undefined ? plainStyle : terminalStyle(env);
  const room = Math.max(20, Math.min(columns ?? COLUMNS, COLUMNS) - 4);
  const line = (mark: string, text: string, colour = (one: string) => one) =>
    `  ${colour(mark)} ${cut(clean(text).trim(), room - mark.length)}`;
  switch (step.type) {
    case 'iteration':
      return paint.bold(`Iteration ${step.iteration}`);
    case 'user':
    case 'assistant':
      return line(marks.side, step.type === 'user' ? `prompt: ${step.text}` : step.text, paint.dim);
    case 'call':
      return step.failed
        ? line(marks.failed, `${step.name} ${step.about}`, paint.red)
        : line(step.output === undefined ? '?' : marks.passed, `${step.name} ${step.about}`, paint.green);
    case 'fold':
      return line(marks.fold, foldPhrase(step.receipt, marks.arrow), paint.magenta);
    case 'check':
      return step.passed
        ? line(marks.passed, `check ${step.command}`, paint.green)
        : line(marks.failed, `check ${step.command}`, paint.red);
    case 'end':
      return line(marks.dot, step.status);
  }
}
