import { ConversationWindow } from 'holdfast';
import type OpenAI from 'openai';

type Item = OpenAI.Responses.ResponseInputItem;
type Tools = OpenAI.Responses.FunctionTool[];
type Run = (name: string, input: unknown) => Promise<string>;

export async function openaiResponsesLoop(client: OpenAI, task: string, tools: Tools, run: Run): Promise<Item[]> {
  const window = new ConversationWindow<Item>({ max_tokens: 40_000 }, { dialect: 'openai-responses' });
  const history: Item[] = [{ role: 'user', content: task }];
  for (;;) {
    const { messages } = await window.fit(history);
    const response = await client.responses.create({
      model: 'gpt-6-sol',
      input: messages, // everything, every time: previous_response_id would bring back what was folded
      store: false,
      include: ['reasoning.encrypted_content'],
      tools,
    });
    window.observe(response);
    history.push(...(response.output as Item[])); // send reasoning and calls back unchanged
    const calls = response.output.filter((item) => item.type === 'function_call');
    if (calls.length === 0) return history;
    for (const { call_id, name, arguments: input } of calls)
      history.push({ type: 'function_call_output', call_id, output: await run(name, JSON.parse(input)) });
  }
}
