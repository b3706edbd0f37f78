import type { Receipt } from 'holdfast';
import { counted, tokens } from '../../view/amounts.ts';
import { harmless } from '../../view/harmless.ts';
import { cut, wrapText } from '../../view/text.ts';
import { contextRows, NOTE_ROWS, receiptRows } from '../output/rows.ts';
import { type CommandContext, say } from './command.ts';

/** Around the note in a preview: the command, the figures, the question and the status line. */
const PREVIEW_ROWS = 11;

export async function compact(focus: string, { chat, face }: CommandContext): Promise<undefined> {
  const wanted = focus === '' ? {} : { focus };
  const preview = await chat.compact({ ...wanted, preview: true });
  if (preview.fold === 0) return say(face, `Nothing to fold: ${preview.why ?? 'the view is already small'}.`);
  if (savesNothing(preview))
    return say(
      face,
      `Nothing to gain: after a fold, the view would have ${sizeOf(preview, 'after')} instead of ${sizeOf(preview, 'before')}.`,
    );
  face.print(receiptRows(preview, face.columns, face.style, noteRowsIn(face)));
  if (!(await face.confirm('Fold like this?'))) return say(face, 'Nothing was folded.');
  const receipt = await chat.compact(wanted);
  face.print(compactedRows(receipt, face));
  const why = receipt.why === undefined ? '' : `It cannot get smaller: ${receipt.why}. `;
  return say(face, `${why}/uncompact undoes it; /memory shows the note.`);
}

/** As many rows of the note as fit between the command and the question: it is what the user decides about. */
function noteRowsIn({ height = Number.POSITIVE_INFINITY }: CommandContext['face']): number {
  return Math.max(NOTE_ROWS, height - PREVIEW_ROWS);
}

/** Whether the view stays as large, in the figures that a person would read. */
function savesNothing({ before, after }: Receipt): boolean {
  return after.tokens >= before.tokens || tokens(after.tokens) === tokens(before.tokens);
}

function sizeOf(receipt: Receipt, when: 'before' | 'after'): string {
  const { messages, tokens: count } = receipt[when];
  return `${counted(messages, 'message')}, ${receipt.estimated ? '~' : ''}${tokens(count)} tokens`;
}

/** Both sizes, and the summary; the note was shown before. */
function compactedRows(receipt: Receipt, { columns }: CommandContext['face']): string[] {
  const summary = receipt.summary === undefined ? [] : wrapText(harmless(receipt.summary), columns - 2);
  return [
    cut(`before: ${sizeOf(receipt, 'before')}`, columns),
    cut(`after:  ${sizeOf(receipt, 'after')}`, columns),
    ...(summary.length === 0 ? [] : ['Summary:', ...summary.map((row) => `  ${row}`)]),
  ];
}

export async function uncompact(_: string, { chat, face }: CommandContext): Promise<undefined> {
  const receipt = await chat.uncompact();
  if (!receipt) return say(face, 'There is no fold to undo.');
  face.print(receiptRows(receipt, face.columns, face.style));
  return say(face, 'Undone. /recompact redoes it.');
}

export async function recompact(_: string, { chat, face }: CommandContext): Promise<undefined> {
  const receipt = await chat.recompact();
  if (!receipt) return say(face, 'There is no undone fold to redo.');
  face.print(receiptRows(receipt, face.columns, face.style));
  return undefined;
}

export async function context(_: string, { chat, face }: CommandContext): Promise<undefined> {
  face.print(contextRows(await chat.context(), face.columns, face.style));
  return undefined;
}
