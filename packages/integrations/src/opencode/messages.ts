import type { WireMessage } from '@holdfast/sessions';
import type { Message, Part } from '@opencode-ai/sdk';
import type { Wires } from '../bridge/form.ts';
import { type Fields, fileUrl, outputParts, partsOf, resultPart, SUMMARY, textIn } from '../bridge/parts.ts';

/** A message as opencode stores it. Calls and their results are parts of the same message. */
export interface StoredMessage {
  readonly info: Message;
  readonly parts: Part[];
}

type ToolPart = Extract<Part, { type: 'tool' }>;

/** What opencode sends for a stored message, as messages of the AI SDK: none, one, or calls and their results. Pure. */
export function toWire({ info, parts }: StoredMessage): WireMessage[] {
  const isFailed = info.role === 'assistant' && info.error && info.error.name !== 'MessageAbortedError';
  const options = info.role === 'assistant' && info.summary === true ? SUMMARY : {};
  const content = isFailed ? [] : parts.flatMap(toParts).map((part) => ({ ...part, ...options }));
  const results = parts.flatMap((part) => (part.type === 'tool' ? [resultOf(part)] : []));
  if (content.length === 0) return [];
  return [{ role: info.role, content }, ...(results.length === 0 ? [] : [{ role: 'tool', content: results }])];
}

/** opencode's texts for what it does not store as text. */
const ASKED = { compaction: 'What did we do so far?', subtask: 'The following tool was executed by the user' };

function toParts(part: Part): Fields[] {
  const options = 'metadata' in part && part.metadata ? { providerOptions: part.metadata } : {};
  if (part.type === 'tool') return [{ type: 'tool-call', ...callOf(part), input: part.state.input, ...options }];
  if (part.type === 'compaction' || part.type === 'subtask') return [{ type: 'text', text: ASKED[part.type] }];
  // opencode has put texts and folders into texts.
  if (part.type === 'file') return /^(?:text\/plain|application\/x-directory)$/.test(part.mime) ? [] : [toFile(part)];
  const isSaid = part.type === 'reasoning' || (part.type === 'text' && part.text !== '' && !part.ignored);
  return isSaid ? [{ type: part.type, text: part.text, ...options }] : [];
}

function callOf({ callID: toolCallId, tool: toolName }: ToolPart): Fields {
  return { toolCallId, toolName };
}

function toFile({ mime, url }: { readonly mime: string; readonly url: string }): Fields {
  return { type: 'file', mediaType: mime, data: url };
}

function resultOf(part: ToolPart): Fields {
  const { state } = part;
  const isDone = state.status === 'completed';
  const text = isDone ? state.output : state.status === 'error' ? state.error : '[Tool execution was interrupted]';
  const files = isDone ? (state.attachments ?? []).map(toFile) : [];
  return resultPart(callOf(part), [{ type: 'text', text }, ...files], !isDone);
}

/** The message that a note, or a shortened copy of a message and its results, becomes. Pure. */
export function fromWire([wire, results]: Wires, origin?: StoredMessage): StoredMessage | [] {
  if (wire.role === 'tool' || !origin) return [];
  const { info, parts: own } = origin;
  const outputs = new Map(partsOf(results).map((part) => [part.toolCallId, outputParts(part)]));
  const place = { id: info.id, sessionID: info.sessionID, messageID: info.id };
  const parts = partsOf(wire).map((part) => {
    const call = own.find((one) => one.type === 'tool' && one.callID === part.toolCallId) as ToolPart | undefined;
    return { ...place, ...(call ? copyOf(call, part.input, outputs.get(call.callID)) : fromPart(part)) } as Part;
  });
  return { info, parts };
}

function fromPart({ type, text, mediaType, data, providerOptions: metadata }: Fields): Fields {
  if (type === 'file') return { type, mime: mediaType, url: data };
  return { type, text, time: { start: 0, end: 0 }, ...(metadata ? { metadata } : {}) };
}

/** A copy of a call with its result. An output without files is shortened, and so without those of the original. */
function copyOf(call: ToolPart, input: unknown, output?: readonly Fields[]): Fields {
  const { state } = call;
  const said = output && textIn(output);
  if (state.status === 'error') return { ...call, state: { ...state, input, error: said ?? state.error } };
  if (state.status !== 'completed') return { ...call, state: { ...state, input } };
  const { compacted: _, ...time } = state.time;
  const files = output && output.length > 1 ? {} : { attachments: [] };
  return { ...call, state: { ...state, ...files, input, time, output: said ?? state.output } };
}

/** What was recalled, as the result of a tool. Pure. */
export function recalledResult(parts: readonly Fields[]) {
  const files = parts.filter(({ type }) => type === 'file');
  return { output: textIn(parts), attachments: files.map((file) => ({ ...fromPart(file), url: fileUrl(file) })) };
}
