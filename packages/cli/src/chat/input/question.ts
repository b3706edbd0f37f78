import { wrapText } from '../../view/text.ts';
import type { Stroke } from './keys.ts';

/** A question that blocks the chat until it is answered. Stateful. */
export interface Question {
  rows(columns: number, paint: (text: string) => string): string[];
  /** True if it handled the stroke. */
  take(stroke: Stroke): boolean;
  paste(text: string): boolean;
}

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
