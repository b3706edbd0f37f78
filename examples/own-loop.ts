import { readFile } from 'node:fs/promises';
import Anthropic from '@anthropic-ai/sdk';
import { defaultBudget, modelInfo } from '@holdfast/models';
import { ConversationWindow } from 'holdfast';

const client = new Anthropic();

const { tokens } = defaultBudget(modelInfo('claude-opus-5-5'));
const window = new ConversationWindow<Anthropic.MessageParam>(
  { max_tokens: tokens },
  {
    dialect: 'anthropic',
    onEvent: (event) => {
      if (event.type === 'fold-end') console.log(`folded to ${event.receipt.after.tokens} tokens`);
    },
  },
);

const tools: Anthropic.Tool[] = [
  {
    name: 'read_file',
    description: 'Reads a file.',
    input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  {
    name: 'recall',
    description:
      'Returns the original of something that was shortened or left out of this conversation, by its handle.',
    input_schema: { type: 'object', properties: { handle: { type: 'string' } }, required: ['handle'] },
  },
];

async function runTool(name: string, input: { readonly path?: string; readonly handle?: string }): Promise<string> {
  if (name === 'read_file') return readFile(input.path ?? '', 'utf8');
  const { content, messages } = await window.recall(input.handle ?? '');
  return typeof content === 'string' ? content : JSON.stringify(content ?? messages);
}

const history: Anthropic.MessageParam[] = []; // complete, never changed

async function ask(question: string): Promise<string> {
  history.push({ role: 'user', content: question });
  for (;;) {
    const { messages } = await window.fit(history); // what to send: valid and within the budget
    const response = await client.messages.create({
      model: 'claude-opus-5-5',
      max_tokens: 8_000,
      cache_control: { type: 'ephemeral' }, // the view only grows between folds, so the cache hits
      tools,
      messages,
    });
    window.observe(response); // learns how large a prompt really is
    history.push({ role: 'assistant', content: response.content });
    const results: Anthropic.ToolResultBlockParam[] = [];
    for (const block of response.content) {
      if (block.type !== 'tool_use') continue;
      const result = { type: 'tool_result' as const, tool_use_id: block.id };
      try {
        results.push({ ...result, content: await runTool(block.name, block.input as object) });
      } catch (error) {
        results.push({ ...result, content: String(error), is_error: true });
      }
    }
    if (results.length === 0)
      return response.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    history.push({ role: 'user', content: results }); // all results of one answer in one message
  }
}

console.log(await ask('Read every file that README.md names.'));
console.log(await ask('Which of them is the longest?'));
