import type { Answer, PromptTool, Script } from '../script.ts';
import { summaryAnswer } from './summary.ts';
import { type Ask, callFor } from './tool-input.ts';

/** What people ask first about a folder. */
const FOLDER = /\b(?:what|which|list|show)\b.*\b(?:folder|directory|project|repository|repo|files|here)\b/i;
/** Commands that a person may type, and the call each makes. */
const ASKS: readonly (readonly [RegExp, (...words: string[]) => Ask])[] = [
  [/^read (\S+)$/i, (path = '') => ({ kind: 'read', path })],
  [/^list(?: (\S+))?$/i, (path = '.') => ({ kind: 'list', path })],
  [/^search (.+)$/i, (pattern = '') => ({ kind: 'search', pattern })],
  [/^run (.+)$/is, (command = '') => ({ kind: 'run', command })],
  [/^write (\S+) (.+)$/is, (path = '', content = '') => ({ kind: 'write', path, content })],
  [/^edit (\S+) (.+?) => (.+)$/is, (path = '', old = '', fresh = '') => ({ kind: 'edit', path, old, new: fresh })],
  [/^recall ([mo]\d\S*|#\d+)$/i, (handle = '') => ({ kind: 'recall', handle })],
  [/^recall (.+)$/i, (words = '') => ({ kind: 'recall', words })],
  [FOLDER, () => ({ kind: 'list', path: '.' })],
];
const COUNT = /^count to (\d{1,4})$/i;
const FORMAT = /^format$/i;
/** What answers of models look like. */
const FORMATTED = `## An answer

It has **bold** words, \`code\` and a [link](https://example.com/docs).

- one item
- another
  1. nested

| file | lines |
|---|--:|
| \`a.ts\` | 12 |
| \`漢字.ts\` | 3 |

\`\`\`ts
// adds two numbers
export const add = (a: number, b: number) => a + b;
\`\`\`
`;
const QUOTED = 60;
const LISTED = 20;

/**
 * A conversation with a person: `read FILE`, `list`, `search WORD`, `run COMMAND`, `write FILE TEXT`, `edit FILE OLD => NEW` and `recall WORDS` make
 * that call, if there is such a tool, and report its result, as does a question about the folder; `count to N` answers with many lines, `format` in Markdown; anything else is echoed
 * briefly. Depends only on the request.
 */
export function conversation(): Script {
  return (prompt) => {
    const { messages, results, tools } = prompt;
    const summary = summaryAnswer(prompt);
    if (summary) return summary;
    const newest = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
    // Results of interrupted calls may come before the next message.
    const said = newest.findLast(({ role, text }) => role === 'user' && text.trim() !== '')?.text.trim();
    if (said === undefined) {
      const asked = messages.findLast(({ role, text }) => role === 'user' && text.trim() !== '')?.text ?? '';
      const isListed = FOLDER.test(asked);
      return {
        text: results.map(({ text, error }) => (isListed && !error ? listed(text) : told(text, error))).join('\n'),
      };
    }
    const [, most] = COUNT.exec(said) ?? [];
    if (most !== undefined) return { text: Array.from({ length: Number(most) }, (_, i) => `line ${i + 1}`).join('\n') };
    if (FORMAT.test(said)) return { text: FORMATTED };
    return called(said, tools) ?? { text: `Stand-in, no model: you said ${quoted(said)}, ${measured(said)}.` };
  };
}

function called(said: string, tools: readonly PromptTool[]): Answer | undefined {
  for (const [pattern, ask] of ASKS) {
    const found = pattern.exec(said);
    if (!found) continue;
    const call = callFor(ask(...found.slice(1).filter((word) => word !== undefined)), tools);
    // A different tool than the one requested would be no help.
    if (!tools.some(({ name }) => name === call.name)) return undefined;
    return { text: `I call ${call.name}.`, calls: [call] };
  }
  return undefined;
}

function told(text: string, error: boolean): string {
  const first = text.trim().split('\n')[0] ?? '';
  return `Stand-in, no model: the call ${error ? 'failed' : `gave ${measured(text)}`}: ${quoted(first)}`;
}

function listed(text: string): string {
  const names = text.trim().split('\n');
  const more = names.length > LISTED ? `\n- and ${names.length - LISTED} more` : '';
  return `Stand-in, no model: this folder has\n\n${names
    .slice(0, LISTED)
    .map((name) => `- ${name}`)
    .join('\n')}${more}`;
}

function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return `"${line.length > QUOTED ? `${[...line].slice(0, QUOTED).join('')}…` : line}"`;
}

function measured(text: string): string {
  const lines = text.split('\n').length;
  return `${text.length} characters in ${lines} ${lines === 1 ? 'line' : 'lines'}`;
}
