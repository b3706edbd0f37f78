import type { ContextUse, Restored, ShownMessage } from '@holdfast/agent/chat';
import type { Receipt } from 'holdfast';
import { counted, percent, tokens } from '../../view/amounts.ts';
import { clean } from '../../view/clean.ts';
import { foldPhrase } from '../../view/phrases.ts';
import type { Style } from '../../view/style.ts';
import { cut, pad, wrapText } from '../../view/text.ts';

/** Of a note where it is not what the user asked for. */
export const NOTE_ROWS = 6;
const SAID_ROWS = 4;
const BAR = 30;
const NAMES = 14;
/** Of the figures and what a part is, after its bar. */
const ABOUT = 35;
/** What the parts of a window are. */
const PARTS: Readonly<Record<keyof ContextUse['parts'], string>> = {
  system: 'instructions',
  tools: 'their descriptions',
  note: 'on folded messages',
  pins: 'never folded',
  kept: 'older messages',
  newest: 'since your prompt',
};

/** The first rows of a text, how many more there are, and the command that shows them, if there is one. Pure. */
export function firstRows(text: string, columns: number, most: number, command?: string): string[] {
  const rows = wrapText(text, Math.max(1, columns));
  if (rows.length <= most) return rows;
  const way = command === undefined ? '' : `: ${command} shows all`;
  return [...rows.slice(0, most), cut(`… ${counted(rows.length - most, 'more row')}${way}`, columns)];
}

/** What was restored from a resumed session. Pure. */
export function restoredRows(
  session: string,
  { folded, messages, tokens: used, note, interrupted }: Restored,
  columns: number,
  { colours, marks }: Style,
): string[] {
  const text = `resumed ${session}: ${counted(messages, 'message')}, ${counted(folded, 'turn')} folded ${marks.dot} view ~${tokens(used)} tokens`;
  return [
    ...wrapText(text, columns),
    ...(note === undefined
      ? []
      : [
          'last note:',
          ...firstRows(note.trim(), columns - 2, NOTE_ROWS, '/memory').map((row) => colours.dim(`  ${row}`)),
        ]),
    ...(interrupted === undefined ? [] : wrapText(`! ${interrupted}`, columns).map(colours.yellow)),
  ];
}

/** Messages with their numbers, a few rows each. Pure. */
export function saidRows(
  said: readonly ShownMessage[],
  columns: number,
  { colours }: Style,
  most = SAID_ROWS,
): string[] {
  return said.flatMap(({ index, handle, role, text, pinned }) => {
    const [first = '', ...more] = firstRows(text.trim() || '(no text)', columns - 2, most, `/recall ${handle}`);
    const name = `${role === 'user' ? 'you' : role} m${index}${pinned ? ', pinned' : ''}`;
    return [colours.dim(cut(name, columns)), ...[first, ...more].map((row) => `  ${row}`)];
  });
}

/** What a fold did or would do. Pure. */
export function receiptRows(
  receipt: Receipt,
  columns: number,
  { colours, marks }: Style,
  noteRows = NOTE_ROWS,
): string[] {
  const { kept, masked, dropped } = receipt;
  const verdicts = [
    ...(dropped > 0 ? [`${dropped} dropped`] : []),
    ...(masked > 0 ? [`${masked} masked (shortened)`] : []),
  ].join(', ');
  const about = receipt.estimated ? '~' : '';
  return [
    ...wrapText(`${marks.fold} ${foldPhrase(receipt, marks.arrow)}`, columns).map(colours.magenta),
    ...wrapText(
      [
        ...(verdicts === '' ? [] : [`of ${counted(kept + masked + dropped, 'turn')}: ${verdicts}, ${kept} kept`]),
        ...(receipt.noteTokens > 0 ? [`a note of ${about}${tokens(receipt.noteTokens)} tokens`] : []),
      ].join('; '),
      columns - 2,
    ).map((row) => `  ${row}`),
    ...(receipt.note === undefined
      ? []
      : firstRows(receipt.note.trim(), columns - 4, noteRows).map((row) => colours.dim(`    ${row}`))),
  ].filter((row) => row.trim() !== '');
}

/** What fills the window: a bar with figures for each kind. Pure. */
export function contextRows(use: ContextUse, columns: number, { colours, marks }: Style): string[] {
  const most = Number.isFinite(use.max) ? use.max : use.limit;
  const room = Math.max(4, Math.min(BAR, columns - NAMES - 16));
  const share = Number.isFinite(most) && most > 0 ? ` (${percent(use.total / most)})` : '';
  const budget = [
    ...(Number.isFinite(use.maxMessages) && use.maxMessages > 0 ? [`${use.maxMessages} messages`] : []),
    ...(Number.isFinite(use.max) ? [`${tokens(use.max)} tokens`] : []),
  ].join(' or ');
  const isMost = use.max === use.limit && Number.isFinite(use.limit);
  const limits = [
    ...(budget === '' ? [] : [`folds above ${budget}${isMost ? ', the most that the model takes' : ''}`]),
    ...(isMost || !Number.isFinite(use.limit) ? [] : [`the model takes ${tokens(use.limit)} tokens`]),
  ].join('; ');
  const about = use.estimated ? '~' : '';
  const head = `in view: ${about}${tokens(use.total)} tokens${share}, ${counted(use.messages, 'message')}, ${counted(use.folds, 'fold')} so far`;
  const parts = Object.entries(use.parts).map(([name, count]) => {
    const part = use.total > 0 ? count / use.total : 0;
    const full = Math.min(room, count > 0 ? Math.max(1, Math.round(part * room)) : 0);
    const bar = colours.cyan(marks.full.repeat(full)) + colours.dim(marks.empty.repeat(room - full));
    const about = columns < NAMES + room + ABOUT ? '' : colours.dim(`  ${PARTS[name as keyof typeof PARTS]}`);
    return `${pad(name, NAMES)}${bar} ${tokens(count).padStart(6)} ${percent(part).padStart(4)}${about}`;
  });
  const said = Object.entries(use.said).map(([name, count]) => `${name} ${tokens(count)}`);
  const who = wrapText(`of the conversation: ${said.join(', ')}`, columns).map(colours.dim);
  const bars = columns < NAMES + 16 ? parts.map((row) => cut(clean(row), columns)) : parts;
  return [head, limits]
    .filter((line) => line !== '')
    .flatMap((line) => wrapText(line, columns))
    .concat(bars, who);
}

/** An error message in red, safe to print. Pure. */
export function failureRows(text: string, columns: number, { colours, marks }: Style): string[] {
  return wrapText(`${marks.failed} ${text}`, columns).map(colours.red);
}
