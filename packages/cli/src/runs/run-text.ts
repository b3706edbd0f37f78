import type { Context } from '../context.ts';
import { age } from '../sessions/session-text.ts';
import { money } from '../view/amounts.ts';
import { clean } from '../view/clean.ts';
import type { Colours } from '../view/colours.ts';
import { foldPhrase } from '../view/phrases.ts';
import { plainStyle, terminalStyle } from '../view/style.ts';
import { tableText } from '../view/table.ts';
import { cut } from '../view/text.ts';
import type { FoundRun } from './find-run.ts';
import type { Step } from './steps.ts';

/** A table of runs. Pure. */
export function runsTable(runs: readonly FoundRun[], now: number, paint: Colours, columns: number | undefined): string {
  const column = (head: string, cell: (run: FoundRun) => string, drop?: number) => ({
    head,
    cells: runs.map(cell),
    ...(drop === undefined ? {} : { drop }),
  });
  const all = [
    column('id', ({ info }) => info.id),
    column('status', ({ saved }) => saved.status),
    column('used', ({ info }) => age(info.updated, now)),
    column('calls', ({ saved }) => String(saved.totals.calls), 3),
    column('folds', ({ saved }) => String(saved.totals.folds), 2),
    column('cost', ({ saved: { totals } }) => (totals.cost ? money(totals.cost.spent) : '?'), 1),
    column('title', ({ info }) => clean(info.title)),
  ];
  return tableText(all, columns, paint);
}

/** What a run is, line by line. Pure. */
export function factsOf({ info, saved }: FoundRun, now: number): string[] {
  const day = (time: number) => new Date(time).toISOString().replace('T', ' ').slice(0, 16);
  return [
    `run       ${info.id}`,
    `title     ${clean(info.title)}`,
    ...(saved.task === undefined ? [] : [`task      ${clean(saved.task)}`]),
    `folder    ${clean(saved.workspace)}`,
    `model     ${clean([saved.provider, saved.speaker?.model].filter(Boolean).join(', '))}`,
    `started   ${day(info.created)}`,
    `updated   ${day(info.updated)} (${age(info.updated, now)})`,
    `status    ${saved.status}`,
  ];
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
