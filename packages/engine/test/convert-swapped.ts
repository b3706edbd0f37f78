import { toChat } from '@holdfast/replay';
import type { Block, Format, Wire } from './histories.ts';

/** A recorded conversation in the other of the two formats in which conversations are recorded. Pure. */
export function swapped(
  messages: readonly Wire[],
  format: Format,
): { readonly messages: Wire[]; readonly format: Format } {
  return format === 'anthropic'
    ? { messages: toChat(messages).filter(isSaid) as unknown as Wire[], format: 'openai-chat' }
    : { messages: toAnthropic(messages), format: 'anthropic' };
}

/** Of a response that was cut off there may be nothing but thinking, or nothing at all. */
function isSaid({
  content,
  tool_calls: calls,
}: {
  readonly content?: unknown;
  readonly tool_calls?: unknown;
}): boolean {
  return content !== null || calls !== undefined;
}

/** There, system messages are not among the messages. Ids are new, because some were used twice. */
function toAnthropic(messages: readonly Wire[]): Wire[] {
  const out: Wire[] = [];
  let ids = new Map<unknown, string>();
  let calls = 0;
  for (const message of messages) {
    const { role, content } = message;
    if (role === 'system' || role === 'developer') continue;
    if (role === 'tool') {
      const result = { type: 'tool_result', tool_use_id: ids.get(message.tool_call_id), content: blocksOf(content) };
      const last = out.at(-1);
      if (last?.role === 'user') (last.content as Block[]).push(result);
      else out.push({ role: 'user', content: [result] });
      continue;
    }
    const made = (message.tool_calls ?? []) as { id: string; function: { name: string; arguments: string } }[];
    ids = new Map(made.map(({ id }) => [id, `toolu_${calls++}`]));
    const uses = made.map(({ id, function: { name, arguments: text } }) => ({
      type: 'tool_use',
      id: ids.get(id),
      name,
      input: inputOf(text),
    }));
    const blocks = [...blocksOf(content), ...uses];
    if (blocks.length > 0) out.push({ role, content: blocks } as Wire);
  }
  return out[0]?.role === 'assistant' ? [{ role: 'user', content: 'Go on.' }, ...out] : out;
}

function blocksOf(content: unknown): Block[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : ((content ?? []) as Block[]);
  return parts.filter(({ type, text }) => type === 'text' && /\S/.test(String(text)));
}

function inputOf(text: string): unknown {
  try {
    const input: unknown = JSON.parse(text);
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { input };
  } catch {
    return { text };
  }
}
