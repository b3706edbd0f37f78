import type { OpenaiResponsesItem } from 'holdfast/rules';
import { useBreakpoints, useSteps } from '../cache/openai-cache.ts';
import type { TooLong } from '../faults/too-long.ts';
import { type Arrived, jsonBody } from '../http.ts';
import { isJson, type Json, textOf } from '../json.ts';
import { cacheOptionsOf } from '../openai-body.ts';
import type { Outcome } from '../outcome.ts';
import { Refusal } from '../refusal.ts';
import { completeReply } from '../reply.ts';
import type { State } from '../state.ts';
import { outputItems, responseAnswer, responseHead, responsesUsage } from './answer.ts';
import { failedEvents, responseEvents } from './events.ts';
import { judgeResponses, type ResponsesJudged } from './judge.ts';
import { responsesPrompt } from './prompt.ts';

/** `POST /v1/responses`. Throws a Refusal. */
export async function createResponse(arrived: Arrived, state: State, tooLong?: TooLong): Promise<Outcome> {
  const value = jsonBody(arrived);
  try {
    const judged = judgeResponses(value, state, ({ window }) => window);
    const input = judged.prompt.at(-1)?.tokens ?? 0;
    if (tooLong) judgeResponses(value, state, () => tooLong.limit ?? Math.floor(input * 0.9));
    return await answerResponse(judged, input, state);
  } catch (error) {
    const inStream = state.overflowInStream && isJson(value) && value.stream === true;
    if (!(inStream && error instanceof Refusal && error.code === 'context_length_exceeded')) throw error;
    const head = responseHead(`resp_stand_in_${state.count()}`, Math.floor(state.now() / 1000), value);
    return { body: {}, events: failedEvents(head, error), refusal: error };
  }
}

/** `POST /v1/responses/input_tokens`: what the same request is billed for. Throws a Refusal. */
export function countResponse(arrived: Arrived, state: State): Outcome {
  const { prompt } = judgeResponses(jsonBody(arrived), state);
  return { body: { object: 'response.input_tokens', input_tokens: prompt.at(-1)?.tokens ?? 0 } };
}

async function answerResponse(judged: ResponsesJudged, input: number, state: State): Promise<Outcome> {
  const { body, model, prompt } = judged;
  const now = state.now();
  const options = cacheOptionsOf(body, model);
  const cache =
    model.cache === 'steps'
      ? useSteps(state.cache, prompt, options, now, model.characters)
      : useBreakpoints(state.cache, prompt, options, now);
  const hash = prompt.at(-1)?.hash ?? '';
  const most = body.max_output_tokens;
  const reply = completeReply(await state.script(responsesPrompt(judged)), {
    hash,
    prefix: 'call_',
    thinks: model.reasoning,
    max_tokens: typeof most === 'number' ? most : model.max_output,
    room: model.max_output,
    characters: model.characters,
  });
  const summary = isJson(body.reasoning) && Boolean(body.reasoning.summary);
  const output = outputItems(reply, hash, summary, state);
  const id = `resp_stand_in_${state.count()}`;
  const head = responseHead(id, Math.floor(now / 1000), body);
  const usage = responsesUsage(input, reply, cache.use);
  const answer = responseAnswer(head, reply, output, usage);
  return {
    body: answer,
    ...(body.stream === true && { events: responseEvents(head, answer) }),
    usage,
    begin() {
      cache.commit();
      remember(id, judged, output, state);
    },
  };
}

/** Keeps which items belong to which reasoning, and the response itself unless the request says otherwise. */
function remember(id: string, { body, items }: ResponsesJudged, output: readonly Json[], state: State): void {
  const reasoning = output.find(({ type }) => type === 'reasoning');
  for (const item of output)
    if (reasoning && item !== reasoning) state.pairs.set(textOf(item.id), textOf(reasoning.id));
  if (body.store === false) return;
  const made: readonly OpenaiResponsesItem[] = output;
  for (const item of made) state.items.set(item.id ?? '', item);
  const calls = made.flatMap(({ type, call_id: call }) => (type === 'function_call' && call ? [call] : []));
  state.responses.set(id, { items: [...items, ...made], open_calls: calls });
}
