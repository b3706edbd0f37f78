import type { Script } from '../script.ts';
import { summaryAnswer } from './summary.ts';

/** Repeats the last message of the user, or the last results. */
export function echo(): Script {
  return (prompt) => {
    const { messages, results } = prompt;
    const said = messages.findLast(({ role, text }) => role === 'user' && text !== '')?.text ?? '';
    const found = results.map(({ text }) => text).join('\n');
    return summaryAnswer(prompt) ?? { text: `Stand-in, no model: ${found || said}` };
  };
}
