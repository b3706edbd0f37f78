import type { GeminiContent } from 'holdfast/rules';
import { jsonBody, NO_MODEL, type Serve } from '../exchange.ts';
import { isJson, type Json, listOf, textOf } from '../json.ts';
import { lastOf } from '../measure.ts';
import { useSteps } from '../openai/cache.ts';
import { Refusal } from '../refusal.ts';
import { askScript } from '../reply.ts';
import { type Prompt, type PromptMessage, type PromptTool, promptFor, wordsOf } from '../script.ts';
import { geminiAnswer, geminiEvents, geminiParts, geminiUsage } from './answer.ts';
import { type GeminiRequest, geminiModel, readGemini } from './body.ts';

/** How long a prefix stays in the implicit cache, in seconds: not documented. */
const SECONDS = 600;

/** `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent?alt=sse`. Throws a Refusal. */
export const generateContent: Serve = async (arrived, state, limitOf) => {
  const streams = arrived.path.endsWith(':streamGenerateContent');
  if (streams && arrived.query.get('alt') !== 'sse') throw new Refusal(400, 'The stand-in streams with alt=sse only.');
  const request = readGemini(arrived, state, jsonBody(arrived));
  const { body, id, model } = request;
  const input = lastOf(request.prompt).tokens;
  if (limitOf) readGemini(arrived, state, body, limitOf(input));
  const { cache_minimum: minimum } = model;
  const cached = { mode: 'implicit', seconds: SECONDS, root: `${id} `, minimum, now: state.now() } as const;
  const { use, commit } = useSteps(state.cache, request, cached);
  const config = isJson(body.generationConfig) ? body.generationConfig : {};
  const limits = { prefix: 'call_', thinks: true, most: config.maxOutputTokens };
  const reply = await askScript(state, promptOf(request), request, limits);
  const shown = isJson(config.thinkingConfig) && config.thinkingConfig.includeThoughts === true;
  const parts = geminiParts(reply, shown, model.signed, state);
  const usage = geminiUsage(input, reply, use.cached_tokens);
  const tail = { modelVersion: id, responseId: `stand-in-${state.count()}` };
  return {
    body: geminiAnswer(parts, reply, usage, tail),
    ...(streams && { events: geminiEvents(parts, reply, usage, tail) }),
    usage,
    begin: commit,
  };
};

/** `POST /v1beta/models/{model}:countTokens`. Throws a Refusal. */
export const countContent: Serve = (arrived, state) => {
  const value = jsonBody(arrived);
  const asked = isJson(value) ? (value.generateContentRequest ?? value) : value;
  const { prompt } = readGemini(arrived, state, asked, Number.POSITIVE_INFINITY);
  const totalTokens = lastOf(prompt).tokens;
  return { body: { totalTokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: totalTokens }], ...NO_MODEL } };
};

/** `GET /v1beta/models/{model}`. Throws a Refusal for an unknown id. */
export const readGeminiModel: Serve = (arrived, state) => {
  const { id, model } = geminiModel(arrived, state);
  return {
    body: {
      name: `models/${id}`,
      displayName: `${id} (stand-in)`,
      inputTokenLimit: model.announced ?? model.window,
      outputTokenLimit: model.max_output,
      supportedGenerationMethods: ['generateContent', 'countTokens'],
      ...NO_MODEL,
    },
  };
};

function promptOf({ body, id, contents }: GeminiRequest): Prompt {
  const { systemInstruction: system, tools } = body;
  const declared = listOf(tools).flatMap((tool) => listOf(tool.functionDeclarations));
  const words = isJson(system) ? wordsOf(system.parts) : '';
  const read = { body: { ...body, model: id }, messages: contents.map(neutral), tools: declared.map(geminiTool) };
  return promptFor({ api: 'gemini', system: words, ...read });
}

function neutral({ role, parts }: GeminiContent): PromptMessage {
  return {
    role: role === 'model' ? 'assistant' : 'user',
    text: wordsOf(parts.filter(({ thought }) => !thought)),
    calls: parts.flatMap(({ functionCall: call }) =>
      call ? [{ id: call.id ?? '', name: call.name, input: call.args ?? {} }] : [],
    ),
    results: parts.flatMap(({ functionResponse: result }) => {
      if (!result) return [];
      const { response = {} } = result;
      const [only, ...more] = Object.values(response);
      const text = typeof only === 'string' && more.length === 0 ? only : JSON.stringify(response);
      return [{ id: result.id ?? '', text, error: 'error' in response }];
    }),
  };
}

/** A tool as a script sees it: types in lower case, as in JSON schema. */
function geminiTool({ name, description, parameters, parametersJsonSchema: schema }: Json): PromptTool {
  const lowered: unknown = JSON.parse(
    JSON.stringify(schema ?? parameters ?? {}, (key, item: unknown) =>
      key === 'type' && typeof item === 'string' ? item.toLowerCase() : item,
    ),
  );
  return { name: textOf(name), description: textOf(description), schema: isJson(lowered) ? lowered : {} };
}
