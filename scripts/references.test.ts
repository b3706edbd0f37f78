import { expect, test } from 'vitest';
import { anchorsOf, deadLinks, missingDecisions } from './references.ts';

const GUIDE = '# A guide\n\n## `fold` & [links](x.md)\n\n## Twice\n\n## Twice\n\n```\n## no heading\n```\n';
const pages = new Map([
  ['docs/guide.md', anchorsOf(GUIDE)],
  ['README.md', anchorsOf('# Home')],
]);
const files = new Set([...pages.keys(), 'docs/screen.png']);
const dead = (page: string, path = 'README.md') => deadLinks(path, page, pages, (to) => files.has(to));

test('headings have the anchors that GitHub gives them', () => {
  expect([...anchorsOf(GUIDE)]).toEqual(['a-guide', 'fold--links', 'twice', 'twice-1']);
});

test.each([
  '[guide](docs/guide.md)',
  '[guide](docs/guide.md#fold--links) and ![screen](docs/screen.png)',
  '[here](#home), [there](https://example.com/none.md), [mail](mailto:a@example.com)',
  'code: `[x](none.md)`\n\n```\n[y](none.md)\n```\n\n~~~~text\n[z](none.md)\n~~~~\n',
])('leaves alone: %j', (page) => {
  expect(dead(page)).toEqual([]);
});

test.each([
  ['a missing file', '[chat](docs/chat.md)', 'README.md links to docs/chat.md: there is no file docs/chat.md'],
  [
    'a missing heading',
    '[g](docs/guide.md#gone)',
    'README.md links to docs/guide.md#gone: docs/guide.md has no heading',
  ],
  ['a missing heading of its own', '[up](#top)', 'README.md links to #top: README.md has no heading for #top'],
  ['a missing picture', '<img alt="a" src="docs/a.png">', 'there is no file docs/a.png'],
  ['a link in a list of links', '[chat]: chat.md', 'there is no file chat.md'],
  ['a link out of the repository', '[out](../out.md)', 'there is no file ../out.md'],
])('finds %s', (_what, page, problem) => {
  expect(dead(page)).toEqual([expect.stringContaining(problem)]);
});

test('follows links from the folder of their page', () => {
  expect(dead('[home](../README.md#home), [self](guide.md)', 'docs/guide.md')).toEqual([]);
});

test.each([
  ['// why: decision 9', [9]],
  ['see docs/decisions/0002 and 0009', [9]],
  ['[Decisions 1](x) and [decision 12](y)', [12]],
  ['a decision of 9 people', []],
])('finds references to decisions without a page in %j', (text, missing) => {
  expect(missingDecisions('a.ts', text, new Set([1, 2]))).toEqual(
    missing.map((number) => `a.ts names decision ${number}, which has no page in docs/decisions`),
  );
});
