import type OpenAI from 'openai';
import type { ApiAnswer, ApiCall } from '../../../loop/api.ts';
import { errorInBody } from '../../../loop/body-error.ts';
import type { CallIds } from '../../../loop/received-call.ts';
import { argumentsOf, createRepeatCheck, receivedCall } from '../../../loop/received-call.ts';
import { brokenBy, NO_ROOM, noRoom, parsedInput, type Reader } from '../../../loop/stream.ts';

type Message = OpenAI.ChatCompletionMessageParam;
type Chunk = OpenAI.ChatCompletionChunk;
type Stop = ApiAnswer<unknown>['stop'];
type Sent = OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall;
/** As servers send it: not all send an index. */
type Delta = Omit<Sent, 'index'> & { readonly index?: number | null };

/** An answer of Chat Completions as its chunks arrive. */
export type ChatReader = Reader<Chunk, Message>;

const STOPS: Readonly<Record<string, Stop>> = {
  stop: 'end',
  tool_calls: 'calls',
  function_call: 'calls',
  length: 'length',
  content_filter: 'refusal',
  [NO_ROOM]: 'length',
};

interface Arriving {
  readonly index: number | undefined;
  id: string;
  name: string;
  json: string;
}

/** A reader for one answer. The client hides `[DONE]`, so the finish reason marks the end. */
export function createChatReader(onText: (text: string) => void, callIds: CallIds): ChatReader {
  const arriving: Arriving[] = [];
  let text = '';
  let refusal = '';
  let reason: string | undefined;
  let usage: unknown;
  let model: string | undefined;
  let failure: unknown;

  const take = (chunk: Chunk): void => {
    ({ model } = chunk);
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices ?? [];
    failure ??= failureIn(chunk, choice);
    if (failure) return;
    if (!choice?.delta) {
      reason = choice?.finish_reason ?? reason;
      return;
    }
    const { content, refusal: refused, tool_calls: calls } = choice.delta;
    if (content) {
      text += content;
      onText(content);
    }
    refusal += refused ?? '';
    for (const delta of calls ?? []) {
      const part = partOf(arriving, delta);
      if (isRepeat(delta, part)) continue;
      part.id ||= delta.id ?? '';
      part.name ||= delta.function?.name ?? '';
      part.json += delta.function?.arguments ?? '';
    }
    reason = choice.finish_reason ?? reason;
  };

  return {
    take,
    report: () => (usage ? { usage, ...(model === undefined ? {} : { model }) } : undefined),
    answer(cause) {
      // Some servers end an answer with calls with `stop`.
      const ended = reason === undefined ? 'broken' : (STOPS[reason] ?? 'end');
      const whole = ended === 'end' || ended === 'calls';
      const isNew = createRepeatCheck();
      const parts = arriving.filter(({ id, name, json }) => (whole || isWhole(json)) && isNew(id, name, json));
      if (reason === undefined && parts.length === 0) throw brokenBy(failure ?? cause);
      if (reason === NO_ROOM && text === '' && parts.length === 0) throw noRoom();
      const read = parts.map(({ id, name, json }) => ({ call: receivedCall(callIds, id, name, json), json }));
      const said = (text || refusal).toWellFormed();
      return {
        messages: messageOf(text.toWellFormed(), refusal.toWellFormed(), read),
        text: said,
        calls: read.map(({ call }) => call),
        stop: refusal !== '' ? 'refusal' : ended === 'end' && read.length > 0 ? 'calls' : ended,
      };
    },
  };
}

/** The error in a chunk: OpenRouter puts it into the choice, others send it instead of a chunk. */
function failureIn(
  chunk: Chunk,
  choice: (OpenAI.ChatCompletionChunk.Choice & { readonly error?: unknown }) | undefined,
): unknown {
  const reason: string | null | undefined = choice?.finish_reason;
  if (choice?.error || reason === 'error')
    return errorInBody({ error: choice?.error ?? 'the provider ended the answer with an error' });
  return errorInBody(chunk);
}

/** The start of a JSON object never parses, so arguments that parse are complete; empty ones are not. */
function isWhole(json: string): boolean {
  return json !== '' && parsedInput(json) !== undefined;
}

/** True for a complete call that is sent again: appending its arguments would break them. */
function isRepeat({ id, function: called }: Delta, part: Arriving): boolean {
  return id === part.id && called?.name === part.name && called.arguments === part.json && isWhole(part.json);
}

/**
 * The call that a delta continues, or a new one. Some servers send no `index`, or always the same: then a new id with a name
 * starts a call, and so does a name after complete arguments.
 */
function partOf(arriving: Arriving[], { index, id, function: called }: Delta): Arriving {
  const part = arriving.findLast((one) => one.index === (index ?? undefined));
  const isOther =
    part && called?.name && (id ? part.id !== '' && id !== part.id : typeof index !== 'number' && isWhole(part.json));
  if (part && !isOther) return part;
  const begun: Arriving = { index: index ?? undefined, id: '', name: '', json: '' };
  arriving.push(begun);
  return begun;
}

/** One message, however many calls it has; none if it is empty. */
function messageOf(text: string, refusal: string, read: readonly { call: ApiCall; json: string }[]): Message[] {
  if (text === '' && refusal === '' && read.length === 0) return [];
  const tool_calls = read.map(({ call, json }) => ({
    id: call.id,
    type: 'function' as const,
    function: { name: call.name, arguments: argumentsOf(call, json) },
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
