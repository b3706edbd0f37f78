import type { Message, Part } from '@opencode-ai/sdk';
import { type Fields, outputText, type Piece, partsOf, SUMMARY } from '../bridge/piece.ts';

/** A message as opencode stores it. Calls and their results are parts of the same message. */
export interface StoredMessage {
  readonly info: Message;
  readonly parts: Part[];
}

type ToolPart = Extract<Part, { type: 'tool' }>;

/** What opencode sends for a stored message, as messages of the AI SDK: none, one, or calls and their results. Pure. */
export function splitMessage(stored: StoredMessage): Piece<StoredMessage>[] {
  const { info, parts } = stored;
  const isFailed = info.role === 'assistant' && info.error && info.error.name !== 'MessageAbortedError';
  const content = isFailed ? [] : parts.flatMap((part) => contentOf(part));
  if (content.length === 0) return [];
  const results = parts.flatMap((part) => (part.type === 'tool' ? [resultOf(part)] : []));
  const isSummary = info.role === 'assistant' && info.summary === true;
  const said = isSummary ? content.map((part) => ({ ...part, ...SUMMARY })) : content;
  const pieces = [{ native: stored, wire: { role: info.role, content: said } }];
  return results.length === 0 ? pieces : [...pieces, { native: stored, wire: { role: 'tool', content: results } }];
}

/** opencode's texts for what it does not store as text. */
const ASKED_BY_OPENCODE = {
  compaction: 'What did we do so far?',
  subtask: 'The following tool was executed by the user',
};

function contentOf(part: Part): Fields[] {
  switch (part.type) {
    case 'text':
      return part.text === '' || part.ignored ? [] : [{ type: 'text', text: part.text, ...optionsOf(part) }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...optionsOf(part) }];
    case 'tool': {
      const { callID, tool, state } = part;
      return [{ type: 'tool-call', toolCallId: callID, toolName: tool, input: state.input, ...optionsOf(part) }];
    }
    case 'file':
      // opencode has put these into texts.
      if (part.mime === 'text/plain' || part.mime === 'application/x-directory') return [];
      return [{ type: 'file', mediaType: part.mime, data: part.url }];
    case 'compaction':
    case 'subtask':
      return [{ type: 'text', text: ASKED_BY_OPENCODE[part.type] }];
    default:
      return [];
  }
}

function optionsOf({ metadata }: { readonly metadata?: unknown }): Fields {
  return metadata ? { providerOptions: metadata } : {};
}

function resultOf({ callID, tool, state }: ToolPart): Fields {
  const output = (type: string, value: unknown) => {
    return { type: 'tool-result', toolCallId: callID, toolName: tool, output: { type, value } };
  };
  if (state.status === 'error') return output('error-text', state.error);
  if (state.status !== 'completed') return output('error-text', '[Tool execution was interrupted]');
  const { attachments = [] } = state;
  if (attachments.length === 0) return output('text', state.output);
  const files = attachments.map(({ mime, url }) => ({ type: 'file-data', mediaType: mime, data: url }));
  return output('content', [{ type: 'text', text: state.output }, ...files]);
}

/** The stored messages of a view: the same objects, except for notes and shortened copies. `all`: what the view is of. Pure. */
export function joinMessages(view: readonly Piece<StoredMessage>[], all: readonly StoredMessage[]): StoredMessage[] {
  const tools = new Map<string, ToolPart>();
  for (const { parts } of all) for (const part of parts) if (part.type === 'tool') tools.set(part.callID, part);
  return view.flatMap(({ wire, native }, at) => {
    if (wire.role === 'tool') return [];
    const next = view[at + 1];
    const results = next?.wire.role === 'tool' ? next : undefined;
    if (native && (!results || results.native?.info.id === native.info.id)) return [native];
    const copied = partsOf(wire).flatMap(({ toolCallId }) => tools.get(String(toolCallId))?.messageID ?? []);
    const own = all.find(({ info: { id } }) => id === copied[0]);
    const info = (native ?? own ?? all.findLast(({ info: { role } }) => role === wire.role))?.info;
    if (!info) return [];
    const outputs = new Map(partsOf(results?.wire).map((part) => [part.toolCallId, part.output as Fields]));
    const place = { id: info.id, sessionID: info.sessionID, messageID: info.id };
    const parts = partsOf(wire).map((part) => copyOf(part, tools.get(String(part.toolCallId)), outputs));
    return [{ info, parts: parts.map((part) => ({ ...place, ...part }) as Part) }];
  });
}

function copyOf(part: Fields, own: ToolPart | undefined, outputs: ReadonlyMap<unknown, Fields>): Fields {
  const { type, text, mediaType, data, input, providerOptions: metadata } = part;
  if (type === 'file') return { type, mime: mediaType, url: data };
  if (!own) return { type, text, time: { start: 0, end: 0 }, ...(metadata ? { metadata } : {}) };
  const { state } = own;
  const said = outputText(outputs.get(own.callID));
  if (state.status === 'error') return { ...own, state: { ...state, input, error: said ?? state.error } };
  if (state.status !== 'completed') return { ...own, state: { ...state, input } };
  const { compacted: _, ...time } = state.time;
  const output = outputs.get(own.callID)?.type === 'content' ? {} : { attachments: [] };
  return { ...own, state: { ...state, ...output, input, time, output: said ?? state.output } };
}
