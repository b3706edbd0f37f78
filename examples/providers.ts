import { anthropicApi, type ExecutionResult, openaiApi, type Provider, type Tool } from '@holdfast/agent';

/** Runs one task with as many tool calls as it takes. */
export async function oneTask(base_url: string, api_key: string, tools: Tool[]): Promise<ExecutionResult> {
  const provider = anthropicApi({
    base_url, // defaults to the vendor's API
    api_key, // defaults to the environment variable
    model: 'claude-opus-5-5',
    system: 'You are a careful programmer.',
    tools,
    thinking: true,
  });
  return provider.execute('Find out why the build is slow and fix it.', {
    conversation: { max_messages: 100, max_tokens: 60_000 },
    time_limit_ms: 600_000,
    onEvent: (event) => {
      if (event.type === 'fold-end') console.log(`fold ${event.receipt.fold}`);
    },
  });
}

/** A tool is a name, a schema and a function; if it throws, the model gets the error. */
export function readTool(read: (path: string) => Promise<string>): Tool {
  return {
    name: 'read_file',
    description: 'The text of a file.',
    input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    parallel: true, // may run concurrently with other parallel calls of the same answer
    run: (input) => read((input as { path: string }).path),
  };
}

/** Runs many iterations of one task; the state between them is JSON and stays small. */
export async function iterate(provider: Provider, prompt: string, most = 20): Promise<ExecutionResult> {
  let result = await provider.execute(prompt);
  for (let iteration = 2; iteration <= most && result.success && !result.completionSignal; iteration++) {
    result = await provider.execute('Continue.', { conversationState: result.conversationState });
  }
  return result;
}

/** A provider for any server that speaks Chat Completions; use `api: 'responses'` for the Responses API. */
export function localModel(base_url: string): Provider {
  return openaiApi({
    base_url,
    api_key: 'none',
    model: 'qwen-coder-local',
    models: { 'qwen-coder-local': { window: 32_768, max_output: 4_096, thinking: 'none' } },
  });
}
