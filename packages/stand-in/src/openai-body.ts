import { imageSize, openaiImageTokens, pdfTokens } from 'holdfast/rules';
import type { OpenaiCacheOptions } from './cache/openai-cache.ts';
import { hashOf, isJson, type Json, listOf, textOf } from './json.ts';
import { type Marker, type Piece, textFor } from './measure.ts';
import type { OpenaiStandInModel } from './models.ts';
import { Refusal } from './refusal.ts';
import type { PromptTool } from './script.ts';
import type { State } from './state.ts';

/** The model of a body of OpenAI's. Throws a Refusal if there is none of that name. */
export function openaiModel(name: unknown, state: State): OpenaiStandInModel {
  if (typeof name !== 'string') throw missing('model');
  const model = state.models.get(name);
  if (model?.api === 'openai') return model;
  const text = `The model \`${name}\` does not exist or you do not have access to it.`;
  throw new Refusal(404, text, { code: 'model_not_found' });
}

/** A Refusal for a parameter that is not there. */
export function missing(param: string): Refusal {
  return new Refusal(400, `Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' });
}

/** Checks that there are no other parameters. Throws a Refusal. */
export function checkParameters(body: Json, known: readonly string[]): void {
  const other = Object.keys(body).find((key) => !known.includes(key));
  if (other === undefined) return;
  throw new Refusal(400, `Unknown parameter: '${other}'.`, { param: other, code: 'unknown_parameter' });
}

/** What a request says about caching, from GPT-5.6 on and before. */
export function cacheOptionsOf(body: Json, model: OpenaiStandInModel): OpenaiCacheOptions {
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

/** The parts of a message as pieces of the prompt; a text alone is one part. `head` stands before the first. */
export function contentPieces(head: string, content: unknown, body: Json, characters?: number): Piece[] {
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

/** The words in a content. */
export function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map(({ text, refusal }) => textOf(text) || textOf(refusal))
    .filter((text) => text !== '')
    .join('\n');
}

/** A tool as a script sees it, from either of the two shapes. */
export function openaiTool(tool: Json): PromptTool {
  const { name, description, parameters } = isJson(tool.function) ? tool.function : tool;
  return { name: textOf(name), description: textOf(description), schema: isJson(parameters) ? parameters : {} };
}
