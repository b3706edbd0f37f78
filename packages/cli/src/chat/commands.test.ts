import { expect, test } from 'vitest';
import { COMMANDS, completions, entered } from './commands.ts';

test('commands are told from prompts', () => {
  expect(entered('hello /compact')).toEqual({ type: 'prompt', text: 'hello /compact' });
  expect(entered('//compact now')).toEqual({ type: 'prompt', text: '/compact now' });
  expect(entered('/compact the parser\nand tests ')).toMatchObject({
    type: 'command',
    command: { name: 'compact' },
    args: 'the parser\nand tests',
  });
  expect(entered('  /redo')).toMatchObject({ type: 'command', command: { name: 'recompact' }, args: '' });
});

test.each([
  ['/compct', '/compact'],
  ['/ses', '/sessions'],
  ['/etc/passwd', '/help'],
  ['/', '/help'],
])('%s is no command, and something is offered', (text, offered) => {
  const what = entered(text);
  expect(what.type).toBe('unknown');
  expect(what).toMatchObject({ text: expect.stringContaining(offered) });
});

test('Tab offers what fits', () => {
  expect(completions('/un', [])).toEqual(['/uncompact', '/unpin ', '/undo']);
  expect(completions('/', [])).toHaveLength(COMMANDS.length);
  expect(completions('/model b', ['alpha', 'beta'])).toEqual(['/model beta']);
  expect(completions('hello', [])).toEqual([]);
});
