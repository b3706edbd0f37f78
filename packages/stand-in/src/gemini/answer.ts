import type { GeminiPart } from 'holdfast/rules';
import { NO_MODEL, type StreamEvent } from '../exchange.ts';
import type { Json } from '../json.ts';
import { type Reply, textChunks } from '../reply.ts';
import type { State } from '../state.ts';
import { signatureOf } from './signatures.ts';

const STOPS = {
  end: 'STOP',
  calls: 'STOP',
  length: 'MAX_TOKENS',
  window: 'MAX_TOKENS',
  refusal: 'SAFETY',
} as const satisfies Record<Reply['stop'], string>;

/** The event for an error in the middle of a stream. */
export const GEMINI_FAILURE: StreamEvent = {
  data: JSON.stringify({ error: { code: 500, message: 'An internal error has occurred.', status: 'INTERNAL' } }),
};

/** What every chunk of an answer, and its body, ends with. */
interface GeminiTail {
  readonly modelVersion: string;
  readonly responseId: string;
}

/** The usage of an answer: the prompt includes what was cached, the candidates exclude thoughts. Pure. */
export function geminiUsage(input: number, reply: Reply, cached: number): Json {
  const said = reply.tokens - reply.thinking_tokens;
  return {
    promptTokenCount: input,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    candidatesTokenCount: said,
    ...(reply.thinking_tokens > 0 && { thoughtsTokenCount: reply.thinking_tokens }),
    totalTokenCount: input + reply.tokens,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
  };
}

/** The parts of an answer, with thoughts if they are `shown`. `signed`: models give calls ids and sign the first, or else the text. */
export function geminiParts(reply: Reply, shown: boolean, signed: boolean, state: State): GeminiPart[] {
  const parts: GeminiPart[] = shown ? reply.thinking.map((text) => ({ text, thought: true })) : [];
  if (reply.text !== '' || reply.calls.length === 0) parts.push({ text: reply.text });
  for (const { id, name, input } of reply.calls)
    parts.push({ functionCall: { ...(signed && { id }), name, args: input as Record<string, unknown> } });
  const first = parts.findIndex((part) => part.functionCall);
  const at = first < 0 ? parts.length - 1 : first;
  const part = parts[at];
  return signed && part ? parts.with(at, { ...part, thoughtSignature: signatureOf(part, state) }) : parts;
}

/** The answer's body. Pure. */
export function geminiAnswer(parts: readonly GeminiPart[], reply: Reply, usage: Json, tail: GeminiTail): Json {
  return chunk(parts, tail, usage, STOPS[reply.stop]);
}

/** The same answer as a stream: text in chunks, calls whole, a signature of text in a part of its own. Pure. */
export function geminiEvents(parts: readonly GeminiPart[], reply: Reply, usage: Json, tail: GeminiTail): StreamEvent[] {
  const sent = parts.flatMap(({ text, thoughtSignature, ...part }): GeminiPart[] => {
    if (text === undefined) return [{ ...part, ...(thoughtSignature && { thoughtSignature }) }];
    const said = textChunks(text).map((chunk) => ({ ...part, text: chunk }));
    return thoughtSignature ? [...said, { text: '', thoughtSignature }] : said;
  });
  const last = sent.length - 1;
  const begun = { promptTokenCount: usage.promptTokenCount, totalTokenCount: usage.promptTokenCount };
  const chunks = sent.map((part, at) =>
    at === last ? chunk([part], tail, usage, STOPS[reply.stop]) : chunk([part], tail, begun),
  );
  return (chunks.length > 0 ? chunks : [chunk([], tail, usage, STOPS[reply.stop])]).map((data) => ({
    data: JSON.stringify(data),
  }));
}

function chunk(parts: readonly GeminiPart[], tail: GeminiTail, usageMetadata: Json, finishReason?: string): Json {
  const content = parts.length > 0 ? { parts, role: 'model' } : { role: 'model' };
  const candidate = { content, ...(finishReason && { finishReason }), index: 0 };
  return { candidates: [candidate], usageMetadata, ...tail, ...NO_MODEL };
}
