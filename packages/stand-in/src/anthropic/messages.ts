import type { AnthropicMessage } from 'holdfast/rules';
import { type Arrived, jsonBody } from '../http.ts';
import { isJson, listOf, textOf } from '../json.ts';
import { NO_MODEL, type Outcome } from '../outcome.ts';
import { Refusal } from '../refusal.ts';
import { completeReply } from '../reply.ts';
import { type Prompt, type PromptMessage, promptFor, wordsOf } from '../script.ts';
import type { State } from '../state.ts';
import { anthropicAnswer, anthropicEvents } from './answer.ts';
import type { AnthropicBody } from './body.ts';
import { useAnthropicCache } from './cache.ts';
import { type AnthropicJudged, judgeAnthropic } from './judge.ts';
import { isLoaded, namesLoaded, placeBlocks } from './pieces.ts';
import { keyOf, signThinking } from './thinking.ts';
import { holdThread, resumeThread } from './threads.ts';

/** `POST /v1/messages`. Throws a Refusal. */
export async function createMessage(
  arrived: Arrived,
  state: State,
  tooLong?: { readonly limit?: number },
): Promise<Outcome> {
  const now = state.now();
  const judged = judge(arrived, state, false);
  const { body, model, prompt, transformations } = judged;
  const { tokens: input = 0, hash = '' } = prompt.at(-1) ?? {};
  if (tooLong) {
    const limit = tooLong.limit ?? Math.floor(input * 0.9);
    throw new Refusal(400, `prompt is too long: ${input} tokens > ${limit} maximum`, { rule: 'prompt-too-long' });
  }
  const cache = useAnthropicCache(state.cache, prompt, model.cache_minimum, now);
  const reply = completeReply(await state.script(promptOf(body)), {
    hash,
    prefix: 'toolu_',
    thinks: body.thinking?.type === 'enabled' || body.thinking?.type === 'adaptive',
    max_tokens: body.max_tokens,
    room: model.window - input,
    characters: model.characters,
  });
  const thinking = signAll(judged, reply.thinking, reply.redacted, state);
  const more = {
    ...(isJson(body.context_management) && { context_management: { applied_edits: [] } }),
    ...(transformations && { input_transformations: transformations }),
    ...NO_MODEL,
  };
  const id = `msg_stand_in_${state.count()}`;
  const answer = anthropicAnswer(id, body.model, thinking, reply, cache.use, more);
  return {
    body: answer,
    ...(body.stream && { events: anthropicEvents(answer) }),
    usage: answer.usage,
    begin() {
      cache.commit();
      holdThread(body, { id, content: answer.content }, state);
      const message = { role: 'assistant', content: answer.content };
      for (const { id, signature, data } of answer.content) {
        const key = id ?? signature ?? data;
        if (key !== undefined) state.answered.set(key, message);
      }
    },
  };
}

/** `POST /v1/messages/count_tokens`: the tokens that the same request is billed for. Throws a Refusal. */
export function countMessage(arrived: Arrived, state: State): Outcome {
  const { prompt } = judge(arrived, state, true);
  return { body: { input_tokens: prompt.at(-1)?.tokens ?? 0 } };
}

function judge(arrived: Arrived, state: State, counts: boolean): AnthropicJudged {
  if (!arrived.header('anthropic-version')) throw new Refusal(400, 'anthropic-version: header is required');
  const betas = (arrived.header('anthropic-beta') ?? '').split(',').map((one) => one.trim());
  const named = betas.filter((one) => one !== '');
  const value = counts ? jsonBody(arrived) : resumeThread(jsonBody(arrived), named, state);
  return judgeAnthropic(value, Buffer.byteLength(arrived.body), named, counts, state);
}

/** Signs each block after the one before. If thinking is not to be shown, only its signature is sent. */
function signAll({ body, prefix }: AnthropicJudged, texts: readonly string[], redacted: boolean, state: State) {
  const omitted = body.thinking?.display === 'omitted';
  let before = prefix;
  return texts.map((text) => {
    const block = signThinking(omitted ? '' : text, redacted, before, state);
    before = { ...before, thinking: keyOf(block) };
    return block;
  });
}

function promptOf(body: AnthropicBody): Prompt {
  // A model sees a deferred tool only once a reference has loaded it.
  const found = new Set(placeBlocks(body.messages).flatMap(({ block }) => namesLoaded(block)));
  const visible = body.tools.filter((tool) => isLoaded(tool) || found.has(textOf(tool.name)));
  const tools = visible.map(({ name = '', description, input_schema: schema }) => ({
    name,
    description: textOf(description),
    schema: isJson(schema) ? schema : {},
  }));
  return promptFor('anthropic', body, wordsOf(body.system), body.messages.map(neutral), tools);
}

function neutral({ role, content }: AnthropicMessage): PromptMessage {
  const blocks = typeof content === 'string' ? [] : listOf(content);
  return {
    role: role === 'assistant' || role === 'system' ? role : 'user',
    text: wordsOf(content),
    calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id: textOf(id), name: textOf(name), input })),
    results: blocks
      .filter(({ type }) => type === 'tool_result')
      .map(({ tool_use_id: id, content, is_error: error }) => ({
        id: textOf(id),
        text: wordsOf(content),
        error: error === true,
      })),
  };
}
