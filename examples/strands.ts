import { readFile } from 'node:fs/promises';
import { holdfast } from '@holdfast/integrations/strands';
import { sqlite } from '@holdfast/sessions';
import { Agent, NullConversationManager, tool } from '@strands-agents/sdk';
import { AnthropicModel } from '@strands-agents/sdk/models/anthropic';
import { z } from 'zod';

const bounded = holdfast({
  recall: true, // adds a tool that lets the model read again what was folded
  store: sqlite('sessions.db'), // without it, conversations are kept in memory
  onEvent: (event) => {
    if (event.type === 'fold-end') console.log(`folded to ${event.receipt.after.tokens} tokens`);
  },
});

const readFileTool = tool({
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  callback: ({ path }) => readFile(path, 'utf8'),
});

const agent = new Agent({
  model: new AnthropicModel({ modelId: 'claude-opus-5-5', maxTokens: 8_000 }),
  tools: [readFileTool],
  plugins: [bounded],
  conversationManager: new NullConversationManager(), // the default removes messages itself
  printer: false,
});

for (const question of ['Read every file that README.md names.', 'Which of them is the longest?']) {
  const answer = await agent.invoke(question);
  console.log(answer.toString());
}
