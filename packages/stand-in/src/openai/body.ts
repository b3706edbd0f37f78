import { imageSize, openaiImageTokens, pdfTokens } from 'holdfast/rules';
import { hashOf, isJson, type Json, textOf } from '../json.ts';
import { type Marker, type Measured, type PromptPart, textFor } from '../measure.ts';
import type { OpenaiStandInModel } from '../models.ts';
import { Refusal } from '../refusal.ts';
import { askScript, type Reply } from '../reply.ts';
import type { Prompt, PromptTool } from '../script.ts';
import type { State } from '../state.ts';
import { type CacheUse, type OpenaiCacheOptions, useBreakpoints, useSteps } from './cache.ts';

/** A request that breaks no rule. */
export interface OpenaiRequest {
  readonly body: Json;
  readonly model: OpenaiStandInModel;
  readonly prompt: readonly Measured[];
}

/** The body as an object with known parameters, `vendor` those of other makers, and its model. Throws a Refusal. */
export function readOpenaiBody(
  value: unknown,
  known: string,
  state: State,
  vendor = '',
): Omit<OpenaiRequest, 'prompt'> {
  if (!isJson(value)) throw new Refusal(400, 'Invalid type for the request body: expected an object.');
  const asked = state.models.get(textOf(value.model));
  const names = asked?.api === 'openai' && asked.vendor ? `${known} ${vendor}` : known;
  const other = Object.keys(value).find((key) => !names.split(' ').includes(key));
  if (other !== undefined)
    throw new Refusal(400, `Unknown parameter: '${other}'.`, { param: other, code: 'unknown_parameter' });
  if (typeof value.model !== 'string') throw missing('model');
  const model = state.models.get(value.model);
  if (model?.api === 'openai') return { body: value, model };
  const text = `The model \`${value.model}\` does not exist or you do not have access to it.`;
  throw new Refusal(404, text, { code: 'model_not_found' });
}

/** A Refusal for a missing parameter. */
export function missing(param: string): Refusal {
  return new Refusal(400, `Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' });
}

/** An answer, and what it was billed. */
interface OpenaiAnswered extends CacheUse {
  readonly reply: Reply;
  readonly created: number;
}

/** Bills the prompt and asks the script; `most` is the request's own limit on output tokens. Throws a Refusal. */
export async function answerOpenai(
  request: OpenaiRequest,
  seen: Prompt,
  most: unknown,
  state: State,
): Promise<OpenaiAnswered> {
  const { body, model } = request;
  const now = state.now();
  const options = { ...cacheOptionsOf(body, model), now };
  const cache = (model.cache === 'steps' ? useSteps : useBreakpoints)(state.cache, request, options);
  const reply = await askScript(state, seen, request, { prefix: 'call_', thinks: model.reasoning, most });
  return { ...cache, reply, created: Math.floor(now / 1000) };
}

/** What a request says about caching, before GPT-5.6 and since. */
function cacheOptionsOf(body: Json, model: OpenaiStandInModel): Omit<OpenaiCacheOptions, 'now'> {
  const { prompt_cache_options: options, prompt_cache_retention: retention } = body;
  if (options !== undefined && model.cache === 'steps') {
    const text = "Unsupported parameter: 'prompt_cache_options' is not supported with this model.";
    throw new Refusal(400, text, { param: 'prompt_cache_options', code: 'unsupported_parameter' });
  }
  const { mode, ttl } = isJson(options) ? options : {};
  const old = retention === '24h' ? 86_400 : 600;
  return {
    mode: mode === 'explicit' ? 'explicit' : 'implicit',
    seconds: model.cache === 'steps' ? old : secondsOf(ttl),
    root: `${textOf(body.model)} ${textOf(body.prompt_cache_key)} `,
  };
}

function secondsOf(ttl: unknown): number {
  return ttl === '12h' ? 43_200 : 1800;
}

/** The parts of a message as parts of the prompt, the first behind `head`; plain text is one part. */
export function contentParts(head: string, content: unknown, body: Json, characters?: number): PromptPart[] {
  const options = isJson(body.prompt_cache_options) ? body.prompt_cache_options : {};
  const list = Array.isArray(content) ? content : content === null || content === undefined ? [] : [content];
  if (list.length === 0) return [{ text: head, last: true }];
  return list.map((part, at) => ({
    text: (at === 0 ? head : '\n') + partText(part, characters),
    marker: markerOf(part, options.ttl),
    last: at === list.length - 1,
  }));
}

function markerOf(part: unknown, ttl: unknown): Marker | undefined {
  if (!isJson(part) || !isJson(part.prompt_cache_breakpoint)) return undefined;
  return { seconds: secondsOf(part.prompt_cache_breakpoint.ttl ?? ttl) };
}

function partText(part: unknown, characters?: number): string {
  if (!isJson(part)) return typeof part === 'string' ? part : JSON.stringify(part);
  const { text, image_url: image, file, file_data, detail } = part;
  if (typeof text === 'string') return text;
  if (image !== undefined) {
    const { url, detail: inner } = isJson(image) ? image : { url: image, detail };
    return textFor(image, openaiImageTokens(imageSize(url), inner ?? detail), characters);
  }
  const data = isJson(file) ? file.file_data : file_data;
  if (part.type === 'file' || part.type === 'input_file') return textFor(part, pdfTokens(data), characters);
  return part.type === 'input_audio' ? hashOf(JSON.stringify(part)) : JSON.stringify(part);
}

/** A tool as a script sees it, from either API's shape. */
export function openaiTool(tool: Json): PromptTool {
  const { name, description, parameters } = isJson(tool.function) ? tool.function : tool;
  return { name: textOf(name), description: textOf(description), schema: isJson(parameters) ? parameters : {} };
}
