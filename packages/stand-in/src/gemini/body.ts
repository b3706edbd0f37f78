import {
  type GeminiContent,
  type GeminiPart,
  geminiError,
  geminiImageTokens,
  imageSize,
  pdfTokens,
  validateGemini,
} from 'holdfast/rules';
import type { Arrived } from '../exchange.ts';
import { isJson, type Json, listOf, textOf } from '../json.ts';
import { lastOf, type Measured, measure, type PromptPart, textFor } from '../measure.ts';
import type { GeminiStandInModel } from '../models.ts';
import { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';
import { checkSignatures } from './signatures.ts';

/** A request that breaks no rule. */
export interface GeminiRequest {
  readonly body: Json;
  readonly id: string;
  readonly model: GeminiStandInModel;
  readonly contents: readonly GeminiContent[];
  readonly prompt: readonly Measured[];
}

/** The model that a path names, as in `/v1beta/models/ID:generateContent`. Throws a Refusal. */
export function geminiModel({ path }: Arrived, state: State): Pick<GeminiRequest, 'id' | 'model'> {
  const [, id = '', method = 'GetModel'] = /\/models\/([^/:]+)(?::(\w+))?$/.exec(decodeURIComponent(path)) ?? [];
  const model = state.models.get(id);
  if (model?.api === 'gemini') return { id, model };
  const text = `models/${id} is not found for API version v1beta, or is not supported for ${method}. Call ListModels to see the list of available models and their supported methods.`;
  throw new Refusal(404, text);
}

/** Checks a request against every rule of the API. Throws a Refusal for the first that is broken. */
export function readGemini(arrived: Arrived, state: State, value: unknown, limit?: number): GeminiRequest {
  const { id, model } = geminiModel(arrived, state);
  if (!isJson(value)) throw new Refusal(400, 'Invalid JSON payload received. Expected an object.');
  const contents = (Array.isArray(value.contents) ? value.contents : []) as readonly GeminiContent[];
  const prompt = measure('', geminiPrompt(value, contents, model), model.characters);
  const [violation] = validateGemini(contents, {
    body: value,
    signed: model.signed,
    input_tokens: lastOf(prompt).tokens,
    limit: limit ?? model.window,
  });
  if (violation) throw new Refusal(400, geminiError(violation).message, { rule: violation.rule });
  checkSignatures(contents, state);
  if (value.cachedContent !== undefined) throw new Refusal(400, 'cachedContent: the stand-in has no explicit caches');
  return { body: value, id, model, contents, prompt };
}

/** The prompt in order: system instruction, tools, then each part of the contents. Pure. */
function geminiPrompt(body: Json, contents: readonly unknown[], model: GeminiStandInModel): PromptPart[] {
  const { systemInstruction: system, tools, toolConfig } = body;
  const list: PromptPart[] = [];
  for (const head of [system, tools, toolConfig]) if (head) list.push({ text: JSON.stringify(head) });
  for (const content of contents) {
    const { role = 'user', parts } = isJson(content) ? content : {};
    const own = listOf(parts);
    for (const [at, part] of own.entries())
      list.push({
        text: (at === 0 ? `\n${String(role)}: ` : '\n') + partText(part, model.characters),
        last: at === own.length - 1,
      });
  }
  return list;
}

function partText(part: Json, characters?: number): string {
  const { thoughtSignature: _, inlineData, fileData, functionResponse: result, ...rest } = part as GeminiPart & Json;
  if (typeof rest.text === 'string') return rest.text;
  const file = inlineData ?? fileData;
  if (isJson(file)) {
    const type = textOf(file.mimeType);
    const { data } = file as Json;
    const tokens = type.startsWith('image') ? geminiImageTokens(imageSize(data)) : pdfTokens(data);
    return textFor(file, tokens, characters);
  }
  if (!isJson(result)) return JSON.stringify(rest);
  const { parts, ...own } = result;
  return [JSON.stringify(own), ...listOf(parts).map((one) => partText(one, characters))].join('\n');
}
