import { quotedBlocks, quotedResult } from '../../content/quoted-result.ts';
import { appendText, contentText, saidText } from '../../content/text.ts';
import type { Call, Dialect, Limits, Reading, Result, Thinking, Tidied } from '../../dialect.ts';
import { jsonForm } from '../../json/plain.ts';
import { isRecord } from '../../json/record.ts';
import { fileTokens, type Media } from '../../size/media.ts';
import { Weight } from '../../size/weight.ts';
import { changeKind, EMPTY_MESSAGE, mapKind } from '../parts.ts';
import { countMarkers, withMarkers } from './markers.ts';
import { validateAiSdk } from './rules.ts';
import {
  type AiSdkMessage,
  type AiSdkOptions,
  type AiSdkOutput,
  type AiSdkPart,
  isReasoning,
  isWords,
  partsOf,
} from './wire.ts';

const OWN_PART = /^(?:tool-(?:call|result|approval-.+)|reasoning(?:-file)?|custom)$/;

/** Fields that are counted separately, and signatures of text that is. */
const CALL: ReadonlySet<string> = new Set(['toolName', 'input']);
const RESULT: ReadonlySet<string> = new Set(['toolName', 'output', 'content']);
const SIGNATURE: ReadonlySet<string> = new Set(['signature', 'thoughtSignature']);
const NONE: ReadonlySet<string> = new Set();
const KNOWN_OUTPUT = /^(?:(?:error-)?(?:text|json)|content|execution-denied)$/;

/** What every provider behind it accepts, as far as known. */
const LIMITS: Limits = { bytes: 32_000_000, images: 500 };

/**
 * The ModelMessage format of the AI SDK (`ai` 7). `thinking` says what happens to reasoning after an edit before it: `bound`
 * (default, because it is never refused) removes it, and the ids of stored items that need it; `free` keeps it, for models
 * that accept old reasoning. An approved call needs its result before `fit()`: the SDK runs it before `prepareStep`.
 */
export function aiSdk<M = AiSdkMessage>(
  options: { readonly thinking?: Thinking; readonly limits?: Limits } = {},
): Dialect<M> {
  const limits = { ...LIMITS, ...options.limits };
  const dialect: Dialect<AiSdkMessage> = {
    name: 'ai-sdk',
    thinking: options.thinking ?? 'bound',
    uniqueCallIds: false,
    resultsTogether: false,
    splitResponses: false,
    systemInside: 'anywhere',
    limits,
    read: (message) => read(message, limits),
    text: (message) => contentText(partsOf(message).filter(isWords)),
    said: (message) => saidText(message.content),
    maskResults: (message, texts) => ({
      ...message,
      content: changeKind(partsOf(message), resultsIn(message), texts, maskedPart),
    }),
    // Options of a provider may have the signature of the call.
    maskCalls: (message, inputs) => ({
      ...message,
      content: changeKind(partsOf(message), isCall, inputs, (part, input) =>
        part.providerOptions ? part : { ...part, input },
      ),
    }),
    maskText,
    append,
    withoutThinking,
    withMarkers,
    // Parts, not a string: providers that get messages without the SDK's conversion accept nothing else.
    note: (role, text) => ({ role, content: [{ type: 'text', text }] }),
    answer: (calls, text) => [{ role: 'tool', content: calls.map((call) => failedResult(call, text)) }],
    quote,
    tidy: (message, place) => (place ? undefined : tidyParts(message)),
    rename: (message, calls, results) => {
      const named = (part: AiSdkPart, id: string): AiSdkPart => ({ ...part, toolCallId: id });
      const parts = changeKind(partsOf(message), isCall, calls, named);
      return { ...message, content: changeKind(parts, resultsIn(message), results, named) };
    },
    validate: validateAiSdk,
    recognizes,
  };
  return dialect as unknown as Dialect<M>;
}

function read(message: AiSdkMessage, limits: Limits): Reading {
  const role = roleOf(message.role);
  const parts = partsOf(message);
  const weight = new Weight(limits, mediaOf);
  let words = false;
  let thinking = false;
  let firm = false;
  const calls: Call[] = [];
  const results: Result[] = [];
  for (const part of parts) {
    if (!isRecord(part)) continue; // for the rules to refuse
    const { toolCallId: id, toolName: name = '', input } = part;
    const type = String(part.type);
    addOptions(weight, part);
    if (type === 'tool-call') {
      weight.addCall(name, input);
      weight.rest(part, CALL);
      if (role === 'assistant' && !part.providerExecuted) calls.push({ id: String(id), name, input });
    } else if (type === 'tool-result') {
      const content = outputContent(part.output);
      // The result of a provider's tool is not sent as this text.
      if (role === 'assistant') weight.add(part.output?.value);
      else weight.addContent(content);
      weight.rest(part, RESULT);
      addOptions(weight, part.output);
      if (isResult(role, part, parts)) results.push({ id: String(id), content, error: isFailed(part.output) });
    } else if (!type.startsWith('tool-')) {
      thinking ||= isReasoning(part);
      words ||= isWords(part);
      firm ||= isCompaction(part);
      weight.add(part);
    }
  }
  weight.rest(message, RESULT);
  addOptions(weight, message);
  const joined = role === 'assistant' && awaitsProvider(parts);
  const markers = countMarkers(message);
  return weight.reading({ role, calls, results, words, thinking, markers, joined, firm });
}

