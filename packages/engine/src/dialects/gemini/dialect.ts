import { isReplaceable } from '../../content/blocks.ts';
import { quotedResult } from '../../content/quoted-result.ts';
import { appendText, contentText, saidText } from '../../content/text.ts';
import type { Call, Dialect, Limits, Reading, Result } from '../../dialect.ts';
import { isRecord } from '../../json/record.ts';
import { audioTokens, fileTokens, geminiImageTokens, imageSize, type Media } from '../../size/media.ts';
import { Weight } from '../../size/weight.ts';
import { changeKind, withWords } from '../parts.ts';
import { validateGemini } from './rules.ts';
import { tidyGemini } from './tidy.ts';
import {
  type GeminiContent,
  type GeminiPart,
  type GeminiResponse,
  isCall,
  isModels,
  isResult,
  isWords,
  partsOf,
  unsigned,
} from './wire.ts';

/** Fields that are counted separately. */
const CONTENT: ReadonlySet<string> = new Set(['parts']);
const CALL: ReadonlySet<string> = new Set(['functionCall', 'functionResponse']);

/** Data inside of a request, as documented. */
const LIMITS: Limits = { bytes: 20_000_000, images: 900 };

/**
 * Gemini's generateContent: a list of contents. System instructions are outside of it. Thoughts are free: models take them
 * back or not, but the signatures of calls always stay, and with them the arguments of these calls.
 */
export function gemini<M = GeminiContent>(options: { readonly limits?: Limits } = {}): Dialect<M> {
  const limits = { ...LIMITS, ...options.limits };
  const dialect: Dialect<GeminiContent> = {
    name: 'gemini',
    thinking: 'free',
    uniqueCallIds: false,
    resultsTogether: true,
    splitResponses: false,
    systemInside: 'anywhere',
    limits,
    read: (content) => read(content, limits),
    text: (content) => contentText(partsOf(content).filter(isWords)),
    said: (content) => saidText(partsOf(content).filter(isWords)),
    maskResults: (content, texts) => ({ ...content, parts: changeKind(partsOf(content), isResult, texts, responding) }),
    maskCalls: (content, inputs) => ({
      ...content,
      parts: changeKind(partsOf(content), isCall, inputs, withArguments),
    }),
    maskText: (content, text) => {
      const parts = partsOf(content);
      return isReplaceable(parts.filter(isWords))
        ? { ...content, parts: withWords(parts, isWords, { text }) }
        : content;
    },
    append,
    withoutThinking(content) {
      const parts = partsOf(content).filter(({ thought }) => !thought);
      return parts.length === 0 ? undefined : { ...content, parts };
    },
    unsigned,
    withMarkers: (content) => content,
    note: (role, text) => ({ role: role === 'user' ? role : 'model', parts: [{ text }] }),
    answer,
    quote,
    tidy: tidyGemini,
    rename: (content, calls, results) => {
      const named = changeKind(partsOf(content), isCall, calls, (part, id) => withId(part, 'functionCall', id));
      const parts = changeKind(named, isResult, results, (part, id) => withId(part, 'functionResponse', id));
      return { ...content, parts };
    },
    validate: validateGemini,
    recognizes,
  };
  return dialect as unknown as Dialect<M>;
}

function read(content: GeminiContent, limits: Limits): Reading {
  const weight = new Weight(limits, mediaOf);
  const isModel = isModels(content);
  let words = false;
  let thinking = false;
  const calls: Call[] = [];
  const results: Result[] = [];
  const names = new Map<string, number>();
  for (const part of partsOf(content)) {
    if (!isRecord(part)) continue; // for the rules to refuse
    const { functionCall: call, functionResponse: result } = part as GeminiPart;
    const name = String((call ?? result)?.name);
    if (call) {
      if (isModel) calls.push({ id: idOf(call.id, name, names), name, input: call.args ?? {} });
      weight.addCall(name, call.args ?? {});
      weight.rest(part, CALL);
    } else if (result) {
      const text = responseText(result);
      const { parts = [] } = result;
      const shown = text === '' ? parts : [{ text }, ...parts];
      if (!isModel)
        results.push({
          id: idOf(result.id, name, names),
          content: parts.length > 0 ? shown : text,
          error: isFailed(result),
        });
      weight.chars += name.length + text.length;
      for (const file of parts) weight.add(file);
      weight.rest(part, CALL);
    } else {
      if ((part as GeminiPart).thought) thinking = true;
      else words = true;
      weight.add(part);
    }
  }
  weight.rest(content, CONTENT);
  const role = results.length > 0 ? 'tool' : isModel ? 'assistant' : 'user';
  return weight.reading({ role, calls, results, words, thinking });
}

