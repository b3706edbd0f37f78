import { useBreakpoints, useSteps } from '../cache/openai-cache.ts';
import type { TooLong } from '../faults/too-long.ts';
import { type Arrived, jsonBody } from '../http.ts';
import { isJson, textOf } from '../json.ts';
import { cacheOptionsOf } from '../openai-body.ts';
import type { Outcome } from '../outcome.ts';
import { completeReply } from '../reply.ts';
import type { State } from '../state.ts';
import { chatAnswer, chatEvents, chatUsage } from './answer.ts';
import { judgeChat } from './judge.ts';
import { chatPrompt } from './prompt.ts';

/** `POST /v1/chat/completions`. Throws a Refusal. */
export async function createCompletion(arrived: Arrived, state: State, tooLong?: TooLong): Promise<Outcome> {
  const now = state.now();
  const value = jsonBody(arrived);
  const judged = judgeChat(value, state);
  const { body, model, prompt } = judged;
  const input = prompt.at(-1)?.tokens ?? 0;
  if (tooLong) judgeChat(value, state, tooLong.limit ?? Math.floor(input * 0.9));
  const options = cacheOptionsOf(body, model);
  const cache =
    model.cache === 'steps'
      ? useSteps(state.cache, prompt, options, now, model.characters)
      : useBreakpoints(state.cache, prompt, options, now);
  const asked = body.max_completion_tokens ?? body.max_tokens;
  const reply = completeReply(await state.script(chatPrompt(judged)), {
    hash: prompt.at(-1)?.hash ?? '',
    prefix: 'call_',
    thinks: model.reasoning,
    max_tokens: typeof asked === 'number' ? asked : model.max_output,
    room: model.max_output,
    characters: model.characters,
  });
  const id = `chatcmpl-stand-in-${state.count()}`;
  const head = { id, created: Math.floor(now / 1000), model: textOf(body.model) };
  const usage = chatUsage(input, reply, cache.use);
  const streamed = isJson(body.stream_options) && body.stream_options.include_usage === true;
  return {
    body: chatAnswer(head, reply, usage),
    ...(body.stream === true && { events: chatEvents(head, reply, streamed ? usage : undefined) }),
    usage,
    begin: cache.commit,
  };
}
