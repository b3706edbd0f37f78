import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StandIn } from '@holdfast/stand-in';
import { onTestFinished } from 'vitest';
import type { ApiUnderTest } from './apis.ts';

/** A custom server, for cases in which the stand-in is too well behaved; `bodies` has the requests for an answer. */
export interface OwnServer extends StandIn {
  readonly bodies: readonly Record<string, unknown>[];
}

type Handler = (nth: number, response: ServerResponse, request: IncomingMessage) => void;

/** Answers the nth request (from 1) by this; questions for models are not known to it. Goes when the test does. */
export async function ownServer(answer: Handler): Promise<OwnServer> {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return void response.writeHead(404).end('{}');
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    if (!/count|input_tokens/.test(request.url ?? '')) bodies.push(JSON.parse(text));
    answer(bodies.length, response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies } as unknown as OwnServer;
}

/** Sends events as a stream. */
export function stream(response: ServerResponse, events: readonly object[], done = false): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const name = 'type' in event ? `event: ${event.type}\n` : '';
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end(done ? 'data: [DONE]\n\n' : '');
}

/** A call of an answer, its arguments as they are written. */
export interface SaidCall {
  readonly name: string;
  readonly json: string;
}

/** An answer of the API with this text and these calls, that ends for this reason. */
export function answerWith(
  { name }: Pick<ApiUnderTest, 'name'>,
  response: ServerResponse,
  answer: { readonly text?: string; readonly calls?: readonly SaidCall[]; readonly stop: string },
): void {
  const { text, calls = [], stop } = answer;
  if (name === 'openai-chat') {
    const tool_calls = calls.map((call, index) => ({
      index,
      id: `call_${index}`,
      type: 'function',
      function: { name: call.name, arguments: call.json },
    }));
    const delta = { role: 'assistant', content: text ?? '', ...(calls.length > 0 ? { tool_calls } : {}) };
    const chunk = { id: 'c', object: 'chat.completion.chunk', model: 'm' };
    stream(response, [{ ...chunk, choices: [{ index: 0, delta, finish_reason: stop }] }], true);
  } else if (name === 'gemini') {
    const parts = [
      ...(text === undefined ? [] : [{ text }]),
      ...calls.map((call) => ({ functionCall: { name: call.name, args: JSON_MARK + call.json } })),
    ];
    const chunk = { candidates: [{ content: { role: 'model', parts }, finishReason: stop }], modelVersion: 'm' };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // Arguments as they are written; as text if they are not JSON.
    const raw = JSON.stringify(chunk).replace(MARKED, (marked) =>
      argumentsIn(JSON.parse(marked).slice(JSON_MARK.length)),
    );
    response.end(`data: ${raw}\n\n`);
  } else if (name === 'anthropic') {
    const blocks = [
      ...(text === undefined ? [] : [textBlock(text)]),
      ...calls.map((call, at) => toolBlock('tool_use', `toolu_${at}`, call)),
    ];
    stream(response, messageEvents(blocks, stop));
  } else {
    const output = [
      ...(text === undefined ? [] : [{ type: 'message', ...WHOLE, content: [{ type: 'output_text', text }] }]),
      ...calls.map((call, at) => ({
        type: 'function_call',
        ...WHOLE,
        call_id: `call_${at}`,
        name: call.name,
        arguments: call.json,
      })),
    ];
    const done = output.map((item) => ({ type: 'response.output_item.done', item }));
    const status = stop === 'completed' ? { status: 'completed' } : { status: 'incomplete' };
    const last = { ...status, model: 'm', output, incomplete_details: { reason: stop } };
    stream(response, [...done, { type: `response.${status.status}`, response: last }]);
  }
}

function argumentsIn(json: string): string {
  try {
    JSON.parse(json);
    return json;
  } catch {
    return JSON.stringify(json);
  }
}

const JSON_MARK = 'json:';
const MARKED = /"json:(?:[^"\\]|\\.)*"/g;
const WHOLE = { role: 'assistant', status: 'completed' };

/** How each API says that an answer is refused, and that it ended with calls. */
export const STOPS = {
  anthropic: { refusal: 'refusal', calls: 'tool_use', end: 'end_turn' },
  'openai-chat': { refusal: 'content_filter', calls: 'tool_calls', end: 'stop' },
  'openai-responses': { refusal: 'content_filter', calls: 'completed', end: 'completed' },
  gemini: { refusal: 'SAFETY', calls: 'STOP', end: 'STOP' },
} as const;

/** A block of the Messages API: how it begins, and what is added. */
interface Block {
  readonly start: object;
  readonly delta?: object;
}

export const textBlock = (text: string): Block => ({
  start: { type: 'text', text: '' },
  delta: { type: 'text_delta', text },
});

export const toolBlock = (type: string, id: string, { name, json }: SaidCall): Block => ({
  start: { type, id, name, input: {} },
  ...(json === '' ? {} : { delta: { type: 'input_json_delta', partial_json: json } }),
});

/** The events of an answer of the Messages API, of a server that counts nothing. `stops`: each block is said to be done. */
export function messageEvents(blocks: readonly Block[], stop_reason: string, stops = true): object[] {
  const said = blocks.flatMap(({ start, delta }, index) => [
    { type: 'content_block_start', index, content_block: start },
    ...(delta ? [{ type: 'content_block_delta', index, delta }] : []),
    ...(stops ? [{ type: 'content_block_stop', index }] : []),
  ]);
  return [
    { type: 'message_start', message: { id: 'msg_1', role: 'assistant', model: 'm', content: [] } },
    ...said,
    { type: 'message_delta', delta: { stop_reason } },
    { type: 'message_stop' },
  ];
}
