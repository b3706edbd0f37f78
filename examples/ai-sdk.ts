import { readFile } from 'node:fs/promises';
import { anthropic } from '@ai-sdk/anthropic';
import { holdfast } from '@holdfast/integrations/ai-sdk';
import { sqlite } from '@holdfast/sessions';
import { generateText, isStepCount, type ModelMessage, tool, wrapLanguageModel } from 'ai';
import { z } from 'zod';

const memory = holdfast({
  store: sqlite('sessions.db'), // without it, conversations are kept in memory
  onEvent: (event) => {
    if (event.type === 'fold-end') console.log(`folded to ${event.receipt.after.tokens} tokens`);
  },
});

const model = wrapLanguageModel({ model: anthropic('claude-opus-5-5'), middleware: memory });

const tools = {
  read_file: tool({
    description: 'Reads a file.',
    inputSchema: z.object({ path: z.string() }),
    execute: ({ path }) => readFile(path, 'utf8'),
  }),
  recall: memory.recall, // lets the model read again what was folded
};

const messages: ModelMessage[] = []; // your history: complete, never changed

for (const content of ['Read every file that README.md names.', 'Which of them is the longest?']) {
  messages.push({ role: 'user', content });
  const { text, responseMessages } = await generateText({
    model,
    tools,
    messages,
    stopWhen: isStepCount(200),
    providerOptions: { holdfast: { conversation: 'user-42' } }, // optional: your name for this conversation
  });
  messages.push(...responseMessages);
  console.log(text);
}
