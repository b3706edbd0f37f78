import { isReplaceable } from '../../content/blocks.ts';
import { quotedBlocks, quotedResult } from '../../content/quoted-result.ts';
import { appendText, contentText, saidText } from '../../content/text.ts';
import type { Call, Dialect, Limits, Reading, Result, Tidied } from '../../dialect.ts';
import { isRecord } from '../../json/record.ts';
import { hashValue } from '../../json/same-value.ts';
import { audioTokens, imageSize, type Media, openaiImageTokens, pdfTokens } from '../../size/media.ts';
import { Weight } from '../../size/weight.ts';
import { countMarkers, withMarkers } from '../markers.ts';
import { brokenBy, ID_LENGTH, isTextPart, refusedFor, validateOpenaiChat } from './rules.ts';
import type { OpenaiChatMessage } from './wire.ts';

/** Shared by all messages without calls or results. */
const NONE: readonly never[] = [];

/** Fields that are counted separately. */
const MESSAGE: ReadonlySet<string> = new Set(['content', 'tool_calls', 'function_call']);
const CALL: ReadonlySet<string> = new Set(['function', 'custom']);

const OWN_PART = /^(?:image_url|input_audio|file|refusal)$/;

/** What OpenAI is known to accept; not verified, and compatible servers may accept less. */
export const OPENAI_LIMITS: Limits = { bytes: 50_000_000, images: 500 };

/**
 * The OpenAI Chat Completions format, which many servers share. `strict` adds rules that only OpenAI's own API has: ids of
 * at most 40 characters, and results that are text.
 */
export function openaiChat<M = OpenaiChatMessage>(
  options: { readonly strict?: boolean; readonly limits?: Limits } = {},
): Dialect<M> {
  const { strict = false } = options;
  const limits = { ...OPENAI_LIMITS, ...options.limits };
  const dialect: Dialect<OpenaiChatMessage> = {
    name: 'openai-chat',
    thinking: 'free',
    uniqueCallIds: false,
    resultsTogether: false,
    splitResponses: false,
    systemInside: 'anywhere',
    limits,
    read: (message) => read(message, limits),
    text: (message) => contentText(message.content ?? message.refusal),
    said: (message) => saidText(message.content ?? message.refusal),
    maskResults: (message, texts) => {
      const text = texts.get(0);
      return text === undefined ? message : { ...message, content: text };
    },
    maskCalls,
    maskText: (message, text) => (isReplaceable(message.content ?? '') ? { ...message, content: text } : message),
    append,
    withoutThinking: (message) => message,
    withMarkers,
    note: (role, text) => ({ role, content: text }),
    answer: (calls, text) =>
      calls.map(({ id, name }) =>
        id === olderId(name)
          ? { role: 'function', name, content: text }
          : { role: 'tool', tool_call_id: id, content: text },
      ),
    quote: ({ content, tool_call_id: id, name }) => [{ role: 'user', content: quotedContent(id ?? name, content) }],
    tidy: (message, place) => (place === undefined ? tidy(message, strict) : undefined),
    rename,
    validate: (messages) => validateOpenaiChat(messages, strict),
    recognizes,
  };
  return dialect as unknown as Dialect<M>;
}

function read(message: OpenaiChatMessage, limits: Limits): Reading {
  const { role, content } = message;
  const calls = role === 'assistant' ? callsOf(message) : NONE;
  const results = resultsOf(message);
  const weight = new Weight(limits, mediaOf);
  weight.addContent(content);
  weight.chars += 20 * calls.length;
  for (const { name, input } of calls) weight.addCall(name, input);
  if (Array.isArray(message.tool_calls))
    for (const call of message.tool_calls) if (isRecord(call)) weight.rest(call, CALL);
  // Servers accept back other fields of their answers: reasoning in many forms, refusals, and more.
  weight.rest(message, MESSAGE);
  const words = results.length === 0 && Boolean(content?.length || message.refusal);
  return weight.reading({ role: roleOf(role), calls, results, words, markers: countMarkers(content) });
}

function append(message: OpenaiChatMessage, text: string): OpenaiChatMessage | undefined {
  const { role, content } = message;
  if (!/^(?:user|tool|function)$/.test(role)) return undefined;
  if (Array.isArray(content)) return { ...message, content: [...content, { type: 'text', text }] };
  return { ...message, content: appendText(contentText(content), text) };
}

/** Calls of either kind; the older kind has no id, so the function's name is used. */
function callsOf({ tool_calls: calls, function_call: older }: OpenaiChatMessage): readonly Call[] {
  const list = Array.isArray(calls) ? calls.map(readCall) : NONE;
  return isRecord(older) ? [...list, { ...readCall({ function: older }), id: olderId(older.name) }] : list;
}

