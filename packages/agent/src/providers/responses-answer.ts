import type OpenAI from 'openai';
import type { ApiCall } from './api.ts';
import type { CallIds } from './call-ids.ts';
import { withoutLost } from './responses-reasoning.ts';
import { brokenBy, parsedInput, type Reader } from './stream.ts';

type Item = OpenAI.Responses.ResponseInputItem;
type Output = OpenAI.Responses.ResponseOutputItem;
type StreamEvent = OpenAI.Responses.ResponseStreamEvent;

/** An answer of the Responses API as its events arrive. */
export type ResponsesReader = Reader<StreamEvent, Item>;

/** Ids for the calls of an answer, and those of items that the request had. */
export interface ResponsesIds {
  readonly calls: CallIds;
  readonly items: ReadonlySet<unknown>;
}

/** A reader for one answer. Items are taken whole, when they are done: only then is their reasoning readable again. */
export function createResponsesReader(onText: (text: string) => void, ids: ResponsesIds): ResponsesReader {
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
    report: () => (last?.usage ? { usage: last.usage, model: last.model } : undefined),
    answer(cause) {
      const kept = identified(sendable(items), ids);
      const calls = kept.flatMap(callOf);
      if (!last && calls.length === 0) throw brokenBy(failure ?? cause);
      const refused = kept.some(
        (item) => item.type === 'message' && item.content.some(({ type }) => type === 'refusal'),
      );
      return {
        messages: kept as Item[],
        text: kept.map(textOf).join(''),
        calls,
        stop: !last ? 'broken' : calls.length > 0 ? 'calls' : refused ? 'refusal' : stopOf(last),
      };
    },
  };
}

function stopOf({ status, incomplete_details: details }: OpenAI.Responses.Response): 'end' | 'length' | 'refusal' {
  if (status !== 'incomplete') return 'end';
  return details?.reason === 'content_filter' ? 'refusal' : 'length';
}

/** Without calls that were cut off, and without reasoning that nothing follows or that cannot be read again. */
function sendable(items: readonly Output[]): Output[] {
  const whole = items.filter((item) => item.type !== 'function_call' || item.status !== 'incomplete');
  const readable = withoutLost(whole as Item[]);
  return readable.slice(0, readable.findLastIndex(({ type }) => type !== 'reasoning') + 1) as Output[];
}

/** With an id for each call by which it may go back, and without an item's own where another has it: it needs none. */
function identified(items: readonly Output[], ids: ResponsesIds): Output[] {
  const taken = new Set(ids.items);
  return items.map((item) => {
    const named = item.type === 'function_call' ? { ...item, call_id: ids.calls(item.call_id) } : item;
    if (item.id === undefined || (isItemId(item) && taken.size < taken.add(item.id).size)) return named;
    const { id: _, ...rest } = named;
    return rest as Output;
  });
}

const PREFIXES: Readonly<Record<string, string>> = { message: 'msg', reasoning: 'rs', function_call: 'fc' };

function isItemId({ id = '', type }: Output): boolean {
  return id !== null && id.length <= 64 && id.startsWith(PREFIXES[type] ?? '');
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
