import type OpenAI from 'openai';
import type { ApiAnswer, ApiCall } from './api.ts';
import { brokenBy, parsedInput } from './stream.ts';

type Item = OpenAI.Responses.ResponseInputItem;
type Output = OpenAI.Responses.ResponseOutputItem;
type StreamEvent = OpenAI.Responses.ResponseStreamEvent;

/** An answer of the Responses API as its events arrive. */
export interface ResponsesReader {
  take(event: StreamEvent): void;
  /** What arrived. Throws what broke the stream, `cause` if that is known, unless a call was complete by then. */
  answer(cause: unknown): ApiAnswer<Item>;
}

/** A reader for one answer. Items are taken whole, when they are done: only then is their reasoning readable again. */
export function createResponsesReader(onText: (text: string) => void): ResponsesReader {
  const items: Output[] = [];
  let last: OpenAI.Responses.Response | undefined;
  let failure: unknown;

  const take = (event: StreamEvent): void => {
    switch (event.type) {
      case 'response.output_text.delta':
        onText(event.delta);
        return;
      case 'response.output_item.done':
        items.push(event.item);
        return;
      case 'response.completed':
      case 'response.incomplete':
        last = event.response;
        return;
      case 'response.failed':
        failure = Object.assign(new Error('the response failed'), { error: event.response.error ?? {} });
    }
  };

  return {
    take,
    answer(cause) {
      const kept = sendable(items);
      const calls = kept.flatMap(callOf);
      if (!last && calls.length === 0) throw brokenBy(failure ?? cause);
      const refused = kept.some(
        (item) => item.type === 'message' && item.content.some(({ type }) => type === 'refusal'),
      );
      return {
        messages: kept as Item[],
        text: kept.map(textOf).join(''),
        calls,
        ...(last?.usage ? { report: { usage: last.usage, model: last.model } } : {}),
        stop: !last ? 'broken' : calls.length > 0 ? 'calls' : refused ? 'refusal' : stopOf(last),
      };
    },
  };
}

function stopOf({ status, incomplete_details: details }: OpenAI.Responses.Response): 'end' | 'length' | 'refusal' {
  if (status !== 'incomplete') return 'end';
  return details?.reason === 'content_filter' ? 'refusal' : 'length';
}

/** Without calls that were cut off, and without reasoning that nothing follows. */
function sendable(items: readonly Output[]): Output[] {
  const whole = items.filter((item) => item.type !== 'function_call' || item.status !== 'incomplete');
  return whole.filter((item, at) => item.type !== 'reasoning' || whole[at + 1] !== undefined);
}

function callOf(item: Output): ApiCall[] {
  if (item.type !== 'function_call') return [];
  const input = parsedInput(item.arguments);
  return [{ id: item.call_id, name: item.name, input: input ?? {}, ...(input === undefined ? { broken: true } : {}) }];
}

function textOf(item: Output): string {
  if (item.type !== 'message') return '';
  return item.content.map((part) => (part.type === 'output_text' ? part.text : part.refusal)).join('');
}
