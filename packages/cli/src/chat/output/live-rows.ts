import { clean } from '../../view/clean.ts';
import { createColours } from '../../view/colours.ts';
import { type Style, spinnerAt } from '../../view/style.ts';
import { cut, wrapText } from '../../view/text.ts';
import { type Draft, draftRows } from '../input/draft.ts';
import type { Question } from '../input/question.ts';
import type { AnswerLog } from './answer-log.ts';
import { firstRows } from './rows.ts';
import { type StatusFigures, statusRows } from './status-line.ts';

/** What the live region shows. */
export interface LiveParts {
  readonly draft: Draft;
  readonly offered: readonly string[];
  readonly queue: readonly string[];
  readonly figures: StatusFigures;
  readonly tick: number;
  /** Another Ctrl-C leaves. */
  readonly warned: boolean;
  /** The running command. */
  readonly busy: string | undefined;
  readonly question: Question | undefined;
  /** `sending`: the prompt, until it is known to be saved. */
  readonly answer:
    | { readonly log: AnswerLog; readonly stop: AbortController; readonly sending: string | undefined }
    | undefined;
}

const DRAFT_ROWS = 8;
const SENT_ROWS = 6;
const QUEUE_ROWS = 3;
/** Paints the cursor, even without colours. */
const { inverse: REVERSE } = createColours(true);

/** The rows at the bottom: none wider than `columns`, fewer than the terminal has. The input line is dropped last. */
export function liveRows(parts: LiveParts, columns: number, rows: number, style: Style): string[] {
  const width = Math.max(1, columns);
  const most = Math.max(1, rows - 2);
  const { colours, marks } = style;
  const above = [
    ...(parts.answer ? answerRows(parts.answer, parts.tick, width, style) : []),
    ...(parts.busy === undefined || parts.question
      ? []
      : [`${spinnerAt(parts.tick, style)} ${colours.dim(cut(clean(parts.busy), Math.max(1, width - 2)))}`]),
    ...queueRows(parts.queue, width).map(colours.dim),
  ];
  const below = [
    ...(parts.offered.length > 0 ? wrapText(parts.offered.map((one) => one.trim()).join('  '), width) : []),
    ...(parts.warned ? [colours.yellow(cut('Press Ctrl-C again to leave; the session is saved', width))] : []),
    ...statusRows(parts.figures, width, style),
  ];
  const writing = parts.question
    ? parts.question.rows(width, REVERSE).map((row) => colours.yellow(row))
    : draftRows(parts.draft, width, Math.min(DRAFT_ROWS, most), REVERSE);
  const rule = colours.dim(marks.rule.repeat(width));
  const all = [...above, rule, ...writing, ...below];
  if (all.length <= most) return all;
  // With few rows, the input line comes first, then the activity.
  const room = most - Math.min(most, writing.length);
  return [...(room > 0 ? above.slice(-room) : []), ...writing.slice(-most)].slice(-most);
}

function queueRows(queue: readonly string[], columns: number): string[] {
  const rows = queue.slice(0, QUEUE_ROWS).map((text) => cut(`next: ${clean(text)}`, columns));
  return queue.length > QUEUE_ROWS ? [...rows, cut(`… and ${queue.length - QUEUE_ROWS} more`, columns)] : rows;
}

function answerRows(
  { log, sending, stop }: NonNullable<LiveParts['answer']>,
  tick: number,
  columns: number,
  style: Style,
): string[] {
  const sent = sending === undefined ? [] : promptRows(sending, columns, style.colours.dim);
  const live = log.live(columns, tick);
  return [...sent, ...live, ...(stop.signal.aborted ? [style.colours.yellow(cut('interrupting…', columns))] : [])];
}

/** A sent prompt; a long one is shortened. Pure. */
export function promptRows(text: string, columns: number, paint: (row: string) => string): string[] {
  const rows = firstRows(text.trim(), Math.max(1, columns - 2), SENT_ROWS);
  return rows.map((row, i) => paint(`${i === 0 ? '>' : ' '} ${row}`));
}
