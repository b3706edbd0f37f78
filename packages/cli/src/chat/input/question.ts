import type { Approval, ToolRequest } from '@holdfast/agent/chat';
import { clean } from '../../view/clean.ts';
import { cut, wrapText } from '../../view/text.ts';
import { type Draft, draftRows, EMPTY, edit, insertPaste, textOf } from './draft.ts';
import type { Stroke } from './keys.ts';

/** A question that blocks the chat until it is answered. Stateful. */
export interface Question {
  rows(columns: number, paint: (text: string) => string): string[];
  /** True if it handled the stroke. */
  take(stroke: Stroke): boolean;
  paste(text: string): boolean;
}

const REASON_ROWS = 4;

/** Asks yes or no. */
export function yesOrNo(text: string, answer: (yes: boolean) => void): Question {
  return {
    rows: (columns) => wrapText(`${text} (y/n)`, columns),
    take(stroke) {
      if (stroke.type === 'text' && /^[yn]$/i.test(stroke.text)) answer(/y/i.test(stroke.text));
      else if (stroke.type === 'escape' || stroke.type === 'interrupt' || stroke.type === 'leave') answer(false);
      return true;
    },
    paste: () => true,
  };
}

/** Asks whether a call may run: once, always, or no with an optional reason. Escape and Ctrl-C are left to the caller. */
export function approval({ name }: ToolRequest, answer: (approval: Approval) => void): Question {
  const tool = clean(name);
  let reason: Draft | undefined;
  const refuse = (text: string) => answer({ refused: text.trim() || 'the user said no' });
  return {
    rows: (columns, paint) =>
      reason
        ? [cut('Why not? (Enter for no reason)', columns), ...draftRows(reason, columns, REASON_ROWS, paint)]
        : wrapText(`Allow ${tool}? y = once · a = always for ${tool} · n = no`, columns),
    take(stroke) {
      if (stroke.type === 'escape' || stroke.type === 'interrupt' || stroke.type === 'leave') return false;
      if (reason) {
        if (stroke.type === 'enter') refuse(textOf(reason));
        else reason = edit(reason, stroke)?.draft ?? reason;
      } else if (stroke.type === 'text') {
        if (/^y$/i.test(stroke.text)) answer('once');
        else if (/^a$/i.test(stroke.text)) answer('always');
        else if (/^n$/i.test(stroke.text)) reason = EMPTY;
      }
      return true;
    },
    paste(text) {
      if (reason) reason = insertPaste(reason, text);
      return reason !== undefined;
    },
  };
}
