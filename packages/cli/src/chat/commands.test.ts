import { forkSession, sqlite } from '@holdfast/sessions';
import { expect, test } from 'vitest';
import { WrongUse } from '../failure.ts';
import type { CommandContext } from './commands/command.ts';
import { COMMANDS, completions, parseInput, parsePipedInput } from './commands.ts';

test('distinguishes commands from prompts', () => {
  expect(parseInput('hello /compact')).toEqual({ type: 'prompt', text: 'hello /compact' });
  expect(parseInput('//compact now')).toEqual({ type: 'prompt', text: '/compact now' });
  expect(parseInput('/compact the parser\nand tests ')).toMatchObject({
    type: 'command',
    command: { name: 'compact' },
    args: 'the parser\nand tests',
  });
  expect(parseInput('?')).toMatchObject({ type: 'command', command: { name: 'help' } });
  for (const word of ['exit', 'quit ']) expect(parseInput(word)).toMatchObject({ command: { name: 'exit' } });
  expect(parseInput('exit the loop')).toEqual({ type: 'prompt', text: 'exit the loop' });
  expect(parseInput('?x')).toEqual({ type: 'prompt', text: '?x' });
  expect(parseInput('  /recompact')).toMatchObject({ type: 'command', command: { name: 'recompact' }, args: '' });
});

test.each([
  ['/compct', '/compact'],
  ['/ses', '/sessions'],
  ['/resume', 'leave with Ctrl-D, then run holdfast chat --resume ID in your shell; /sessions lists the ids.'],
  ['/search', '/recall'],
  ['/init', 'holdfast init'],
  ['/config', 'holdfast config'],
  ['/login', 'holdfast setup'],
  ['/etc/passwd', '/help'],
  ['/', '/help'],
])('unknown command %s gets a suggestion', (text, offered) => {
  const what = parseInput(text);
  expect(what.type).toBe('unknown');
  expect(what).toMatchObject({ text: expect.stringContaining(offered) });
});

test('Tab completes commands and models', () => {
  expect(completions('/un', [])).toEqual(['/uncompact', '/unpin ', '/undo']);
  expect(completions('/', [])).toHaveLength(COMMANDS.length);
  expect(completions('/model b', ['alpha', 'beta'])).toEqual(['/model beta']);
  expect(completions('hello', [])).toEqual([]);
});

test.each([
  '/* C */ int main(void);',
  '/usr/bin/foo: why?',
  '/contxt',
  '/',
  '// a comment',
  '/compact\nis a line of this file',
  '/contextual words',
  'no /context',
  'exit',
])('piped input %j is a prompt', (text) => {
  expect(parsePipedInput(text)).toEqual({ type: 'prompt', text });
});

test('a single piped line with a known command is a command', () => {
  expect(parsePipedInput(' /compact the parser')).toMatchObject({ command: { name: 'compact' }, args: 'the parser' });
  expect(parsePipedInput('/quit')).toMatchObject({ command: { name: 'exit' } });
  expect(parsePipedInput('//compact is a command')).toEqual({ type: 'prompt', text: '/compact is a command' });
});

test.each([
  [0, /removed 2 messages\. Edit the prompt and send it, or type \/redo /],
  [1, / Also undid 1 fold made since\. Edit/],
  [2, / Also undid 2 folds made since\. Edit/],
  [-1, / Also redid 1 fold undone since\. Edit/],
])('/undo reports undone and redone folds: %i', async (folds, told) => {
  const rows: string[] = [];
  const face = { columns: 200, print: (more: readonly string[]) => void rows.push(...more), fill() {} };
  const talk = { chat: { undo: async () => ({ prompt: 'x', messages: 2, folds }) }, face } as unknown as CommandContext;
  await COMMANDS.find(({ name }) => name === 'undo')?.run('', talk);
  expect(rows.join(' ')).toMatch(told);
});

test.each(COMMANDS.filter(({ args }) => args === undefined))(
  '/$name 3 is refused and does nothing',
  async (command) => {
    // It would fail otherwise if it did anything.
    const talk = {} as CommandContext;
    await expect(command.run('3', talk)).rejects.toThrow(
      `/${command.name} takes no argument: type /${command.name} alone`,
    );
  },
);

test('/sessions marks copies', async () => {
  const store = await sqlite(':memory:');
  const { id } = await store.create();
  await store.append(id, [{ type: 'message', message: { role: 'user', content: 'about tides' } }], 0);
  await forkSession(store, id);
  const rows: string[] = [];
  const face = { columns: 120, print: (more: readonly string[]) => void rows.push(...more) };
  const talk = { store, chat: { session: id }, face, isKept: true } as unknown as CommandContext;
  await COMMANDS.find(({ name }) => name === 'sessions')?.run('', talk);
  expect(rows.filter((row) => row.endsWith('fork: about tides'))).toHaveLength(1);
  expect(rows.find((row) => row.startsWith('*'))).toMatch(/ {2}about tides$/);
});

test('/model does not offer a name that the provider refuses', async () => {
  const asked: string[] = [];
  const talk = {
    chat: { speaker: { name: 'stand-in', model: 'claude-sonnet-5' } },
    face: { columns: 80, confirm: async (question: string) => asked.push(question) > 0 },
    models: ['claude-sonnet-5'],
    speaker(name: string) {
      throw new WrongUse(`the stand-in has no model ${name}`);
    },
  } as unknown as CommandContext;
  const model = COMMANDS.find(({ name }) => name === 'model');
  await expect(model?.run('gpt-nonsense', talk)).rejects.toThrow('has no model gpt-nonsense');
  expect(asked).toEqual([]);
});
