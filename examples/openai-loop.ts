import { ConversationWindow } from 'holdfast';
import type OpenAI from 'openai';

type Message = OpenAI.ChatCompletionMessageParam;
type Tools = OpenAI.ChatCompletionFunctionTool[];
type Run = (name: string, input: unknown) => Promise<string>;

export async function openaiLoop(client: OpenAI, task: string, tools: Tools, run: Run, log: (line: string) => void) {
  const window = new ConversationWindow<Message>({ max_tokens: 40_000 }, { dialect: 'openai-chat' });
  const history: Message[] = [{ role: 'user', content: task }];
  for (;;) {
    const { messages, receipt } = await window.fit(history);
    if (receipt) log(`fold ${receipt.fold}: ${receipt.before.tokens} → ${receipt.after.tokens} tokens`);
    const response = await client.chat.completions.create({ model: 'gpt-6-sol', tools, messages });
    window.observe(response);
    const message = response.choices[0]?.message;
    if (!message) throw new Error('no answer');
    history.push(message);
    if (!message.tool_calls) return history;
    for (const call of message.tool_calls) {
      if (call.type !== 'function') throw new Error(`unknown call: ${call.type}`);
      const content = await run(call.function.name, JSON.parse(call.function.arguments));
      history.push({ role: 'tool', tool_call_id: call.id, content });
    }
  }
}
