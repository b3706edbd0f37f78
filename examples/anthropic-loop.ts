import type Anthropic from '@anthropic-ai/sdk';
import { ConversationWindow } from 'holdfast';

type Run = (name: string, input: unknown) => Promise<string>;

export async function anthropicLoop(client: Anthropic, task: string, tools: Anthropic.Tool[], run: Run) {
  const window = new ConversationWindow<Anthropic.MessageParam>({ max_tokens: 40_000 }, { dialect: 'anthropic' });
  const history: Anthropic.MessageParam[] = [{ role: 'user', content: task }];
  for (;;) {
    const { messages } = await window.fit(history);
    const response = await client.messages.create({
      model: 'claude-opus-5-5',
      max_tokens: 8_000,
      thinking: { type: 'adaptive' },
      cache_control: { type: 'ephemeral' }, // the view only grows between folds, so this hits
      tools,
      messages,
    });
    window.observe(response);
    history.push({ role: 'assistant', content: response.content });
    const results: Anthropic.ToolResultBlockParam[] = [];
    for (const block of response.content) {
      if (block.type !== 'tool_use') continue;
      results.push({ type: 'tool_result', tool_use_id: block.id, content: await run(block.name, block.input) });
    }
    if (results.length === 0) return history;
    history.push({ role: 'user', content: results }); // all of them in one message
  }
}
