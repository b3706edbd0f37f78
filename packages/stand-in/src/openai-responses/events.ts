import { type Json, listOf, textOf } from '../json.ts';
import type { StreamEvent } from '../outcome.ts';
import { pieces } from '../reply.ts';

type Add = (type: string, fields: Json) => void;

/** A response as a stream: created, in progress, item by item, and how it ended. Pure. */
export function responseEvents(head: Json, answer: Json): StreamEvent[] {
  return events((add) => {
    begin(add, head);
    for (const [output_index, item] of listOf(answer.output).entries()) {
      const { content, summary, ...rest } = item;
      const empty = { ...(content !== undefined && { content: [] }), ...(summary !== undefined && { summary: [] }) };
      const { encrypted_content: _, ...bare } = rest;
      const open = {
        ...bare,
        ...empty,
        ...(item.type === 'function_call' && { arguments: '' }),
        status: 'in_progress',
      };
      add('response.output_item.added', { output_index, item: open });
      addInside(add, output_index, item);
      add('response.output_item.done', { output_index, item });
    }
    add(`response.${textOf(answer.status)}`, { response: answer });
  });
}

/** A stream that refuses the request: begun, and failed. Pure. */
export function failedEvents(
  head: Json,
  error: { message: string; code: string | null; param: string | null },
): StreamEvent[] {
  return events((add) => {
    begin(add, head);
    add('error', error);
    add('response.failed', { response: { ...head, status: 'failed', error } });
  });
}

/** The event for an error in the middle of a stream. */
export const RESPONSES_FAILURE: StreamEvent = {
  event: 'error',
  data: JSON.stringify({
    type: 'error',
    code: 'server_error',
    message: 'The server had an error while processing your request.',
    param: null,
    sequence_number: 0,
  }),
};

function events(fill: (add: Add) => void): StreamEvent[] {
  const list: StreamEvent[] = [];
  fill((type, fields) => {
    list.push({ event: type, data: JSON.stringify({ type, sequence_number: list.length, ...fields }) });
  });
  return list;
}

function begin(add: Add, head: Json): void {
  add('response.created', { response: head });
  add('response.in_progress', { response: head });
}

function addInside(add: Add, output_index: number, item: Json): void {
  const place = { item_id: item.id, output_index };
  if (item.type === 'function_call') {
    const whole = textOf(item.arguments);
    for (const delta of pieces(whole)) add('response.function_call_arguments.delta', { ...place, delta });
    add('response.function_call_arguments.done', { ...place, arguments: whole });
  }
  for (const [summary_index, part] of listOf(item.summary).entries()) {
    const at = { ...place, summary_index };
    const text = textOf(part.text);
    add('response.reasoning_summary_part.added', { ...at, part: { ...part, text: '' } });
    for (const delta of pieces(text)) add('response.reasoning_summary_text.delta', { ...at, delta });
    add('response.reasoning_summary_text.done', { ...at, text });
    add('response.reasoning_summary_part.done', { ...at, part });
  }
  for (const [content_index, part] of listOf(item.content).entries()) {
    const at = { ...place, content_index };
    const text = textOf(part.text);
    add('response.content_part.added', { ...at, part: { ...part, text: '' } });
    for (const delta of pieces(text)) add('response.output_text.delta', { ...at, delta, logprobs: [] });
    add('response.output_text.done', { ...at, text, logprobs: [] });
    add('response.content_part.done', { ...at, part });
  }
}
