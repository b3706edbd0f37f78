import Anthropic from '@anthropic-ai/sdk';
import { type Content, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';

/** Runs a task by one API until no tool is called: the number of calls, the final text, the whole history. */
export interface Ran {
  readonly calls: number;
  readonly text: string;
  readonly history: readonly unknown[];
}

/** What an agent needs: where its API is, its task, and the result of each command. */
export interface Task {
  readonly url: string;
  readonly key?: string;
  readonly prompt: string;
  /** Instructions in front of the messages. */
  readonly system?: string;
  readonly run: (command: string) => string;
  readonly model?: string;
  readonly fetch?: typeof fetch;
}

const SCHEMA = { type: 'object' as const, properties: { command: { type: 'string' } }, required: ['command'] };
const commandOf = (input: unknown) => String((input as { command?: unknown }).command);

/** Streams, thinks, and caches with a marker on the last message. */
export async function runMessages({
  url,
  key = 'key',
  prompt,
  run,
  model = 'claude-opus-5-5',
  ...more
}: Task): Promise<Ran> {
  const client = new Anthropic({ ...more, baseURL: url, apiKey: key, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: prompt }];
  for (let calls = 0; ; ) {
    const stream = client.messages.stream({
      model,
      max_tokens: 4_000,
      thinking: { type: 'adaptive' },
      tools: [{ name: 'bash', input_schema: SCHEMA }],
      messages,
      cache_control: { type: 'ephemeral' },
    });
    const { content } = await stream.finalMessage();
    messages.push({ role: 'assistant', content });
    const results = content.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: run(commandOf(block.input)) }]
        : [],
    );
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    if (results.length === 0) return { calls, text, history: messages };
    calls += results.length;
    messages.push({ role: 'user', content: results });
  }
}

/** Streams, with the usage at the end. */
export async function runChat({ url, key = 'key', prompt, system, run, model = 'gpt-6-sol' }: Task): Promise<Ran> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: prompt }];
  if (system) messages.unshift({ role: 'system', content: system });
  for (let calls = 0; ; ) {
    const stream = client.chat.completions.stream({
      model,
      messages,
      tools: [{ type: 'function', function: { name: 'bash', parameters: SCHEMA } }],
      stream_options: { include_usage: true },
    });
    const { choices } = await stream.finalChatCompletion();
    const message = choices[0]?.message;
    if (!message?.tool_calls?.length) return { calls, text: message?.content ?? '', history: messages };
    const { role, content, tool_calls } = message;
    messages.push({ role, content, tool_calls });
    for (const call of tool_calls) {
      if (call.type !== 'function') continue;
      calls++;
      const input: unknown = JSON.parse(call.function.arguments);
      messages.push({ role: 'tool', tool_call_id: call.id, content: run(commandOf(input)) });
    }
  }
}

/** One answer at a time, nothing stored, with encrypted reasoning. */
export async function runResponses({ url, key = 'key', prompt, system, run, model = 'gpt-6-sol' }: Task): Promise<Ran> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: prompt }];
  if (system) input.unshift({ role: 'developer', content: system });
  for (let calls = 0; ; ) {
    const { output, output_text: text } = await client.responses.create({
      model,
      input,
      tools: [{ type: 'function', name: 'bash', parameters: SCHEMA, strict: false }],
      store: false,
      include: ['reasoning.encrypted_content'],
    });
    input.push(...(output as OpenAI.Responses.ResponseInputItem[]));
    const asked = output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    if (asked.length === 0) return { calls, text, history: input };
    for (const { call_id, arguments: json } of asked) {
      calls++;
      input.push({ type: 'function_call_output', call_id, output: run(commandOf(JSON.parse(json))) });
    }
  }
}

/** Streams, and sends its parts back as they came. */
export async function runGemini({
  url,
  key = 'key',
  prompt,
  system,
  run,
  model = 'gemini-3.8-flash',
}: Task): Promise<Ran> {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
  const contents: Content[] = [{ role: 'user', parts: [{ text: prompt }] }];
  const tools = [{ functionDeclarations: [{ name: 'bash', parametersJsonSchema: SCHEMA }] }];
  const config = { tools, thinkingConfig: { includeThoughts: true }, ...(system ? { systemInstruction: system } : {}) };
  for (let calls = 0; ; ) {
    const parts = [];
    for await (const { candidates } of await client.models.generateContentStream({ model, contents, config }))
      parts.push(...(candidates?.[0]?.content?.parts ?? []));
    contents.push({ role: 'model', parts });
    const asked = parts.flatMap(({ functionCall: call }) => (call ? [call] : []));
    const text = parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join('');
    if (asked.length === 0) return { calls, text, history: contents };
    calls += asked.length;
    const results = asked.map(({ id, name = '', args }) => ({
      functionResponse: { ...(id && { id }), name, response: { output: run(commandOf(args)) } },
    }));
    contents.push({ role: 'user', parts: results });
  }
}

/** About 1,400 tokens of output that differ from command to command. */
export function longOutput(command: string): string {
  const lines = Array.from({ length: 90 }, (_, i) => `${command}: line ${i} of its output, value ${i * 7919}`);
  return lines.join('\n');
}
