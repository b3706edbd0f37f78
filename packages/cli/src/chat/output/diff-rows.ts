import type { FileChange } from '@holdfast/agent/chat';
import { structuredPatch } from 'diff';
import { counted } from '../../view/amounts.ts';
import { clean } from '../../view/clean.ts';
import { visible } from '../../view/harmless.ts';
import type { Style } from '../../view/style.ts';
import { cut, wrapLine } from '../../view/text.ts';

const CONTEXT = 3;
/** Two texts that have little in common take long to compare. */
const MOST_MS = 500;

interface DiffLine {
  readonly sign: string;
  readonly text: string;
  readonly number: number;
}

/** A change of a file as a diff. */
export interface Diff {
  readonly added: number;
  readonly removed: number;
  /** Parts of the file with changes. Undefined if the texts are too different to compare in time. */
  readonly hunks: readonly (readonly DiffLine[])[] | undefined;
  /** What changes besides the words of lines. */
  readonly ends: readonly string[];
}

/** Compares a file before and after a call. Deterministic, except that it gives up after half a second. */
export function diffOf({ path, before = '', after }: FileChange): Diff {
  const plain = (text: string) => text.replaceAll('\r\n', '\n');
  const options = { context: CONTEXT, timeout: MOST_MS };
  const patch = structuredPatch(path, path, plain(before), plain(after), undefined, undefined, options);
  const ends = before === '' ? [] : endChanges(before, after);
  if (!patch) return { added: linesIn(after), removed: linesIn(before), hunks: undefined, ends };
  const hunks = patch.hunks.map(({ lines, oldStart, newStart }) => {
    let [old, fresh] = [oldStart, newStart];
    // A backslash starts the remark that the last line has no end.
    return lines
      .filter((line) => !line.startsWith('\\'))
      .map((line): DiffLine => {
        const sign = line.charAt(0);
        const number = sign === '-' ? old : fresh;
        if (sign !== '+') old += 1;
        if (sign !== '-') fresh += 1;
        return { sign, text: line.slice(1), number };
      });
  });
  const count = (sign: string) => hunks.flat().filter((line) => line.sign === sign).length;
  return { added: count('+'), removed: count('-'), hunks, ends };
}

/** How line ends change, which lines do not show. */
function endChanges(before: string, after: string): string[] {
  const [old, fresh] = [lineEnds(before), lineEnds(after)];
  const [had, has] = [before.endsWith('\n'), after.endsWith('\n')];
  return [
    ...(old !== undefined && fresh !== undefined && old !== fresh ? [`line ends: ${old} → ${fresh}`] : []),
    ...(had === has || after === ''
      ? []
      : [has ? 'the last line gets a line end' : 'the last line loses its line end']),
  ];
}

function lineEnds(text: string): string | undefined {
  const all = text.split('\n').length - 1;
  const long = text.split('\r\n').length - 1;
  return all === 0 ? undefined : long === 0 ? 'LF' : long === all ? 'CRLF' : 'mixed';
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}

/** `+3 -1`. Pure. */
export function diffPhrase({ added, removed }: Pick<Diff, 'added' | 'removed'>): string {
  return `+${added} -${removed}`;
}

/** The rows of a diff: removed lines in red, added ones in green, with line numbers. Pure. */
export function diffRows({ hunks, added, removed, ends }: Diff, columns: number, style: Style): string[] {
  const remarks =
    hunks === undefined
      ? [`too different to compare: ${counted(removed, 'line')} become ${counted(added, 'line')}`, ...ends]
      : hunks.length + ends.length === 0
        ? ['nothing changes']
        : ends;
  return [
    ...hunkRows(hunks ?? [], columns, style),
    ...remarks.map((remark) => style.colours.yellow(cut(`  ${remark}`, columns))),
  ];
}

function hunkRows(hunks: NonNullable<Diff['hunks']>, columns: number, style: Style): string[] {
  const { colours, marks } = style;
  const width = String(Math.max(...hunks.flat().map(({ number }) => number))).length;
  return hunks.flatMap((lines, i) => [
    ...(i > 0 ? [colours.dim(cut(`  ${' '.repeat(width)} ${marks.rule.repeat(3)}`, columns))] : []),
    ...lines.flatMap((line) => lineRows(line, width, columns, style)),
  ]);
}

function lineRows(line: DiffLine, width: number, columns: number, { colours }: Style): string[] {
  const { sign, number } = line;
  // Characters that nobody sees could change what the code does.
  const text = visible(line.text);
  const paint = sign === '+' ? colours.green : sign === '-' ? colours.red : colours.dim;
  const gutter = width + 5;
  // On a very narrow terminal the text matters more than its number.
  if (columns < gutter + 10) return wrapLine(`${sign} ${text}`, Math.max(1, columns)).map(paint);
  return wrapLine(text, columns - gutter).map((row, i) => {
    const place = i === 0 ? String(number) : '';
    return paint(`  ${place.padStart(width)} ${i === 0 ? sign : ' '} ${clean(row)}`);
  });
}
