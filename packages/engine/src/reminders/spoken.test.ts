import { expect, test } from 'vitest';
import { toolTurn } from '../../test/agent-histories.ts';
import { dialectOf, type Wire } from '../../test/histories.ts';
import { readMessages } from '../turns/read-turns.ts';
import { viewTurnsOf } from '../view/view-turn.ts';
import { namesAsked, newestMessages, spokenOf } from './spoken.ts';

const dialect = dialectOf('anthropic');
const newest = (...messages: Wire[]) => newestMessages(viewTurnsOf(dialect, readMessages(dialect, messages, 0, 0)));
const files = (...messages: Wire[]) => spokenOf(dialect, newest(...messages), true).topics.map(({ file }) => file);
const ask: Wire = { role: 'user', content: 'Go on.' };
const run = (result: string) => toolTurn('anthropic', 'c', { name: 'Bash', input: { command: 'npm test' }, result });

test('edited files come first, then those named in words, then those that a result points into', () => {
  const [call, result] = toolTurn('anthropic', 'c', {
    name: 'Edit',
    input: { file_path: 'src/edited.ts', old_string: 'const before = 1;', new_string: 'const after = 2;' },
    result: 'src/failing.ts:41:3 error',
  }) as [Wire, Wire];
  const words = { type: 'text', text: 'Next comes src/named.ts.' };
  const said = { ...call, content: [words, ...(call.content as object[])] };
  expect(files(ask, said, result)).toEqual(['src/edited.ts', 'src/named.ts', 'src/failing.ts']);
  const [edited, , failing] = spokenOf(dialect, newest(ask, said, result), true).topics;
  expect([...(edited?.lines ?? [])].sort()).toEqual(['const after = 2;', 'const before = 1;']);
  expect([...(failing?.numbers ?? [])]).toEqual([41]);
});

test('a file that was just read is in front of the model already', () => {
  expect(files(ask, ...toolTurn('anthropic', 'c', { input: { file_path: 'src/a.ts' }, result: 'src/a.ts:3' }))).toEqual(
    [],
  );
});

test('a result that lists many files is about none of them', () => {
  expect(files(ask, ...run('a.ts:1 b.ts:2'))).toEqual(['a.ts', 'b.ts']);
  expect(files(ask, ...run('a.ts:1 b.ts:2 c.ts:3 d.ts:4'))).toEqual([]);
});

test('once the user speaks and nothing is being changed, neither what was said nor what was found before counts', () => {
  const answer: Wire = { role: 'assistant', content: 'It is in src/b.ts.' };
  const found = (words: string, changing: boolean) => {
    const messages = newest(ask, ...run('src/a.ts:1'), answer, { role: 'user', content: words });
    return spokenOf(dialect, messages, changing).topics.map(({ file }) => file);
  };
  expect(found('And src/c.ts?', false)).toEqual(['src/c.ts']);
  expect(found('Hello again.', false)).toEqual([]);
  expect(found('Go on.', true)).toEqual(['src/b.ts']);
  expect(found('Yes, do this.', false)).toEqual(['src/b.ts']);
  expect(found('Oui, fais cela.', false)).toEqual(['src/b.ts']);
  const stopped = newest(ask, ...run('src/a.ts:1'), { role: 'user', content: 'Hello again.' });
  expect(spokenOf(dialect, stopped, false).topics).toEqual([]);
});

test('words come from what was changed and said, not from what a tool returned', () => {
  const [call, result] = toolTurn('anthropic', 'c', {
    name: 'Edit',
    input: { file_path: 'src/a.ts', old_string: 'oldName();', new_string: 'newName();' },
    result: 'Changed, and this was printed.',
  }) as [Wire, Wire];
  const said = { ...call, content: [{ type: 'text', text: 'Renaming it.' }, ...(call.content as object[])] };
  const { words, edits } = spokenOf(dialect, newest(ask, said, result), false);
  expect(edits).toBe(true);
  for (const word of ['old', 'new name', 'renaming']) expect(words).toContain(word);
  expect(words).not.toContain('printed');
});

test('names that the user asks about are those of the last message', () => {
  const asked: Wire = { role: 'user', content: 'What about order 7731402 and src/a.ts?' };
  expect([...namesAsked(dialect, newest(ask, { role: 'assistant', content: 'Yes?' }, asked))]).toEqual(['7731402']);
  expect([...namesAsked(dialect, newest(ask, ...run('order 7731402')))]).toEqual([]);
});

test('a result may point into a file by a path of Windows', () => {
  expect(files(ask, ...run('src\\parse.go:41:3: undefined'))).toEqual(['src\\parse.go']);
  expect(files(ask, ...run('D:\\repo\\src\\parse.go:41:3: undefined'))).toEqual(['D:\\repo\\src\\parse.go']);
});