/** Older models send no ids: calls and results of a turn then belong together by name and order. */
function idOf(id: string | undefined, name: string, names: Map<string, number>): string {
  const place = names.get(name) ?? 0;
  names.set(name, place + 1);
  return id || `#${place} ${name}`;
}

const MADE_ID = /^#\d+ /;

function withId(part: GeminiPart, field: 'functionCall' | 'functionResponse', id: string): GeminiPart {
  return { ...part, [field]: { ...part[field], id } };
}

function withArguments(part: GeminiPart, args: unknown): GeminiPart {
  return part.thoughtSignature ? part : ({ ...part, functionCall: { ...part.functionCall, args } } as GeminiPart);
}

function isFailed({ response }: GeminiResponse): boolean {
  return isRecord(response) && response.error !== undefined;
}

/** The only field of a response, if it is text: most clients send `{ output }`, `{ result }` or `{ error }`. */
function textField({ response }: GeminiResponse): string | undefined {
  const [field, ...more] = Object.keys(response ?? {});
  return field !== undefined && more.length === 0 && typeof response?.[field] === 'string' ? field : undefined;
}

/** The text of a response: its only text, or else all of it as JSON. */
function responseText(result: GeminiResponse): string {
  const { response = {} } = result;
  const field = textField(result);
  return field === undefined ? JSON.stringify(response) : String(response[field]);
}

/** A copy of the part with this text as its response, in the same field, without files. */
function responding({ functionResponse, ...part }: GeminiPart, text: string): GeminiPart {
  const { parts: _, ...result } = functionResponse as GeminiResponse;
  const field = textField(result) ?? (isFailed(result) ? 'error' : 'output');
  return { ...part, functionResponse: { ...result, response: { [field]: text } } };
}

function mediaOf({ inlineData, fileData }: Readonly<Record<string, unknown>>): Media | undefined {
  const held = inlineData ?? fileData;
  if (!isRecord(held)) return undefined;
  const { data } = held;
  const type = String(held.mimeType);
  if (type.startsWith('image')) return { tokens: geminiImageTokens(imageSize(data)), data, image: true };
  // 32 tokens a second, as documented.
  return { tokens: type.startsWith('audio') ? Math.ceil(audioTokens(data) * 3.2) : fileTokens(type, data), data };
}

/** After the user's words, or inside of the last result: newer models refuse text next to results. */
function append(content: GeminiContent, text: string): GeminiContent | undefined {
  if (isModels(content)) return undefined;
  const parts = partsOf(content);
  const last = parts.at(-1);
  if (!last?.functionResponse) return { ...content, parts: [...parts, { text }] };
  const { functionResponse: result } = last;
  const { functionResponse } = responding(last, appendText(responseText(result), text));
  const files = result.parts ? { parts: result.parts } : {};
  return {
    ...content,
    parts: [...parts.slice(0, -1), { ...last, functionResponse: { ...functionResponse, ...files } as GeminiResponse }],
  };
}

function answer(calls: readonly Call[], text: string, into?: GeminiContent): GeminiContent[] {
  const results = calls.map(({ id, name }) => ({
    functionResponse: { ...(MADE_ID.test(id) ? {} : { id }), name, response: { error: text } },
  }));
  const parts = partsOf(into);
  if (into && parts.some(isResult)) return [{ ...into, parts: [...results, ...parts] }];
  return [{ role: 'user', parts: results }, ...(into ? [into] : [])];
}

function quote(content: GeminiContent, places: ReadonlySet<number>): GeminiContent[] {
  let at = 0;
  const quoted: GeminiPart[] = [];
  const kept = partsOf(content).filter(({ functionResponse: result }) => {
    if (!result || !places.has(at++)) return true;
    const id = result.id ?? result.name;
    const text = responseText(result);
    quoted.push({ text: quotedResult(id, text) }, ...(result.parts ?? []));
    return false;
  });
  const said = { role: 'user', parts: quoted };
  return kept.length === 0 ? [said] : [{ ...content, parts: kept }, said];
}

function recognizes(content: unknown): boolean | undefined {
  if (!isRecord(content) || !Array.isArray(content.parts) || 'content' in content) return false;
  const { role, parts } = content;
  if (role === undefined ? parts.length === 0 : !/^(?:user|model|function)$/.test(String(role))) return false;
  // Messages of the AI SDK's interfaces have parts, too, each with a type.
  return parts.every((part) => isRecord(part) && part.type === undefined);
}
