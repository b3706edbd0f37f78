import type OpenAI from 'openai';
import type { ApiCall } from '../../../loop/api.ts';
import { errorInBody } from '../../../loop/body-error.ts';
import type { CallIds } from '../../../loop/received-call.ts';
import { argumentsOf, receivedCall } from '../../../loop/received-call.ts';
import { brokenBy, type Reader } from '../../../loop/stream.ts';
import { createArrivedItems, createRepeats } from './arrived.ts';
import { withoutLost } from './reasoning.ts';

type Item = OpenAI.Responses.ResponseInputItem;
type Output = OpenAI.Responses.ResponseOutputItem;
type StreamEvent = OpenAI.Responses.ResponseStreamEvent;

/** An answer of the Responses API as its events arrive. */
export type ResponsesReader = Reader<StreamEvent, Item>;

/** Ids for the calls of an answer, and the ids of the request's items. */
export interface ResponsesIds {
  readonly calls: CallIds;
  readonly items: ReadonlySet<unknown>;
}

/** A reader for one answer. Takes items when they are done: only then can their reasoning be sent back. */
export function createResponsesReader(onText: (text: string) => void, ids: ResponsesIds): ResponsesReader {
  const items = createArrivedItems();
  const isRepeated = createRepeats();
  let heard = '';
  let last: OpenAI.Responses.Response | undefined;
  let failure: unknown;

  /** Not every server announces each item, or repeats all at the end. */
  const arrived = (): readonly Output[] => {
    const done = items.all();
    if (done.length > 0 || !last) return done;
    if (last.output?.length) return last.output;
    return heard === '' ? [] : [messageOf(heard)];
  };

  const take = (event: StreamEvent): void => {
    switch (event.type) {
      case 'response.output_text.delta':
        if (isRepeated(event)) return;
        heard += event.delta;
        onText(event.delta);
        return;
      case 'response.output_item.done':
        items.done(event.item, event.output_index);
        return;
      case 'response.completed':
      case 'response.incomplete':
        failure ??= errorInBody(event.response);
        if (!failure) last ??= event.response;
        return;
      case 'response.failed':
        failure ??= errorInBody({ error: event.response.error ?? 'the response failed' });
        return;
      case 'error':
        failure ??= errorInBody(event);
    }
  };

  return {
    take,
    report: () => (last?.usage ? { usage: last.usage, model: last.model } : undefined),
    answer(cause) {
      const read = identified(sendable(arrived()), ids);
      const kept = read.map(({ item }) => item);
      const calls = read.flatMap(({ call }) => call ?? []);
      if (!last && calls.length === 0) throw brokenBy(failure ?? cause);
      if (heard === '') for (const text of kept.map(textOf)) if (text !== '') onText(text);
      const refused = kept.some(
        (item) => item.type === 'message' && item.content.some(({ type }) => type === 'refusal'),
      );
      return {
        messages: kept as Item[],
        text: kept.map(textOf).join(''),
        calls,
        stop: !last ? 'broken' : refused ? 'refusal' : stopOf(last, calls),
      };
    },
  };
}

function messageOf(text: string): Output {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', role: 'assistant', status: 'completed', content } as unknown as Output;
}

function stopOf(
  { status, incomplete_details: details }: OpenAI.Responses.Response,
  calls: readonly ApiCall[],
): 'end' | 'calls' | 'length' | 'refusal' {
  if (status === 'incomplete' && details?.reason === 'content_filter') return 'refusal';
  if (calls.length > 0) return 'calls';
  return status === 'incomplete' ? 'length' : 'end';
}

/** Drops calls that were cut off, and reasoning that nothing follows or that cannot be sent back. */
function sendable(items: readonly Output[]): Output[] {
  const whole = items.filter((item) => item.type !== 'function_call' || item.status !== 'incomplete');
  const readable = withoutLost(whole as Item[]);
  return readable.slice(0, readable.findLastIndex(({ type }) => type !== 'reasoning') + 1) as Output[];
}

interface ReadItem {
  readonly item: Output;
  readonly call?: ApiCall;
}

/** Gives each call a valid id, and drops an item's own id if another item has it. */
function identified(items: readonly Output[], ids: ResponsesIds): ReadItem[] {
  const taken = new Set(ids.items);
  return items.map((given) => {
    const read = readItem(given, ids);
    if (given.id === undefined || (isItemId(given) && taken.size < taken.add(given.id).size)) return read;
    const { id: _, ...rest } = read.item;
    return { ...read, item: rest as Output };
  });
}

/** An item in a form that can be sent back. */
function readItem(item: Output, ids: ResponsesIds): ReadItem {
  if (item.type === 'message') {
    const content = item.content.map((part) =>
      part.type === 'output_text' ? { ...part, text: part.text.toWellFormed() } : part,
    );
    return { item: { ...item, content } };
  }
  if (item.type !== 'function_call') return { item };
  const call = receivedCall(ids.calls, item.call_id, item.name, item.arguments);
  const { id: call_id, name } = call;
  return { item: { ...item, call_id, name, arguments: argumentsOf(call, item.arguments) }, call };
}

const PREFIXES: Readonly<Record<string, string>> = { message: 'msg', reasoning: 'rs', function_call: 'fc' };

function isItemId({ id = '', type }: Output): boolean {
  return id !== null && id.length <= 64 && id.startsWith(PREFIXES[type] ?? '');
}

function textOf(item: Output): string {
  if (item.type !== 'message') return '';
  return item.content.map((part) => (part.type === 'output_text' ? part.text : part.refusal)).join('');
}
