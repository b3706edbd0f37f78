import { readFile } from 'node:fs/promises';
import { holdfast } from '@holdfast/integrations/langchain';
import { sqlite } from '@holdfast/sessions';
import { ChatAnthropic } from '@langchain/anthropic';
import { MemorySaver } from '@langchain/langgraph';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';

const memory = holdfast({
  recall: true, // adds a tool that lets the model read again what was folded
  store: sqlite('sessions.db'), // without it, conversations are kept in memory
  onEvent: (event) => {
    if (event.type === 'fold-end') console.log(`folded to ${event.receipt.after.tokens} tokens`);
  },
});

const readFileTool = tool(({ path }) => readFile(path, 'utf8'), {
  name: 'read_file',
  description: 'Reads a file.',
  schema: z.object({ path: z.string() }),
});

const agent = createAgent({
  model: new ChatAnthropic({ model: 'claude-opus-5-5', maxTokens: 8_000 }),
  tools: [readFileTool],
  checkpointer: new MemorySaver(), // keeps the state: complete, never changed
  middleware: [memory],
});

const config = { configurable: { thread_id: 'user-42' }, recursionLimit: 500 };

for (const content of ['Read every file that README.md names.', 'Which of them is the longest?']) {
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content }] }, config);
  console.log(messages.at(-1)?.text);
}
