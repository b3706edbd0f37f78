import { type ChatMessage, messageSize } from '@holdfast/replay';

/** The parts of an Anthropic message that matter for growth. */
export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly Readonly<Record<string, unknown>>[];
}

/** One answer of the model, the results of its calls, and the user message before it. */
export interface Round {
  readonly asked: readonly string[];
  readonly answer: ChatMessage;
  readonly results: readonly ChatMessage[];
}

/** Splits a conversation in chat form into rounds, ignoring text after the last answer. Pure. */
export function roundsOf(messages: readonly ChatMessage[]): Round[] {
  const rounds: Round[] = [];
  let asked: string[] = [];
  messages.forEach((answer, at) => {
    if (answer.role === 'tool') return;
    if (answer.role !== 'assistant') {
      if (answer.content) asked.push(answer.content);
      return;
    }
    const end = messages.findIndex((message, i) => i > at && message.role !== 'tool');
    rounds.push({ asked, answer, results: messages.slice(at + 1, end < 0 ? messages.length : end) });
    asked = [];
  });
  return rounds;
}

/** Groups rounds into iterations with a minimum number of tool calls, cycling through `calls`; drops an incomplete one. Pure. */
export function iterationsOf(rounds: readonly Round[], calls: readonly number[]): Round[][] {
  const iterations: Round[][] = [];
  let open: Round[] = [];
  for (const round of rounds) {
    open.push(round);
    if (callsIn(open) < (calls[iterations.length % calls.length] ?? 1)) continue;
    iterations.push(open);
    open = [];
  }
  return iterations;
}

/** The number of tool calls. */
export function callsIn(rounds: readonly Round[]): number {
  return rounds.reduce((sum, { results }) => sum + results.length, 0);
}

/** The messages that a round adds to a history. */
export type Form = (round: Round) => Message[];

/** For each call, a copy of the whole answer and its result. */
export const pairs: Form = ({ answer, results }) =>
  results.length === 0
    ? [assistant(answer)]
    : results.flatMap((result) => [assistant(answer), { role: 'user', content: [resultBlock(result)] }]);

/** One answer, then all results in the next message. */
export const together: Form = ({ answer, results }) =>
  results.length === 0 ? [assistant(answer)] : [assistant(answer), { role: 'user', content: results.map(resultBlock) }];

/** Tokens of a message as replay counts them: one per three characters, plus four. Pure. */
export function tokensOf({ content }: Message): number {
  if (typeof content === 'string') return messageSize({ role: 'user', content });
  const chars = content.reduce((sum, block) => {
    const { type, text, name, input, content: result } = block;
    const parts = type === 'text' ? [text] : type === 'tool_use' ? [name, JSON.stringify(input)] : [result];
    return sum + parts.join('').length + (type === 'tool_use' ? 20 : 0);
  }, 0);
  return Math.ceil(chars / 3) + 4;
}

function assistant({ content, tool_calls = [] }: ChatMessage): Message {
  const text = content?.trim() ? [{ type: 'text', text: content }] : [];
  const uses = tool_calls.map(({ id, function: { name, arguments: args } }) => {
    return { type: 'tool_use', id, name, input: inputOf(args) };
  });
  const blocks = [...text, ...uses];
  return { role: 'assistant', content: blocks.length === 0 ? [{ type: 'text', text: 'Done.' }] : blocks };
}

function resultBlock({ tool_call_id, content }: ChatMessage) {
  return { type: 'tool_result', tool_use_id: tool_call_id, content: content ?? '' };
}

function inputOf(args: string): unknown {
  try {
    const input: unknown = JSON.parse(args);
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { input };
  } catch {
    return { input: args };
  }
}
