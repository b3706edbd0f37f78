import type Anthropic from '@anthropic-ai/sdk';

type Message = Anthropic.MessageParam;
type Block = Anthropic.ContentBlockParam;

/** True for a call of one of the server's own tools whose result is not among these blocks. Pure. */
export function awaitsServer(block: Block, content: readonly Block[]): boolean {
  if (!/^(?:server|mcp)_tool_use$/.test(block.type)) return false;
  const { id } = block as Anthropic.ServerToolUseBlockParam;
  return !content.some((other) => 'tool_use_id' in other && other.tool_use_id === id);
}

/**
 * A paused answer in a form that continues it: sent back unchanged. If it ends with text, a user message asks for the rest,
 * because most models refuse to complete an assistant text. Pure.
 */
export function paused(content: readonly Block[]): Message[] {
  const last = content.at(-1);
  const said: Message = { role: 'assistant', content: [...content] };
  if (last?.type !== 'text') return [said];
  if (!content.some((block) => awaitsServer(block, content))) return [said, { role: 'user', content: 'Go on.' }];
  const text = last.text.trimEnd();
  return [{ role: 'assistant', content: [...content.slice(0, -1), { ...last, text }] }];
}

/** A failed result for each call of the server's tools in a paused answer that waits for one. Pure. */
export function closedAnswer(answer: readonly Message[]): Message[] {
  const blocks = answer.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  const content = blocks.filter((block) => awaitsServer(block, blocks)).map(failedResult);
  return content.length === 0 ? [] : [{ role: 'assistant', content }];
}

function failedResult(block: Block): Block {
  const { type: called, id: tool_use_id, name } = block as Anthropic.ServerToolUseBlockParam;
  const type = `${name.startsWith('tool_search') ? 'tool_search' : name}_tool_result`;
  const content = { type: `${type}_error`, error_code: 'unavailable' };
  const result =
    called === 'server_tool_use'
      ? { type, tool_use_id, content }
      : { type: 'mcp_tool_result', tool_use_id, is_error: true, content: [] };
  return result as unknown as Block;
}
