import type { WireMessage } from '@holdfast/sessions';
import type { Wires } from '../bridge/form.ts';
import { type Fields, outputParts, partsOf, resultPart, SUMMARY, setFields } from '../bridge/parts.ts';

/** A message of pi: of the user, the assistant or a tool, or one of pi's own kinds, which the model gets as the user's. */
export interface PiMessage extends Fields {
  readonly role: string;
  readonly timestamp: number;
}

/** What pi sends for a message, as one of the AI SDK; none if pi leaves it out. Pure. */
export function toWire(native: PiMessage): WireMessage | [] {
  const { role, stopReason, excludeFromContext, summary, toolCallId, toolName, isError } = native;
  // pi leaves out answers that failed, and commands of the user that the model should not see.
  if (stopReason === 'error' || stopReason === 'aborted' || excludeFromContext) return [];
  const parts = contentOf(native).map((part) => ({ ...toPart(part), ...(summary === undefined ? {} : SUMMARY) }));
  if (role === 'assistant') return { role, content: parts };
  if (role !== 'toolResult') return { role: 'user', content: parts };
  return { role: 'tool', content: [resultPart({ toolCallId, toolName }, parts, isError === true)] };
}

function contentOf({ content, summary, command, output }: PiMessage): readonly Fields[] {
  const said = content ?? summary ?? [command, output].filter((text) => text !== undefined).join('\n');
  return partsOf({ content: said });
}

function toPart(part: Fields): Fields {
  const { type, text, thinking, id, name, data, mimeType, redacted } = part;
  const signature = part.thinkingSignature ?? part.textSignature ?? part.thoughtSignature;
  const own = setFields({ signature, redacted });
  const options = signature === undefined ? {} : { providerOptions: { pi: own } };
  if (type === 'thinking') return { type: 'reasoning', text: thinking, ...options };
  if (type === 'image') return { type: 'file', mediaType: mimeType, data };
  if (type !== 'toolCall') return { type: 'text', text: String(text ?? ''), ...options };
  return { type: 'tool-call', toolCallId: id, toolName: name, input: part.arguments, ...options };
}

/** The message that a note or a shortened copy becomes. Pure. */
export function fromWire([wire]: Wires, origin?: PiMessage): PiMessage | [] {
  const parts = partsOf(wire);
  if (wire.role === 'user') return { role: 'user', timestamp: 0, content: parts.map(fromPart) };
  if (!origin) return [];
  if (wire.role === 'tool') return { ...origin, content: outputParts(parts[0]).map(fromPart) };
  // A call keeps all that pi stores with it.
  const calls = new Map(contentOf(origin).map((part) => [part.id, part]));
  const content = parts.map((part) =>
    part.type === 'tool-call' ? { ...calls.get(part.toolCallId), arguments: part.input } : fromPart(part),
  );
  // Without calls it ends a turn, whatever the message did whose model and usage it has.
  const isEnd = parts.every(({ type }) => type !== 'tool-call');
  return { ...origin, ...(isEnd ? { stopReason: 'stop' } : {}), content };
}

/** A part of the AI SDK as one of pi. Pure. */
export function fromPart({ type, text, mediaType, data, providerOptions }: Fields): Fields {
  const { signature, ...own } = ((providerOptions as Fields)?.pi ?? {}) as Fields;
  if (type === 'file') return { type: 'image', mimeType: mediaType, data };
  if (type === 'reasoning') return { type: 'thinking', thinking: text, thinkingSignature: signature, ...own };
  return { type: 'text', text, ...(signature === undefined ? {} : { textSignature: signature }) };
}
