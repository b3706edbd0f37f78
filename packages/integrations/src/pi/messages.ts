import { type Fields, outputText, type Piece, partsOf, resultItem, SUMMARY } from '../bridge/piece.ts';

/** A message of pi: of the user, the assistant or a tool, or one of pi's own kinds, which the model gets as the user's. */
export interface PiMessage {
  readonly role: string;
  readonly timestamp: number;
}

type Part = Fields & { readonly type: string };
type Message = PiMessage & Fields;

/** What pi sends for a message, as one of the AI SDK; none if pi leaves it out. Pure. */
export function toPieces(native: PiMessage): Piece<PiMessage>[] {
  const message = native as Message;
  // pi leaves out answers that failed, and commands of the user that the model should not see.
  if (message.stopReason === 'error' || message.stopReason === 'aborted' || message.excludeFromContext) return [];
  const isSummary = message.summary !== undefined;
  const content = contentOf(message).map((part) => ({ ...toWirePart(part), ...(isSummary ? SUMMARY : {}) }));
  if (message.role === 'assistant') return [{ native, wire: { role: 'assistant', content } }];
  if (message.role !== 'toolResult') return [{ native, wire: { role: 'user', content } }];
  const { toolCallId, toolName, isError } = message;
  const isText = content.every(({ type }) => type === 'text');
  const output = isText
    ? { type: isError ? 'error-text' : 'text', value: content.map(({ text }) => text).join('\n') }
    : { type: 'content', value: content.map(resultItem) };
  return [{ native, wire: { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] } }];
}

function contentOf(message: Message): readonly Part[] {
  const { content, summary, command, output } = message;
  const text = content ?? summary ?? [command, output].filter((said) => said !== undefined).join('\n');
  return typeof text === 'string' ? [{ type: 'text', text }] : (text as readonly Part[]);
}

function toWirePart(part: Part): Fields {
  const { type, text, thinking, id, name, data, mimeType, thinkingSignature, textSignature, thoughtSignature } = part;
  const signature = thinkingSignature ?? textSignature ?? thoughtSignature;
  const options = signature === undefined ? {} : { providerOptions: { pi: { signature } } };
  if (type === 'thinking') return { type: 'reasoning', text: thinking, ...options };
  if (type === 'image') return { type: 'file', mediaType: mimeType, data };
  if (type !== 'toolCall') return { type: 'text', text: String(text ?? ''), ...options };
  return { type: 'tool-call', toolCallId: id, toolName: name, input: part.arguments, ...options };
}

/** The messages of a view: the same objects, except for notes and shortened copies. `all`: what the view is of. Pure. */
export function toMessages(view: readonly Piece<PiMessage>[], all: readonly PiMessage[]): PiMessage[] {
  const messages = all as readonly Message[];
  const results = new Map(messages.map((message) => [message.toolCallId, message]));
  const callers = new Map(messages.flatMap((message) => callsIn(message).map(({ id }) => [id, message])));
  const lastAnswer = messages.findLast(({ role }) => role === 'assistant');
  return view.flatMap(({ wire, native }): PiMessage[] => {
    if (native) return [native];
    const parts = partsOf(wire);
    const calls = parts.flatMap(({ toolCallId }) => (toolCallId === undefined ? [] : [toolCallId]));
    if (wire.role === 'tool') return copies(results.get(calls[0]), resultOf(parts[0]?.output as Fields));
    if (wire.role !== 'assistant') return copies({ role: 'user', timestamp: 0 }, parts.map(toPart));
    const own = callers.get(calls[0]) ?? lastAnswer;
    // Without calls it ends a turn, whatever the message did whose model and usage it has.
    return copies(own && calls.length === 0 ? { ...own, stopReason: 'stop' } : own, copiedParts(parts, own));
  });
}

function copies(own: Message | undefined, content: readonly Fields[]): PiMessage[] {
  return own ? [{ ...own, content } as PiMessage] : [];
}

/** A call keeps all that pi stores with it. */
function copiedParts(parts: readonly Fields[], own: Message | undefined): Fields[] {
  const calls = new Map(callsIn(own).map((call) => [call.id, call]));
  return parts.map((part) => {
    const call = calls.get(part.toolCallId);
    return call ? { ...call, arguments: part.input } : toPart(part);
  });
}

function callsIn(message: Message | undefined): Part[] {
  if (message?.role !== 'assistant') return [];
  return contentOf(message).filter(({ type }) => type === 'toolCall');
}

function resultOf(output: Fields): Fields[] {
  if (output.type !== 'content') return [{ type: 'text', text: outputText(output) }];
  return (output.value as readonly Fields[]).map(toPart);
}

function toPart(part: Fields): Fields {
  const { type, text, mediaType, data } = part;
  const { signature } = ((part.providerOptions as Fields)?.pi ?? {}) as Fields;
  if (type === 'file' || type === 'file-data') return { type: 'image', mimeType: mediaType, data };
  if (type === 'reasoning') return { type: 'thinking', thinking: text, thinkingSignature: signature };
  return { type: 'text', text, ...(signature === undefined ? {} : { textSignature: signature }) };
}