/** A file or image with its tokens by formula, or the text that it is sent as; undefined for other parts. */
function mediaOf(part: Readonly<Record<string, unknown>>): Media | string | undefined {
  const type = String(part.type);
  if (!/^(?:reasoning-)?(?:image|file)/.test(type)) return undefined;
  const data = dataOf(part.image ?? part.data);
  if (isRecord(data) && typeof data.text === 'string') return data.text;
  const media = String(part.mediaType ?? type);
  const image = type.startsWith('image') || media.startsWith('image');
  return { tokens: fileTokens(media, isRecord(data) ? undefined : data), data, image };
}

/** Base64, a `data:` URL or the text record of a file; undefined if the data is elsewhere. */
function dataOf(data: unknown): unknown {
  const form = jsonForm(data);
  if (typeof form === 'string') return /^https?:/i.test(form) ? undefined : form;
  if (!isRecord(form) || form.type === 'text') return form;
  return typeof form.type === 'string' ? dataOf(form.data ?? form.url) : undefined;
}

/** What a provider gets besides the text, such as a document's title or encrypted reasoning; most options are markers. */
function addOptions(weight: Weight, owner: unknown): void {
  if (!isRecord(owner) || !isRecord(owner.providerOptions)) return;
  for (const own of Object.values(owner.providerOptions))
    if (isRecord(own)) weight.rest(own, owner.text ? SIGNATURE : NONE);
}

function roleOf(role: string): Reading['role'] {
  return role === 'system' || role === 'assistant' || role === 'tool' ? role : 'user';
}

/** Results of the provider's tools are in the assistant's message; only a denial is in a tool message. */
function isResult(role: string, { output }: AiSdkPart, parts: readonly AiSdkPart[]): boolean {
  if (role !== 'tool') return false;
  if (output?.type !== 'execution-denied') return true;
  const options = Object.values(output.providerOptions ?? {});
  return !options.some((own) => isRecord(own) && own.approvalId) && !parts.some((part) => part?.providerExecuted);
}

/** A list of items unchanged, an output of an unknown type as a list of one, any other as text. */
function outputContent(output: AiSdkOutput | undefined): string | readonly unknown[] {
  if (!isRecord(output)) return '';
  const { type, value, reason } = output;
  if (type === 'content' && Array.isArray(value)) return value;
  if (!KNOWN_OUTPUT.test(type)) return [output];
  if (typeof value === 'string' && type.endsWith('text')) return value;
  return (value === undefined ? reason : JSON.stringify(value)) ?? '';
}

function isFailed(output: AiSdkOutput | undefined): boolean {
  return isRecord(output) && /^e(?:rror-|xecution-denied)/.test(output.type);
}

/** True if the result of a provider's tool is in a later message. */
function awaitsProvider(parts: readonly AiSdkPart[]): boolean {
  const calls = parts.filter((part) => part?.type === 'tool-call' && part.providerExecuted);
  if (calls.length === 0) return false;
  const answered = new Set(parts.flatMap((part) => (part?.type === 'tool-result' ? part.toolCallId : [])));
  return calls.some(({ toolCallId: id }) => !answered.has(id));
}

function isCompaction({ kind = '', providerOptions = {} }: AiSdkPart): boolean {
  return (
    kind.endsWith('.compaction') ||
    Object.values(providerOptions).some((own) => isRecord(own) && own.type === 'compaction')
  );
}

/** Calls that the caller runs, and has to answer. */
function isCall({ type, providerExecuted }: AiSdkPart): boolean {
  return type === 'tool-call' && !providerExecuted;
}

/** True for the results of a message that `read` gives. */
function resultsIn(message: AiSdkMessage): (part: AiSdkPart) => boolean {
  return (part) => part.type === 'tool-result' && isResult(message.role, part, partsOf(message));
}

function maskedPart(part: AiSdkPart, value: string): AiSdkPart {
  return { ...part, output: { type: isFailed(part.output) ? 'error-text' : 'text', value } };
}

function maskText(message: AiSdkMessage, text: string): AiSdkMessage {
  const rest = partsOf(message).filter((part) => !isWords(part));
  if (message.role !== 'assistant') {
    if (rest.length > 0) return message;
    return { ...message, content: typeof message.content === 'string' ? text : [{ type: 'text', text }] };
  }
  const start = rest.findLastIndex(isReasoning) + 1;
  return { ...message, content: [...rest.slice(0, start), { type: 'text', text }, ...rest.slice(start)] };
}

