import type { AnthropicMessage } from 'holdfast/rules';
import { NO_MODEL, type Serve } from '../exchange.ts';
import { isJson, listOf, textOf } from '../json.ts';
import { lastOf } from '../measure.ts';
import { Refusal } from '../refusal.ts';
import { askScript } from '../reply.ts';
import { type Prompt, type PromptMessage, promptFor, wordsOf } from '../script.ts';
import type { State } from '../state.ts';
import { anthropicAnswer, anthropicEvents } from './answer.ts';
import type { AnthropicBody } from './body.ts';
import { useAnthropicCache } from './cache.ts';
import { type AnthropicJudged, judgeAnthropic } from './judge.ts';
import { isLoaded, namesLoaded, placeBlocks } from './prompt.ts';
import { keyOf, signThinking } from './thinking.ts';
import { holdThread } from './threads.ts';

/** `POST /v1/messages`. Throws a Refusal. */
export const createMessage: Serve = async (arrived, state, limitOf) => {
  const now = state.now();
  const judged = judgeAnthropic(arrived, state, false);
  const { body, model, prompt, transformations } = judged;
  const { tokens: input } = lastOf(prompt);
  if (limitOf) {
    const text = `prompt is too long: ${input} tokens > ${limitOf(input)} maximum`;
    throw new Refusal(400, text, { rule: 'prompt-too-long' });
  }
  const cache = useAnthropicCache(state.cache, prompt, model.cache_minimum, now);
  const thinks = body.thinking?.type === 'enabled' || body.thinking?.type === 'adaptive';
  const limits = { prefix: 'toolu_', thinks, most: body.max_tokens, room: model.window - input };
  const reply = await askScript(state, promptOf(body), judged, limits);
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
      holdThread(body, id, answer.content, state);
      const message = { role: 'assistant', content: answer.content };
      for (const { id, signature, data } of answer.content) {
        const key = id ?? signature ?? data;
        if (key !== undefined) state.answered.set(key, message);
      }
    },
  };
};

/** `POST /v1/messages/count_tokens`: the tokens that the same request is billed for. Throws a Refusal. */
export const countMessage: Serve = (arrived, state) => ({
  body: { input_tokens: lastOf(judgeAnthropic(arrived, state, true).prompt).tokens },
});

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
  const messages = body.messages.map(neutral);
  return promptFor({ api: 'anthropic', body, system: wordsOf(body.system), messages, tools });
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
