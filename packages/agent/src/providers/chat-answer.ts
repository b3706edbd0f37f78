import { randomUUID } from 'node:crypto';
import type OpenAI from 'openai';
import type { ApiAnswer, ApiCall } from './api.ts';
import { brokenBy, parsedInput } from './stream.ts';

type Message = OpenAI.ChatCompletionMessageParam;
type Chunk = OpenAI.ChatCompletionChunk;
type Stop = ApiAnswer<unknown>['stop'];

/** An answer of Chat Completions as its chunks arrive. */
export interface ChatReader {
  take(chunk: Chunk): void;
  /** What arrived. Throws what broke the stream, `cause` if that is known, unless a call was complete by then. */
  answer(cause: unknown): ApiAnswer<Message>;
}

const STOPS: Readonly<Record<string, Stop>> = {
  stop: 'end',
  tool_calls: 'calls',
  function_call: 'calls',
  length: 'length',
  content_filter: 'refusal',
};

interface Arriving {
  id: string;
  name: string;
  json: string;
}

/** A reader for one answer. The client hides `[DONE]`: the reason that the answer ended for is what tells its end. */
export function createChatReader(onText: (text: string) => void): ChatReader {
  const arriving = new Map<number, Arriving>();
  let text = '';
  let refusal = '';
  let reason: string | undefined;
  let usage: unknown;
  let model: string | undefined;

  const take = (chunk: Chunk): void => {
    ({ model } = chunk);
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices;
    if (!choice) return;
    const { content, refusal: refused, tool_calls: calls = [] } = choice.delta;
    if (content) {
      text += content;
      onText(content);
    }
    refusal += refused ?? '';
    for (const { index, id, function: called } of calls) {
      const part = arriving.get(index) ?? { id: '', name: '', json: '' };
      arriving.set(index, {
        id: id || part.id,
        name: part.name || (called?.name ?? ''),
        json: part.json + (called?.arguments ?? ''),
      });
    }
    reason = choice.finish_reason ?? reason;
  };

  return {
    take,
    answer(cause) {
      // Some servers end an answer with calls by `stop`.
      const ended = reason === undefined ? 'broken' : (STOPS[reason] ?? 'end');
      const whole = ended === 'end' || ended === 'calls';
      const parts = [...arriving.values()].filter(({ json }) => whole || isWhole(json)).map(named);
      if (reason === undefined && parts.length === 0) throw brokenBy(cause);
      const calls = parts.map(callOf);
      return {
        messages: messageOf(text, refusal, parts),
        text: text || refusal,
        calls,
        ...(usage ? { report: { usage, ...(model === undefined ? {} : { model }) } } : {}),
        stop: ended === 'end' && calls.length > 0 ? 'calls' : refusal !== '' ? 'refusal' : ended,
      };
    },
  };
}

/** The beginning of an object is never one: what can be read is all of it. No arguments yet are not the end of them. */
function isWhole(json: string): boolean {
  return json !== '' && parsedInput(json) !== undefined;
}

/** Some servers give calls no id. */
function named(part: Arriving): Arriving {
  return part.id === '' ? { ...part, id: `call_${randomUUID().slice(0, 18)}` } : part;
}

function callOf({ id, name, json }: Arriving): ApiCall {
  const input = parsedInput(json);
  return { id, name, input: input ?? {}, ...(input === undefined ? { broken: true } : {}) };
}

/** One message, however many calls it holds; none if nothing was said. */
function messageOf(text: string, refusal: string, parts: readonly Arriving[]): Message[] {
  if (text === '' && refusal === '' && parts.length === 0) return [];
  const tool_calls = parts.map(({ id, name, json }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: json === '' ? '{}' : json },
  }));
  return [
    {
      role: 'assistant',
      content: text,
      ...(refusal === '' ? {} : { refusal }),
      ...(tool_calls.length === 0 ? {} : { tool_calls }),
    },
  ];
}
