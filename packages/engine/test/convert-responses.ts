import type { Block, Format, Wire } from './histories.ts';

/** A recorded conversation as items of the Responses API, as its server would have made and taken them. Pure. */
export function toResponses(messages: readonly Wire[], format: Format): Wire[] {
  if (format === 'openai-responses') return [...messages];
  let made = 0;
  const id = (prefix: string) => `${prefix}_${made++}`;
  const items = messages.flatMap((message): Wire[] =>
    format === 'anthropic' ? fromAnthropic(message, id) : fromChat(message, id),
  );
  // Of a response that was cut off, reasoning may be all there is; the API would not take it back.
  return items.filter(({ type }, i) => type !== 'reasoning' || isModels(items[i + 1]));
}

type NewId = (prefix: string) => string;

function isModels(item: Wire | undefined): boolean {
  return item !== undefined && (item.role === 'assistant' || /_call$|^reasoning$/.test(String(item.type)));
}

function fromAnthropic({ role, content }: Wire, id: NewId): Wire[] {
  const blocks: readonly Block[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content as Block[]);
  const own = blocks.filter(({ type }) => type !== 'tool_result');
  const outputs = blocks.filter(({ type }) => type === 'tool_result');
  if (role === 'assistant') return own.map((block) => modelItem(block, id));
  const words =
    own.length === 0 ? [] : [{ role: role === 'system' ? 'developer' : 'user', content: own.map(inputPart) }];
  return [
    ...outputs.map(({ tool_use_id, content: result }) => ({
      type: 'function_call_output',
      call_id: tool_use_id,
      output: Array.isArray(result) ? result.map(inputPart) : (result ?? ''),
    })),
    ...words,
  ];
}

function modelItem(block: Block, id: NewId): Wire {
  const { type } = block;
  if (type === 'thinking')
    return {
      type: 'reasoning',
      id: id('rs'),
      summary: [{ type: 'summary_text', text: block.thinking }],
      encrypted_content: block.signature,
    };
  if (type === 'redacted_thinking')
    return { type: 'reasoning', id: id('rs'), summary: [], encrypted_content: block.data };
  if (type === 'tool_use') return functionCall(block.id, block.name, JSON.stringify(block.input), id);
  return said(String(block.text ?? JSON.stringify(block)), id);
}

function said(text: string, id: NewId): Wire {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: id('msg'), role: 'assistant', status: 'completed', content };
}

function functionCall(call_id: unknown, name: unknown, args: unknown, id: NewId): Wire {
  return { type: 'function_call', id: id('fc'), call_id, name, arguments: args, status: 'completed' };
}

function inputPart(block: Block): Block {
  const { type, source, text } = block;
  if (type === 'image') {
    const { data, media_type: media, url } = source as Readonly<Record<string, unknown>>;
    return { type: 'input_image', image_url: url ?? `data:${media};base64,${data}`, detail: 'auto' };
  }
  return { type: 'input_text', text: typeof text === 'string' ? text : JSON.stringify(block) };
}

function fromChat(message: Wire, id: NewId): Wire[] {
  const { role, content } = message;
  const text =
    typeof content === 'string' ? content : (content as Block[] | null)?.map(({ text: one }) => one).join('\n');
  if (role === 'tool') return [{ type: 'function_call_output', call_id: message.tool_call_id, output: text ?? '' }];
  if (role !== 'assistant') return [{ role: String(role), content: text ?? '' }];
  const calls = (message.tool_calls ?? []) as { id: string; function: { name: string; arguments: string } }[];
  return [
    ...(text ? [said(text, id)] : []),
    ...calls.map((call) => functionCall(call.id, call.function.name, call.function.arguments, id)),
  ];
}
