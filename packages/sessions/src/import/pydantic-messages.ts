import type { SessionEntry, WireMessage } from '../entry.ts';

/** A ModelRequest or ModelResponse of pydantic-ai, as JSON. */
interface ModelMessage {
  readonly kind: 'request' | 'response';
  readonly parts: readonly Part[];
  readonly model_name?: unknown;
  readonly usage?: unknown;
}

interface Part {
  readonly part_kind: string;
  readonly content?: unknown;
  readonly tool_name?: unknown;
  readonly tool_call_id?: unknown;
  readonly args?: unknown;
}

/** True for a list of pydantic-ai messages. */
export function isModelMessages(list: readonly unknown[]): list is readonly ModelMessage[] {
  return list.length > 0 && list.every(isModelMessage);
}

function isModelMessage(value: unknown): value is ModelMessage {
  const { kind, parts } = (value ?? {}) as Partial<ModelMessage>;
  return (kind === 'request' || kind === 'response') && Array.isArray(parts);
}

/** The model of the first answer, if recorded. */
export function modelNameOf(list: readonly ModelMessage[]): string | undefined {
  const name = list.find(({ model_name: one }) => typeof one === 'string')?.model_name;
  return name === undefined ? undefined : String(name);
}

/** The conversation as Chat Completions messages, with the usage of each answer, and without thinking. Pure. */
export function fromModelMessages(list: readonly ModelMessage[]): SessionEntry[] {
  return list.flatMap((message) => {
    const said = message.kind === 'request' ? requestMessages(message.parts) : responseMessages(message.parts);
    return [...said.map((one) => ({ type: 'message', message: one }) as const), ...usageOf(message)];
  });
}

/** Results first: Chat Completions requires them right after their calls. */
function requestMessages(parts: readonly Part[]): WireMessage[] {
  const said = parts.map(requestMessage);
  return [...said.filter(({ role }) => role === 'tool'), ...said.filter(({ role }) => role !== 'tool')];
}

function requestMessage(part: Part): WireMessage {
  const { part_kind: kind, content, tool_call_id: id, tool_name: tool } = part;
  if (kind === 'system-prompt') return { role: 'system', content: textOf(content) };
  if (kind === 'tool-return' || (kind === 'retry-prompt' && typeof tool === 'string'))
    return { role: 'tool', tool_call_id: String(id), content: textOf(content) };
  return { role: 'user', content: kind === 'user-prompt' ? userContent(content) : textOf(content) };
}

function responseMessages(parts: readonly Part[]): WireMessage[] {
  const words = parts.filter(({ part_kind: kind }) => kind === 'text').map(({ content }) => textOf(content));
  const calls = parts.filter(({ part_kind: kind }) => kind === 'tool-call').map(toolCall);
  if (words.length === 0 && calls.length === 0) return [];
  const content = words.length === 0 ? null : words.join('\n');
  return [{ role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
}

function toolCall({ tool_name: name, tool_call_id: id, args }: Part) {
  const text = typeof args === 'string' ? args : JSON.stringify(args ?? {});
  return { id: String(id), type: 'function', function: { name: String(name), arguments: text === '' ? '{}' : text } };
}

function userContent(content: unknown): unknown {
  if (!Array.isArray(content)) return textOf(content);
  return content.map((item: unknown) => {
    const { kind, url, data, media_type: type } = (item ?? {}) as Record<string, unknown>;
    if (kind === 'image-url') return { type: 'image_url', image_url: { url } };
    if (kind === 'binary' && /^image\//.test(String(type)))
      return { type: 'image_url', image_url: { url: `data:${String(type)};base64,${String(data)}` } };
    return { type: 'text', text: textOf(item) };
  });
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}

function usageOf({ kind, usage, model_name: model }: ModelMessage): SessionEntry[] {
  const used = (usage ?? {}) as Record<string, unknown>;
  const input = Number(used.input_tokens ?? used.request_tokens ?? 0);
  const output = Number(used.output_tokens ?? used.response_tokens ?? 0);
  if (kind !== 'response' || !(input + output > 0)) return [];
  return [{ type: 'usage', tokens: { input, output }, ...(typeof model === 'string' ? { model } : {}) }];
}
