import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packageTexts, textProblems } from './package-texts.ts';

const files = globSync('packages/*/src/**/*.ts').map((path) => [path, readFileSync(path, 'utf8')] as const);
const texts = packageTexts(files);
const found = (source: string, path = 'packages/cli/src/view/note.ts') => textProblems(path, source, texts);

test('flags of other programs belong to nobody', () => {
  const flag = "const flags = ['--conditions=@holdfast/source'];";
  const words = packageTexts([['packages/inspector/src/compare/comparisons.ts', flag]]);
  const asked = "process.execArgv.includes('--conditions=@holdfast/source');";
  expect(textProblems('packages/cli/bin/holdfast.js', asked, words)).toEqual([]);
});

test('knows the headings of the note, and the errors', () => {
  expect(texts.phrases).toEqual(expect.arrayContaining(['The user said', 'Open to-dos', 'Tools used']));
  expect([...texts.runs.keys()]).toEqual(expect.arrayContaining(['exceed the budget', 'earlier messages were']));
});

test.each([
  ['a pattern over an error', String.raw`const TOO_LONG = /exceed the budget \(\d+ tokens > \d+/;`],
  ['a pattern over the first line of a note', String.raw`/^\[Note on the earlier conversation: (\d+) messages.*\]$/`],
  ['a pattern over a mask', 'new RegExp(String.raw`same result as the later call \\S+`)'],
  ['a table of headings', "const SECTIONS = new Map([['Open to-dos', 'todos']]);"],
  ['a heading in a longer text', "text.split('## The user said')"],
  ['a search for a phrase', "if (error.message.includes('exceed the budget')) retry();"],
  [
    'a search for a phrase that has a name',
    "const OVER = 'exceed the budget';\nif (message.startsWith(OVER)) retry();",
  ],
  ["a comparison with the agent's words", "if (reason === 'the answer does not include the context window') skip();"],
  [
    'a list of phrases',
    "const LATE = ['exceed the budget'];\nif (LATE.some((text) => message.includes(text))) retry();",
  ],
  [
    'a set of phrases',
    "const SKIP = new Set(['nothing has been said since the last fold']);\nif (SKIP.has(why)) skip();",
  ],
  ['a table with a phrase as a key', "const KINDS = { 'exceed the budget': 'over' };"],
  ['a pattern in two parts', "new RegExp('exceed ' + 'the budget')"],
  ['a pattern with a group', '/exceed (?:the) budget/'],
  ['two words of the note', String.raw`/^\[Note on/`],
  ['a pattern over handles that is built', String.raw`new RegExp('\\bm\\d+')`],
  ['a pattern over handles', String.raw`const HANDLE = /\bm(\d+)(?:~\d+)?/;`],
  ['a comparison', "if (why === 'nothing has been said since the last fold') skip();"],
])('finds %s', (_, source) => {
  expect(found(source)).toHaveLength(1);
});

test.each([
  ['words of its own', 'if (/rate.?limit|too many requests/i.test(message)) wait();'],
  ['the words in a comment', "// 'exceed the budget'\nif (error.code === 'OVER_BUDGET') retry();"],
  ['a text that is only shown', "print('the parts that cannot be folded exceed the budget');"],
  ['a type', "type Heading = 'Open to-dos';"],
])('leaves %s alone', (_, source) => {
  expect(found(source)).toEqual([]);
});

test.each([
  "receipt.note?.split('\\n')",
  'const { note } = receipt; if (/^used/i.test(note)) show();',
  "noteText(fold.note).replace('x', 'y')",
  "view.note.text.trim().indexOf('x')",
])('no other package searches a note: %s', (source) => {
  expect(found(source)).toHaveLength(1);
  expect(found(source, 'packages/engine/src/note/fit-note.ts')).toEqual([]);
});

test('the pages of the inspector and the first file of the command are searched, too', () => {
  const source = "if (error.message.includes('exceed the budget')) retry();";
  expect(found(source, 'packages/inspector/app/session/search.tsx')).toHaveLength(1);
  expect(found(source, 'packages/cli/bin/holdfast.js')).toHaveLength(1);
});

test('tests and the engine itself may match the words', () => {
  const source = "text.includes('exceed the budget')";
  expect(found(source, 'packages/cli/src/view/note.test.ts')).toEqual([]);
  expect(found(source, 'packages/engine/src/note/fit-note.ts')).toEqual([]);
  expect(found(source, 'packages/crew/test/turn.test.ts')).toEqual([]);
});
