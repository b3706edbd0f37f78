import type { Script } from '../script.ts';

/** Says the last words of the user, or the last results, again. */
export function echo(): Script {
  return ({ messages, results }) => {
    const said = messages.findLast(({ role, text }) => role === 'user' && text !== '')?.text ?? '';
    const found = results.map(({ text }) => text).join('\n');
    return { text: `Stand-in, no model: ${found || said}` };
  };
}
