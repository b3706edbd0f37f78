import { clean } from '../../view/clean.ts';
import { cut, wrapText } from '../../view/text.ts';
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
  /** A key that means nothing here was pressed. */
  let isMissed = false;
  return {
    rows: (columns) =>
      [`${text} (y/n)`, ...(isMissed ? ['Press y or n.'] : [])].flatMap((line) => wrapText(line, columns)),
    take(stroke) {
      if (stroke.type === 'text' && /^[yn]$/i.test(stroke.text)) answer(/y/i.test(stroke.text));
      else if (stroke.type === 'escape' || stroke.type === 'interrupt' || stroke.type === 'leave') answer(false);
      else isMissed = true;
      return true;
    },
    paste: () => true,
  };
}

const SHOWN = 8;

/** Lets the user choose one of a list, with the arrows and Enter; Escape chooses none. */
export function choice(
  text: string,
  options: readonly string[],
  now: string,
  answer: (chosen: string | undefined) => void,
): Question {
  let at = Math.max(0, options.indexOf(now));
  return {
    rows(columns, paint) {
      const from = Math.max(0, Math.min(at - SHOWN / 2, options.length - SHOWN));
      const shown = options.slice(from, from + SHOWN).map((option, i) => {
        const isChosen = from + i === at;
        const row = cut(`${isChosen ? '>' : ' '} ${clean(option)}${option === now ? ' (now)' : ''}`, columns);
        return isChosen ? paint(row) : row;
      });
      const part = options.length > SHOWN ? `${from + 1} to ${from + SHOWN} of ${options.length}; ` : '';
      return [...wrapText(`${text} (${part}Up, Down, Enter; Esc keeps it)`, columns), ...shown];
    },
    take(stroke) {
      if (stroke.type === 'up') at = Math.max(0, at - 1);
      else if (stroke.type === 'down') at = Math.min(options.length - 1, at + 1);
      else if (stroke.type === 'enter') answer(options[at]);
      else if (stroke.type === 'escape' || stroke.type === 'interrupt' || stroke.type === 'leave') answer(undefined);
      return true;
    },
    paste: () => true,
  };
}
