import { readHandOffs } from '@holdfast/crew';
import type { Answer, Prompt, PromptTool, Script } from '@holdfast/stand-in';

const MOST_CALLS = 4;
const SHOWN = 600;

/** Plays any crew without a model: hands over by matching words, calls each tool once, and reports the results. */
export function crewScript(): Script {
  return (prompt) => {
    const words = lastWords(prompt);
    const tools = prompt.tools.filter(({ name }) => name !== 'hand_off');
    if (prompt.results.length > 0) return report(prompt);
    if (tools.length > 0)
      return {
        text: 'I look at it.',
        calls: tools.slice(0, MOST_CALLS).map((tool) => ({ name: tool.name, input: inputFor(tool, words) })),
      };
    return routed(prompt, words) ?? { text: `(stand-in) I heard: ${words.slice(0, SHOWN)}` };
  };
}

/** The user's newest message; messages of other agents start with a bracket. */
function lastWords({ messages }: Prompt): string {
  const said = messages
    .filter(({ role, text }) => role === 'user' && text !== '')
    .flatMap(({ text }) => text.split('\n\n'));
  return said.findLast((part) => !part.startsWith('[')) ?? said.at(-1) ?? '';
}

function report({ messages, results }: Prompt): Answer {
  const calls = messages.flatMap((message) => message.calls);
  const parts = results.map(({ id, text, error }) => {
    const name = calls.find((call) => call.id === id)?.name ?? 'tool';
    return `${name}${error ? ' failed' : ''}:\n\n\`\`\`\n${text.slice(0, SHOWN).trimEnd()}\n\`\`\``;
  });
  return { text: `(stand-in) This is what I found.\n\n${parts.join('\n\n')}` };
}

function routed({ system }: Prompt, words: string): Answer | undefined {
  const { targets, pauses } = readHandOffs(system);
  const [first] = targets;
  if (!first) return undefined;
  const isVague = words.split(/\s+/).filter((word) => /\w{3}/.test(word)).length < 4;
  if (pauses) {
    if (isVague) return { text: 'What exactly is wrong, on which machine, and since when?' };
    return { text: `That is clear now. ${first.signal}` };
  }
  const asker = targets.find(({ to, about }) => /ask|clarif/i.test(`${to} ${about}`));
  if (isVague && asker) return { text: `This needs a question first. ${asker.signal}` };
  const wordsIn = (text: string) => text.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  const heard = new Set<string>(wordsIn(words));
  const score = ({ to, about }: typeof first) => wordsIn(`${to} ${about}`).filter((word) => heard.has(word)).length;
  const [best = first] = targets.filter((target) => target !== asker).sort((a, b) => score(b) - score(a));
  return { text: `This is for ${best.to}. ${best.signal}` };
}

/** A value for each required argument, taken from the user's words where possible. */
function inputFor({ schema }: PromptTool, words: string): Record<string, string> {
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return Object.fromEntries(required.map((name) => [name, valueFor(name, words)]));
}

function valueFor(name: string, words: string): string {
  if (/host|server|machine|address/i.test(name))
    return /\b(?:localhost|(?:\d{1,3}\.){3}\d{1,3}|[a-z0-9-]+(?:\.[a-z0-9-]+)+)\b/i.exec(words)?.[0] ?? 'localhost';
  if (/path|folder|dir/i.test(name)) return /(?<=^|\s)\/[\w./-]*/.exec(words)?.[0] ?? '/';
  return words.slice(0, 100) || name;
}
