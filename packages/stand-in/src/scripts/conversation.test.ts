import { ConversationWindow } from 'holdfast';
import { expect, test } from 'vitest';
import { sources } from '../../test/agent.ts';
import { codingTask, conversation, echo, type Prompt, type PromptResult } from '../index.ts';

const tool = (name: string, ...fields: readonly string[]) => ({
  name,
  description: '',
  schema: { type: 'object', properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])) },
});
const TOOLS = [
  tool('read_file', 'path'),
  tool('list_files', 'path'),
  tool('search', 'pattern'),
  tool('run_command', 'command'),
  tool('write_file', 'path', 'content'),
  tool('edit_file', 'path', 'old_text', 'new_text'),
  tool('recall', 'handle', 'words'),
];

function ask(text: string, results: readonly PromptResult[] = [], tools = TOOLS) {
  const message = (role: 'user' | 'assistant', words: string) => ({ role, text: words, calls: [], results: [] });
  const later = results.length > 0 ? [message('assistant', 'I call.'), message('user', '')] : [];
  const messages = [message('user', text), ...later];
  const prompt: Prompt = { api: 'anthropic', model: 'm', system: '', messages, tools, results, body: {} };
  return conversation()(prompt);
}

test.each([
  ['read src/a.ts', 'read_file', { path: 'src/a.ts' }],
  ['list', 'list_files', { path: '.' }],
  ['search parser', 'search', { pattern: 'parser' }],
  ['run npm test', 'run_command', { command: 'npm test' }],
  ['write a.txt two words', 'write_file', { path: 'a.txt', content: 'two words' }],
  [
    'edit a.txt two words => three words',
    'edit_file',
    { path: 'a.txt', old_text: 'two words', new_text: 'three words' },
  ],
  ['recall m41.1', 'recall', { handle: 'm41.1' }],
  ['recall the parser', 'recall', { words: 'the parser' }],
  ['what is in this folder?', 'list_files', { path: '.' }],
  ['Which files does this project have?', 'list_files', { path: '.' }],
])('%s', async (text, name, input) => {
  expect(await ask(text)).toMatchObject({ calls: [{ name, input }] });
});

test('a question about the folder is answered with what is in it', async () => {
  const { text } = await ask('what is in this folder?', [{ id: 'x', text: 'src/\nREADME.md\n', error: false }]);
  expect(text).toBe('Stand-in, no model: this folder has\n\n- src/\n- README.md');
});

test('anything else is echoed, as are requests without a tool; results are reported', async () => {
  expect(await ask('Why?')).toEqual({ text: 'Stand-in, no model: you said "Why?", 4 characters in 1 line.' });
  expect(await ask('run ls', [], [])).not.toHaveProperty('calls');
  expect(await ask('run ls', [{ id: 'x', text: 'a\nb', error: false }])).toEqual({
    text: 'Stand-in, no model: the call gave 3 characters in 2 lines: "a"',
  });
  expect(await ask('count to 3')).toEqual({ text: 'line 1\nline 2\nline 3' });
  expect((await ask('format')).text).toMatch(/^## .*\|---\|.*```ts/s);
});

test.each([
  ['conversation', conversation],
  ['codingTask', () => codingTask(sources({ 'a.ts': 'export const a = 1;\n' }))],
  ['echo', echo],
])('%s: a summary says that the stand-in wrote it, and how much it covers', async (_, made) => {
  const script = made();
  const asked: string[] = [];
  const body = { api: 'anthropic', model: 'm', system: '', tools: [], results: [], body: {} } as const;
  const summarizer = {
    async call(text: string) {
      asked.push(text);
      const said = { role: 'user', text, calls: [], results: [] } as const;
      return (await script({ ...body, messages: [said] })).text ?? '';
    },
  };
  const window = new ConversationWindow<object>({ max_messages: 20, summarize_on_trim: true }, { summarizer });
  const talk = Array.from({ length: 41 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `words ${i}` }));
  const { receipt } = await window.fit(talk);
  expect(asked).toHaveLength(1);
  expect(receipt?.note).toMatch(
    /^\[Conversation Summary\]\n> Stand-in, no model: a summary would stand here, of \d+ characters in \d+ messages/,
  );
});
