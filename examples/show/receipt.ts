import type { Receipt, ReceiptTurn, Verdict } from 'holdfast';
import { figure, type Paint } from './terminal.ts';

/** Maximum width of the handles on a line. */
const HANDLES = 54;

/** A fold's receipt in a few lines: sizes before and after, verdicts, the note, and the handles to recall. */
export function receiptLines(receipt: Receipt, paint: Paint): string[] {
  const { before, after, turns } = receipt;
  const approx = receipt.estimated ? '~' : '';
  const saved = Math.round(100 * (1 - after.tokens / before.tokens));
  const note = receipt.noteTokens > 0 ? `  note ${figure(receipt.noteTokens)} tokens` : '';
  const sizes = `${approx}${figure(before.tokens)} → ${approx}${figure(after.tokens)} tokens`;
  const lines = [
    paint.bold(`fold ${receipt.fold}: ${sizes} (−${saved}%), ${before.messages} → ${after.messages} messages`),
    `turns: kept ${receipt.kept}, masked ${receipt.masked}, dropped ${receipt.dropped}${note}`,
  ];
  for (const verdict of ['masked', 'dropped'] as const) {
    const handles = runs(turns, verdict === 'masked' ? 'mask' : 'drop');
    if (handles.length > 0) lines.push(paint.dim(`${verdict.padEnd(7)} → ${fitting(handles)}`));
  }
  return lines.map((line, i) => paint.yellow(i === 0 ? '  ┌ ' : i === lines.length - 1 ? '  └ ' : '  │ ') + line);
}

/** As many handles as fit on a line, and how many more there are. */
function fitting(handles: readonly string[]): string {
  let line = '';
  for (const [i, handle] of handles.entries()) {
    if (line.length + handle.length > HANDLES) return `${line}and ${handles.length - i} more`;
    line += `${handle} `;
  }
  return line.trimEnd();
}

/** The handles of turns with this verdict; neighbours are merged into a range. */
function runs(turns: readonly ReceiptTurn[], verdict: Verdict): string[] {
  const joined: { from: number; to: number; revision: string }[] = [];
  for (const { from, to, verdict: own, handle } of turns) {
    if (own !== verdict || handle === undefined) continue;
    const last = joined.at(-1);
    const revision = /~\d+$/.exec(handle)?.[0] ?? '';
    if (last && last.to + 1 === from && last.revision === revision) last.to = to;
    else joined.push({ from, to, revision });
  }
  return joined.map(({ from, to, revision }) => (from === to ? `m${from}${revision}` : `m${from}-m${to}${revision}`));
}
