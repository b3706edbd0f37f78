import type Anthropic from '@anthropic-ai/sdk';

type Message = Anthropic.MessageParam;
type Block = Anthropic.ContentBlockParam;

/** A copy of the message with calls and results as text: the API rejects them in a request without tools. Pure. */
export function withoutTools(message: Message): Message {
  const { content } = message;
  return typeof content === 'string' ? message : ({ ...message, content: content.flatMap(spoken) } as Message);
}

function spoken(block: Block): Block[] {
  if (block.type === 'tool_use') return [said(`[Called ${block.name} with ${JSON.stringify(block.input)}]`)];
  if (block.type !== 'tool_result') return [block];
  const { content = '' } = block;
  const parts = typeof content === 'string' ? [said(content)] : (content as readonly Block[]);
  return [said(block.is_error ? '[It failed:]' : '[Its result:]'), ...parts.filter(isSaying)];
}

function said(text: string): Anthropic.TextBlockParam {
  return { type: 'text', text };
}

function isSaying(block: Block): boolean {
  return block.type !== 'text' || block.text.trim() !== '';
}
