import { readFile } from 'node:fs/promises';
import { anthropic } from '@ai-sdk/anthropic';
import { holdfast } from '@holdfast/integrations/mastra';
import { sqlite } from '@holdfast/sessions';
import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { MockMemory } from '@mastra/core/memory'; // in memory; for a database use Memory of @mastra/memory
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

const bounded = holdfast({
  recall: true, // adds a tool that lets the model read again what was folded
  store: sqlite('sessions.db'), // without it, conversations are kept in memory
  onEvent: (event) => {
    if (event.type === 'fold-end') console.log(`folded to ${event.receipt.after.tokens} tokens`);
  },
});

const readFileTool = createTool({
  id: 'read_file',
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
});

const agent = new Agent({
  id: 'reader',
  name: 'reader',
  instructions: 'You read files.',
  model: anthropic('claude-opus-5-5') as MastraModelConfig, // the cast is needed only with exactOptionalPropertyTypes
  tools: { read_file: readFileTool },
  memory: new MockMemory({ options: { lastMessages: 10_000 } }), // complete, never changed
  inputProcessors: [bounded],
  errorProcessors: [bounded], // for a second attempt if the API refuses thinking
});

for (const question of ['Read every file that README.md names.', 'Which of them is the longest?']) {
  const { text } = await agent.generate(question, {
    maxSteps: 200,
    memory: { thread: 'chat-7', resource: 'user-42' },
  });
  console.log(text);
}
