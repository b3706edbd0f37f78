import type { Block, Format, Wire } from './histories.ts';

/** The same conversation as messages of the AI SDK: all results for a message with calls stand in one tool message. */
export function toAiSdk(messages: readonly Wire[], format: Format): Wire[] {
  if (format === 'ai-sdk') return [...messages];
  const names = new Map<unknown, unknown>();
  const converted: Wire[] = [];
  for (const message of messages.flatMap((one) => (format === 'anthropic' ? fromAnthropic(one) : fromChat(one)))) {
    const parts = Array.isArray(message.content) ? (message.content as Block[]) : [];
    for (const { type, toolCallId, toolName } of parts) if (type === 'tool-call') names.set(toolCallId, toolName);
    const before = converted.at(-1);
    if (message.role !== 'tool') converted.push(message);
    else {
      const results = parts.map((part) => ({ ...part, toolName: names.get(part.toolCallId) ?? 'unknown' }));
      if (before?.role === 'tool')
        converted[converted.length - 1] = { ...before, content: [...(before.content as Block[]), ...results] };
      else converted.push({ role: 'tool', content: results });
    }
  }
  return converted;
}

function fromAnthropic({ role = 'user', content }: Wire): Wire[] {
  if (!Array.isArray(content)) return [{ role, content }];
  const blocks = content as Block[];
  const results = blocks.filter(({ type }) => type === 'tool_result').map(anthropicResult);
  const parts = blocks.filter(({ type }) => type !== 'tool_result').map(anthropicPart);
  return [
    ...(results.length > 0 ? [{ role: 'tool', content: results }] : []),
    ...(parts.length > 0 ? [{ role, content: parts }] : []),
  ];
}

function anthropicPart({ type, ...block }: Block): Block {
  const { text, thinking, signature, data, id, name, input } = block;
  if (type === 'thinking') return { type: 'reasoning', text: thinking, providerOptions: { anthropic: { signature } } };
  if (type === 'redacted_thinking')
    return { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: data } } };
  if (type === 'tool_use') return { type: 'tool-call', toolCallId: id, toolName: name, input };
  return type === 'image' ? picture(block) : { type: 'text', text: text ?? JSON.stringify(block) };
}

function picture(block: Readonly<Record<string, unknown>>): Block {
  const { data, media_type: mediaType } = block.source as { data: string; media_type: string };
  return { type: 'file', data: { type: 'data', data }, mediaType };
}

function anthropicResult({ tool_use_id: toolCallId, content = '', is_error: failed }: Block): Block {
  const value = Array.isArray(content) ? content.map(anthropicPart) : content;
  const type = Array.isArray(content) ? 'content' : failed ? 'error-text' : 'text';
  return { type: 'tool-result', toolCallId, output: { type, value } };
}

function fromChat({ role = 'user', content, tool_calls: calls, tool_call_id: toolCallId }: Wire): Wire[] {
  if (role === 'tool')
    return [{ role, content: [{ type: 'tool-result', toolCallId, output: { type: 'text', value: plain(content) } }] }];
  if (role === 'system' || role === 'developer') return [{ role: 'system', content: plain(content) }];
  if (!Array.isArray(calls))
    return [{ role, content: Array.isArray(content) ? content.map(chatPart) : (content ?? '') }];
  const words = content ? [{ type: 'text', text: plain(content) }] : [];
  return [{ role, content: [...words, ...calls.map(chatCall)] }];
}

function chatPart(part: Block): Block {
  const { url } = (part.image_url ?? {}) as { url?: string };
  return part.type === 'image_url' ? { type: 'image', image: url } : { type: 'text', text: part.text };
}

function chatCall({ id, function: made }: { id: string; function: { name: string; arguments: string } }): Block {
  return { type: 'tool-call', toolCallId: id, toolName: made.name, input: parsed(made.arguments) };
}

/** What models wrote is not always JSON; then it stays text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function plain(content: unknown): string {
  if (Array.isArray(content)) return content.map((part: Block) => part.text ?? '').join('\n');
  return String(content ?? '');
}
