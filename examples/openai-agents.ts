import { readFile } from 'node:fs/promises';
import { holdfast } from '@holdfast/integrations/openai-agents';
import { sqlite } from '@holdfast/sessions';
import { Agent, MemorySession, OpenAIProvider, Runner, tool } from '@openai/agents';
import { z } from 'zod';

const memory = holdfast({
  store: sqlite('sessions.db'), // without it, conversations are kept in memory
  onEvent: (event) => {
    if (event.type === 'fold-end') console.log(`folded to ${event.receipt.after.tokens} tokens`);
  },
});

const runner = new Runner({
  modelProvider: memory.provider(new OpenAIProvider()),
  modelSettings: { store: false, providerData: { include: ['reasoning.encrypted_content'] } },
  tracingDisabled: true,
});

const readFileTool = tool({
  name: 'read_file',
  description: 'Reads a file.',
  parameters: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
});

const agent = new Agent({
  name: 'reader',
  model: 'gpt-6-sol',
  tools: [readFileTool, memory.recall], // recall lets the model read again what was folded
});

const session = new MemorySession(); // your history: complete, never changed

for (const question of ['Read every file that README.md names.', 'Which of them is the longest?']) {
  const { finalOutput } = await runner.run(agent, question, { session, maxTurns: 200 });
  console.log(finalOutput);
}
