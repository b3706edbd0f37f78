import { expect, test } from 'vitest';
import type { ChatMessage } from './chat.ts';
import { lines, neededLines } from './spans.ts';

const needed = (message: ChatMessage) => neededLines(message).flatMap(({ lines }) => [...lines]);

const answer = (...inputs: unknown[]): ChatMessage => ({
  role: 'assistant',
  content: 'const inTheText = true;',
  tool_calls: inputs.map((input, i) => ({
    id: String(i),
    function: { name: 'edit', arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  })),
});

test('lines lose numbers and indentation, and short ones do not count', () => {
  const content = '   12→  const first = 1;\n13\tconst second = 2;\n14:  const third = 30;\n  }\n';
  const expected = ['const first = 1;', 'const second = 2;', 'const third = 30;'];
  expect([...lines({ role: 'tool', content })]).toEqual(expected);
});

test('lines of a call come from every string in its arguments', () => {
  const message = answer(
    { path: 'a', edits: [{ text: 'return a + b + c;\n  return a * b * c;' }] },
    'not JSON but long enough',
  );
  const expected = ['const inTheText = true;', 'return a + b + c;', 'return a * b * c;', 'not JSON but long enough'];
  expect([...lines(message)]).toEqual(expected);
});

test('needed are the replaced lines of each way to spell an edit', () => {
  const text = (name: string): string => `  const ${name} = compute();\n}`;
  const inputs = [
    { old_string: text('first'), new_string: text('other') },
    { old_str: text('second') },
    { oldText: text('third') },
    { oldString: text('fourth') },
    { edits: [{ old_string: text('fifth') }, { oldText: text('sixth') }, { oldString: text('seventh') }, null] },
  ];
  const names = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh'];
  expect(needed(answer(...inputs))).toEqual(names.map((name) => `const ${name} = compute();`));
});

test('needed are the context and the removed lines of a patch, not the added ones', () => {
  const patch = [
    '*** Begin Patch',
    '*** Update File: src/a.ts',
    '@@ function total()',
    ' const context = before();',
    '-const removed = old();',
    '+const added = brandNew();',
    '*** End Patch',
  ].join('\n');
  const expected = ['const context = before();', 'const removed = old();'];
  for (const input of [
    { input: patch },
    { patch },
    { patchText: patch },
    { command: ['apply_patch', patch] },
    { cmd: patch },
  ]) {
    expect(neededLines(answer(input))).toEqual([{ file: 'a.ts', lines: new Set(expected) }]);
  }
});

test('needed lines belong to the file that the edit names, each file of a patch by itself', () => {
  const edit = { filePath: '/work/src/b.ts', oldString: 'const other = compute();' };
  const patch =
    '*** Begin Patch\n*** Update File: src/a.ts\n-const removed = old();\n*** Add File: c.ts\n+const added = 1;';
  const files = neededLines(answer(edit, { old_str: 'const nowhere = 1;' }, { patch })).map(({ file }) => file);
  expect(files).toEqual(['b.ts', undefined, 'a.ts', 'c.ts']);
});

test('a call that edits nothing needs no lines', () => {
  const command = '- this looks like a removed line';
  expect(neededLines(answer({ command }, { content: command }, 'no JSON', 'null', '"text"'))).toEqual([]);
});
