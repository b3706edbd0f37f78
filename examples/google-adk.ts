import { readFile } from 'node:fs/promises';
import { FunctionTool, InMemorySessionService, LlmAgent, Runner } from '@google/adk';
import { holdfast } from '@holdfast/integrations/google-adk';
import { sqlite } from '@holdfast/sessions';
import { z } from 'zod';

const bounded = holdfast({
  recall: true, // adds a tool that lets the model read again what was folded
  store: sqlite('sessions.db'), // without it, conversations are kept in memory
  onEvent: (event) => {
    if (event.type === 'fold-end') console.log(`folded to ${event.receipt.after.tokens} tokens`);
  },
});

const readFileTool = new FunctionTool({
  name: 'read_file',
  description: 'Reads a file.',
  parameters: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
});

const agent = new LlmAgent({ name: 'reader', model: 'gemini-3.8-flash', tools: [readFileTool] });
const sessionService = new InMemorySessionService(); // keeps the events: complete, never changed
const runner = new Runner({ appName: 'reader', agent, sessionService, plugins: [bounded] });

const place = { userId: 'user-42', sessionId: 'chat-7' };
await sessionService.createSession({ appName: 'reader', ...place });

for (const text of ['Read every file that README.md names.', 'Which of them is the longest?']) {
  const events = runner.runAsync({ ...place, newMessage: { role: 'user', parts: [{ text }] } });
  for await (const { content, errorMessage } of events) {
    if (errorMessage) throw new Error(errorMessage);
    for (const part of content?.parts ?? []) if (part.text && !part.thought) console.log(part.text);
  }
}
