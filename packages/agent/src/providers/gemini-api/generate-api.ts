import type { Content, GenerateContentConfig, GenerateContentResponse } from '@google/genai';
import type { GoogleGenAI } from '@google/genai/web';
import type { FoundModel } from '@holdfast/models';
import { gemini } from 'holdfast';
import type { Api, ApiRequest, NamedResult } from '../../loop/api.ts';
import type { ResolvedOptions } from '../../loop/api-options.ts';
import { createCallIds } from '../../loop/received-call.ts';
import { type Open, readAnswer } from '../../loop/stream.ts';
import { createGeminiReader } from './answer.ts';
import { chunksOf, plainErrors } from './errors.ts';

const CALL_ID = /\S/;

/** generateContent with this model, these tools and this system prompt. */
export function generateApi(
  client: GoogleGenAI,
  options: ResolvedOptions,
  info: FoundModel,
  max_output: number,
): Api<Content> {
  const { model, system, tools = [] } = options;
  const declared = tools.map(({ name, description, input_schema }) => ({
    name,
    description,
    parametersJsonSchema: input_schema,
  }));
  const fixed: GenerateContentConfig = {
    maxOutputTokens: max_output,
    ...(system ? { systemInstruction: system } : {}),
    ...(declared.length === 0 ? {} : { tools: [{ functionDeclarations: declared }] }),
    ...(options.thinking && info.thinking !== 'none' ? { thinkingConfig: { includeThoughts: true } } : {}),
  };
  const stream = (
    request: { readonly model: string; readonly contents: Content[]; readonly config: GenerateContentConfig },
    onText: (text: string) => void,
    signal: AbortSignal,
  ) => {
    const reader = createGeminiReader(onText, createCallIds(request.contents.flatMap(callsIn), CALL_ID));
    const open: Open<GenerateContentResponse> = async (abortSignal, fetch) => {
      const config = { ...request.config, abortSignal, httpOptions: { fetch: plainErrors(fetch) } };
      return chunksOf(await client.models.generateContentStream({ ...request, config }));
    };
    return readAnswer(open, reader, options, signal);
  };
  return {
    dialect: gemini<Content>(),
    prompt: (text) => ({ role: 'user', parts: [{ text }] }),
    results: (results) => [{ role: 'user', parts: results.map(responseOf) }],
    send: ({ messages }: ApiRequest<Content>, onText, signal) =>
      stream({ model, contents: [...messages], config: fixed }, onText, signal),
    say: (prompt, other, maxOutputTokens, signal) => {
      const contents = [{ role: 'user', parts: [{ text: prompt }] }];
      return stream({ model: other, contents, config: { maxOutputTokens } }, () => {}, signal);
    },
  };
}

function responseOf({ id, name, text, failed }: NamedResult) {
  return { functionResponse: { id, name, response: { [failed ? 'error' : 'output']: text } } };
}

function callsIn({ parts = [] }: Content): string[] {
  return parts.flatMap(({ functionCall: call }) => (call?.id ? [call.id] : []));
}
