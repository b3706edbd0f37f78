import { type Api, type ApiOptions, type ApiProvider, createApiProvider } from '@holdfast/agent';
import { openaiChat } from 'holdfast';
import type { OpenaiChatMessage } from 'holdfast/rules';

interface Call {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Said {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly Call[];
}

interface Reply {
  readonly choices: readonly [{ readonly message: Said }];
  readonly usage: unknown;
}

/** A provider for servers that speak Chat Completions but cannot stream. */
export function plainChat(options: ApiOptions & { base_url: string; api_key: string }): ApiProvider {
  const { base_url, api_key } = options;
  return createApiProvider<OpenaiChatMessage>({
    name: 'plain-chat',
    // Asks for the model's context window; leave it out if the server does not report it.
    modelRequest: (id) => ({ path: `/models/${id}`, headers: { authorization: `Bearer ${api_key}` } }),
    defaultModel: 'gpt-4o',
    options,
    connect(resolved, _info, max_output) {
      const ask = async (model: string, messages: readonly OpenaiChatMessage[], max: number, signal: AbortSignal) => {
        const tools = resolved.tools?.map(({ name, description, input_schema: parameters }) => ({
          type: 'function',
          function: { name, description, parameters },
        }));
        const response = await fetch(`${base_url}/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model, messages, max_completion_tokens: max, ...(tools?.length ? { tools } : {}) }),
          signal,
        });
        // The `status` and the server's message decide the error category and whether a retry may help.
        if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status });
        const { choices, usage } = (await response.json()) as Reply;
        return { message: choices[0].message, usage };
      };
      const api: Api<OpenaiChatMessage> = {
        dialect: openaiChat(),
        prompt: (text) => ({ role: 'user', content: text }),
        results: (results) => results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })),
        async send({ messages }, onText, signal) {
          const { message, usage } = await ask(resolved.model, messages, max_output, signal);
          const { content, tool_calls = [] } = message;
          const text = content ?? '';
          const calls = tool_calls.map(({ id, function: { name, arguments: json } }) => ({
            id,
            name,
            input: JSON.parse(json),
          }));
          onText(text);
          return { messages: [message], text, calls, report: { usage }, stop: calls.length > 0 ? 'calls' : 'end' };
        },
        async say(prompt, model, max_tokens, signal) {
          const { message, usage } = await ask(model, [{ role: 'user', content: prompt }], max_tokens, signal);
          return { text: message.content ?? '', report: { usage } };
        },
      };
      return { api, base_url, keys: [api_key] };
    },
  });
}
