import type { Answer, Prompt } from '../script.ts';

const ASKED = /<conversation>\n([\s\S]*)\n<\/conversation>\s*$/;

/** The answer to a request for a summary: its length, and that no model wrote it. Undefined for other prompts. Pure. */
export function summaryAnswer({ messages, tools }: Prompt): Answer | undefined {
  const [only, ...more] = messages;
  const [, conversation] = (more.length === 0 && tools.length === 0 && ASKED.exec(only?.text ?? '')) || [];
  if (conversation === undefined) return undefined;
  const spoken = conversation.match(/^\S/gm)?.length ?? 0;
  return {
    text: `Stand-in, no model: a summary would stand here, of ${conversation.length} characters in ${spoken} messages, calls and results.`,
  };
}
