import type { Content, GenerateContentResponse, Part } from '@google/genai';
import { GEMINI_UNSIGNED } from 'holdfast/rules';
import type { ApiAnswer, ApiCall } from '../../loop/api.ts';
import { type CallIds, createRepeatCheck, receivedCall } from '../../loop/received-call.ts';
import { BrokenStream, brokenBy, type Reader } from '../../loop/stream.ts';

type Stop = ApiAnswer<unknown>['stop'];

/** An answer of generateContent as its chunks arrive. */
export type GeminiReader = Reader<GenerateContentResponse, Content>;

const STOPS: Readonly<Record<string, Stop>> = {
  STOP: 'end',
  MAX_TOKENS: 'length',
  SAFETY: 'refusal',
  RECITATION: 'refusal',
  LANGUAGE: 'refusal',
  BLOCKLIST: 'refusal',
  PROHIBITED_CONTENT: 'refusal',
  SPII: 'refusal',
};
/** The model failed to write a call: another attempt may succeed. */
const MALFORMED = /^(?:MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL)$/;

/** A reader for one answer. The finish reason marks its end. */
export function createGeminiReader(onText: (text: string) => void, callIds: CallIds): GeminiReader {
  const parts: Part[] = [];
  let reason: string | undefined;
  let blocked = false;
  let usage: unknown;
  let model: string | undefined;

  const take = (chunk: GenerateContentResponse): void => {
    usage = chunk.usageMetadata ?? usage;
    model = chunk.modelVersion ?? model;
    blocked ||= chunk.promptFeedback?.blockReason !== undefined;
    const [candidate] = chunk.candidates ?? [];
    for (const part of candidate?.content?.parts ?? []) {
      if (part.text && !part.thought) onText(part.text);
      add(parts, part);
    }
    reason = candidate?.finishReason ?? reason;
  };

  return {
    take,
    report: () => (usage ? { usage, ...(model === undefined ? {} : { model }) } : undefined),
    answer(cause) {
      const ended = blocked ? 'refusal' : reason === undefined ? 'broken' : (STOPS[reason] ?? 'end');
      const { content, calls } = gather(parts, callIds);
      if (ended === 'broken' && calls.length === 0) throw brokenBy(cause);
      if (reason !== undefined && MALFORMED.test(reason)) throw new BrokenStream(`the answer ended with ${reason}`);
      const text = content.map((part) => (part.thought ? '' : (part.text ?? ''))).join('');
      return {
        // Thoughts alone cannot be sent back.
        messages: content.every(({ thought }) => thought) ? [] : [{ role: 'model', parts: content }],
        text,
        calls,
        stop: ended === 'end' && calls.length > 0 ? 'calls' : ended,
      };
    },
  };
}

/** Adds a part; a text continues the one before it, up to a signature. */
function add(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  const continues =
    part.text !== undefined &&
    last?.text !== undefined &&
    !last.thoughtSignature &&
    !part.thoughtSignature &&
    Boolean(part.thought) === Boolean(last.thought);
  if (continues) parts[parts.length - 1] = { ...last, text: `${last.text}${part.text}` };
  else parts.push({ ...part });
}

/** The parts in a form that can be sent back, and their calls. */
function gather(parts: readonly Part[], callIds: CallIds): { content: Part[]; calls: ApiCall[] } {
  const content: Part[] = [];
  const calls: ApiCall[] = [];
  const isNew = createRepeatCheck();
  for (const part of parts) {
    const { text, functionCall: made, thoughtSignature: signature } = part;
    if (!made) {
      if (text !== '' || signature) content.push(text === undefined ? part : { ...part, text: text.toWellFormed() });
      continue;
    }
    if (!isNew(made.id, made.name, made.args)) continue;
    const call = receivedCall(callIds, made.id, made.name, made.args ?? {});
    const isAsMade = !call.broken && !call.mended && call.name === made.name;
    content.push({
      functionCall: { id: call.id, name: call.name, args: call.input as Record<string, unknown> },
      ...(signature ? { thoughtSignature: isAsMade ? signature : GEMINI_UNSIGNED } : {}),
    });
    calls.push(call);
  }
  return { content, calls };
}
