/** A tool call in OpenAI chat form. */
export interface ChatCall {
  readonly id: string;
  readonly type?: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A message in OpenAI chat form with plain text, the form in which transcripts are replayed. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly ChatCall[];
  readonly tool_call_id?: string;
}

/** Blocks of any format with encoded data, which must never count by its characters. */
const IMAGES = new Set(['image', 'image_url', 'input_image']);
const ATTACHMENTS = new Set(['document', 'file', 'input_file', 'input_audio']);

type Block = Readonly<Record<string, unknown>>;

/**
 * Anthropic messages in OpenAI chat form: thinking becomes text, each tool result a message of its own before the user's
 * text, and anything that is not text a short marker. Pure; only roles, texts, calls and results are kept.
 */
export function toChat(messages: readonly unknown[]): ChatMessage[] {
  return messages.flatMap((message) => {
    const { role, content } = recordOf(message);
    const blocks = Array.isArray(content) ? content.map(recordOf) : [{ type: 'text', text: content ?? '' }];
    return role === 'assistant' ? [assistantMessage(blocks)] : userMessages(blocks);
  });
}

/** The content of an OpenAI chat message or of a tool result as plain text. Pure. */
export function plainText(content: unknown): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map(plainBlock).join('\n') : JSON.stringify(content);
}

/** How many messages both lists begin with. Pure. */
export function commonPrefix(a: readonly ChatMessage[], b: readonly ChatMessage[]): number {
  const parts = a.findIndex((message, i) => {
    const other = b[i];
    return !other || !sameMessage(message, other);
  });
  return parts < 0 ? a.length : parts;
}

/** True if both are the same to a model: role, content, calls and ids. Pure. */
export function sameMessage(a: ChatMessage, b: ChatMessage): boolean {
  if (a === b) return true;
  if (a.role !== b.role || a.content !== b.content || a.tool_call_id !== b.tool_call_id) return false;
  return a.tool_calls === b.tool_calls || JSON.stringify(a.tool_calls) === JSON.stringify(b.tool_calls);
}

/** The value as an object with fields; empty for anything else. Pure. */
export function recordOf(value: unknown): Block {
  return typeof value === 'object' && value !== null ? (value as Block) : {};
}

/** The function with a cache, for as long as its argument lives: transcripts are replayed many times. */
export function remembered<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    let entry = known.get(key);
    if (!entry) {
      entry = { value: compute(key) };
      known.set(key, entry);
    }
    return entry.value;
  };
}

function assistantMessage(blocks: readonly Block[]): ChatMessage {
  const text = blocks
    .filter((block) => block.type === 'text' || block.type === 'thinking')
    .map((block) => block.text ?? block.thinking ?? '')
    .join('\n');
  const calls = blocks.filter((block) => block.type === 'tool_use').map(chatCall);
  const message = { role: 'assistant', content: text || null };
  return calls.length > 0 ? { ...message, tool_calls: calls } : message;
}

function chatCall(block: Block): ChatCall {
  const call = { name: String(block.name), arguments: JSON.stringify(block.input ?? {}) };
  return { id: String(block.id), type: 'function', function: call };
}

function userMessages(blocks: readonly Block[]): ChatMessage[] {
  const isResult = (block: Block): boolean => block.type === 'tool_result';
  const results: ChatMessage[] = blocks
    .filter(isResult)
    .map(({ tool_use_id: id, content }) => ({ role: 'tool', tool_call_id: String(id), content: plainText(content) }));
  const rest = blocks.filter((block) => !isResult(block)).map((block) => block.text ?? '[attachment]');
  const words = rest.join('\n');
  return words ? [...results, { role: 'user', content: words }] : results;
}

function plainBlock(block: unknown): string {
  if (typeof block === 'string') return block;
  const { type, text } = recordOf(block);
  if (typeof text === 'string') return text;
  if (typeof type === 'string' && IMAGES.has(type)) return '[image]';
  return typeof type === 'string' && ATTACHMENTS.has(type) ? '[attachment]' : JSON.stringify(block);
}