/** A tool message has no text of its own, so the text follows that of its last result. */
function append(message: AiSdkMessage, text: string): AiSdkMessage | undefined {
  const parts = partsOf(message);
  if (message.role === 'user') return { ...message, content: [...parts, { type: 'text', text }] };
  const last = message.role === 'tool' ? parts.findLastIndex(({ type }) => type === 'tool-result') : -1;
  const output = last >= 0 && appendOutput(parts[last]?.output, text);
  if (!output) return undefined;
  return { ...message, content: parts.map((part, at) => (at === last ? { ...part, output } : part)) };
}

function appendOutput(output: AiSdkOutput | undefined, text: string): AiSdkOutput | undefined {
  const { type = '', value } = output ?? {};
  if (type === 'content' && Array.isArray(value)) return { ...output, type, value: [...value, { type: 'text', text }] };
  if (!/^(?:error-)?(?:text|json)$/.test(type)) return undefined;
  // Providers send JSON as its text.
  const before = typeof value === 'string' && type.endsWith('text') ? value : JSON.stringify(value);
  return { ...output, type: type.replace('json', 'text'), value: appendText(before ?? '', text) };
}

function withoutThinking(message: AiSdkMessage): AiSdkMessage | undefined {
  const kept = partsOf(message).filter((part) => !isReasoning(part) && !isBlank(part));
  return kept.length === 0 ? undefined : { ...message, content: kept.map(withoutItem) };
}

function isBlank({ type, text, providerOptions }: AiSdkPart): boolean {
  return type === 'text' && !/\S/.test(text ?? '') && !providerOptions;
}

/** A stored item that came with reasoning is refused without it; without its id, it is sent as a new one. */
function withoutItem(part: AiSdkPart): AiSdkPart {
  const { providerOptions } = part;
  if (!providerOptions || !Object.values(providerOptions).some((own) => isRecord(own) && 'itemId' in own)) return part;
  const options = Object.entries(providerOptions).map(([name, own]) => {
    const { itemId: _, ...rest } = own as AiSdkOptions;
    return [name, rest];
  });
  return { ...part, providerOptions: Object.fromEntries(options) };
}

function failedResult({ id, name }: Call, value: string): AiSdkPart {
  return { type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'error-text', value } };
}

function quote(message: AiSdkMessage, places: ReadonlySet<number>): AiSdkMessage[] {
  const quoted: AiSdkPart[] = [];
  const kept = mapKind(partsOf(message), resultsIn(message), (part, at) => {
    if (!places.has(at)) return part;
    const content = outputContent(part.output);
    const id = part.toolCallId;
    if (typeof content === 'string') quoted.push({ type: 'text', text: quotedResult(id, content) });
    else quoted.push(...quotedBlocks(id, content.map(userPart), 'text'));
    return [];
  });
  const said: AiSdkMessage = { role: 'user', content: quoted };
  return kept.length === 0 ? [said] : [{ ...message, content: kept }, said];
}

/** Only the assistant reasons. */
function tidyParts(message: AiSdkMessage): Tidied<AiSdkMessage> | undefined {
  const parts = partsOf(message).filter(isRecord) as readonly AiSdkPart[];
  if (message.role === 'assistant' || !parts.some(isReasoning)) return undefined;
  const kept = parts.filter((part) => !isReasoning(part));
  const content = kept.length > 0 ? kept : [{ type: 'text', text: EMPTY_MESSAGE }];
  return { messages: [{ ...message, content }], done: { 'bad-part': 'Removed the reasoning.' } };
}

/** An item of a result as a part of a user message; as JSON if there is no such part. */
function userPart(item: unknown): AiSdkPart {
  const { type, data, url, mediaType, ...rest } = isRecord(item) ? item : {};
  if (type === 'text' || type === 'file') return item as AiSdkPart;
  if (!data && !url) return { type: 'text', text: JSON.stringify(item) };
  const media = mediaType ?? (type === 'image-url' ? 'image' : 'application/octet-stream');
  return { ...rest, type: 'file', data: data ?? url, mediaType: String(media) };
}

function recognizes(message: unknown): boolean | undefined {
  if (!isRecord(message) || !/^(?:system|user|assistant|tool)$/.test(String(message.role))) return false;
  const { role, content, providerOptions, tool_calls: calls, tool_call_id: answered } = message;
  if (calls !== undefined || answered !== undefined) return false;
  if (providerOptions !== undefined) return true;
  if (typeof content === 'string') return role === 'tool' ? false : undefined;
  if (!Array.isArray(content)) return false;
  const own = ({ type, image, mediaType, providerOptions: options }: Readonly<Record<string, unknown>>): boolean =>
    OWN_PART.test(String(type)) || Boolean(options || (type === 'image' && image) || (type === 'file' && mediaType));
  if (content.some((part) => isRecord(part) && own(part))) return true;
  return role !== 'tool' && content.every((part) => isRecord(part) && part.type === 'text') ? undefined : false;
}