function tidy(message: OpenaiChatMessage, strict: boolean): Tidied<OpenaiChatMessage> | undefined {
  if (brokenBy(message) === 'null-content')
    return { messages: [{ ...message, content: '' }], done: { 'null-content': 'Set the content to an empty string.' } };
  const done: Record<string, string> = {};
  const messages = strict ? tidyStrict(message, done) : [];
  return messages.length > 0 ? { messages, done } : undefined;
}

function tidyStrict(given: OpenaiChatMessage, done: Record<string, string>): readonly OpenaiChatMessage[] {
  let message = given;
  if (refusedFor(message) === 'long-call-id') {
    done['long-call-id'] = 'Shortened the id in the call and its result.';
    const ids = (list: readonly string[]) => new Map(list.map((id, at) => [at, shortId(id)]));
    const { tool_calls: calls, tool_call_id: id } = message;
    message = rename(message, ids(calls?.map((call) => call.id) ?? []), ids(id === undefined ? [] : [id]));
  }
  if (refusedFor(message) !== 'result-content') return message === given ? NONE : [message];
  done['result-content'] = 'Moved everything except its text into a user message.';
  const parts = message.content as readonly unknown[];
  const text = { type: 'text', text: quotedResult(message.tool_call_id, '') };
  const rest = parts.filter((part) => !isTextPart(part));
  return [
    { ...message, content: parts.length === rest.length ? '' : parts.filter(isTextPart) },
    { role: 'user', content: [text, ...rest] },
  ];
}

/** A shorter id of at most `most` characters, the same for the same id. Pure. */
export function shortId(id: string, most = ID_LENGTH): string {
  return id.length > most ? `${id.slice(0, most - 17)}_${hashValue(id)}` : id;
}

function olderId(name: unknown): string {
  return `function ${String(name)}`;
}

/** Calls of other providers may be signed, in `extra_content`. */
function maskCalls(message: OpenaiChatMessage, inputs: ReadonlyMap<number, unknown>): OpenaiChatMessage {
  const { tool_calls: list } = message;
  const masked = list?.map((call, at) => {
    const input = inputs.get(at);
    if (input === undefined || 'extra_content' in call) return call;
    if (isRecord(call.function)) return { ...call, function: { ...call.function, arguments: input } };
    return isRecord(call.custom) ? { ...call, custom: { ...call.custom, input } } : call;
  });
  return masked ? ({ ...message, tool_calls: masked } as OpenaiChatMessage) : message;
}

function rename(
  message: OpenaiChatMessage,
  calls: ReadonlyMap<number, string>,
  results: ReadonlyMap<number, string>,
): OpenaiChatMessage {
  const { tool_calls: list } = message;
  const renamed = list?.map((call, at) => ({ ...call, id: calls.get(at) ?? call.id }));
  const id = results.get(0);
  return { ...message, ...(renamed ? { tool_calls: renamed } : {}), ...(id === undefined ? {} : { tool_call_id: id }) };
}

function resultsOf(message: OpenaiChatMessage): readonly Result[] {
  const { role, content } = message;
  if (role === 'tool') return [{ id: String(message.tool_call_id), content, error: false }];
  return role === 'function' ? [{ id: olderId(message.name), content, error: false }] : NONE;
}

function quotedContent(id: unknown, content: OpenaiChatMessage['content']): string | readonly unknown[] {
  return Array.isArray(content) ? quotedBlocks(id, content, 'text') : quotedResult(id, contentText(content));
}

function roleOf(role: string): Reading['role'] {
  if (role === 'tool' || role === 'function') return 'tool';
  if (role === 'assistant') return role;
  return role === 'developer' || role === 'system' ? 'system' : 'user';
}

function readCall(call: unknown): Call {
  const record = isRecord(call) ? call : {};
  const body = isRecord(record.function) ? record.function : isRecord(record.custom) ? record.custom : {};
  return { id: String(record.id), name: String(body.name ?? ''), input: body.arguments ?? body.input };
}

function mediaOf({ image_url: image, file, input_audio: audio }: Readonly<Record<string, unknown>>): Media | undefined {
  if (image) {
    const { url, detail } = isRecord(image) ? image : { url: image };
    return { tokens: openaiImageTokens(imageSize(url), detail), data: url, image: true };
  }
  if (isRecord(file)) return { tokens: pdfTokens(file.file_data), data: file.file_data };
  return isRecord(audio) ? { tokens: audioTokens(audio.data), data: audio.data } : undefined;
}

function recognizes(message: unknown): boolean | undefined {
  if (!isRecord(message) || typeof message.role !== 'string') return false;
  if (message.role === 'tool' || message.tool_calls !== undefined) return true;
  // Gemini's messages have parts instead.
  if (!Array.isArray(message.content)) return message.content === undefined && message.parts ? false : undefined;
  const types = message.content.map((part) => (isRecord(part) ? String(part.type) : ''));
  if (types.some((type) => OWN_PART.test(type))) return message.type === undefined;
  return types.every((type) => type === 'text') ? undefined : false;
}
