import { expect, test } from 'vitest';
import { type NameKind, scanNames } from './scan-names.ts';

function found(text: string): [string, NameKind][] {
  const names: [string, NameKind][] = [];
  scanNames(text, (name, kind) => names.push([name, kind]));
  return names;
}

test('numbers of orders, tickets and accounts are found with the capitals before them', () => {
  expect(found('order #W7731 and (INV20418), account 90442')).toEqual([
    ['W7731', 'number'],
    ['INV20418', 'number'],
    ['90442', 'number'],
  ]);
});

test('words, versions and sizes with few digits are not numbers', () => {
  expect(found('UTF8, RFC822 and HTTP')).toEqual([]);
});

test('parts of times and sizes are no names: no identifier starts with a digit', () => {
  expect(found('at 18T04, 0369175Z, 137B; but 2fa_token and sha256Sum')).toEqual([
    ['2fa_token', 'name'],
    ['sha256Sum', 'name'],
  ]);
});

test('what an escape leaves is no part of a name, also where JSON was cut off or escaped twice', () => {
  expect(
    found(String.raw`"body":"Done.\nIgnoring it\ncmd/cli/committed.go \\ninternal/planner.go\tTargetSymbol`),
  ).toEqual([
    ['cmd/cli/committed.go', 'path'],
    ['internal/planner.go', 'path'],
    ['TargetSymbol', 'name'],
  ]);
  expect(found(String.raw`\u003c/details\u003e \u003csrc/a.ts \x1b[33mMY_KEY`)).toEqual([
    ['src/a.ts', 'path'],
    ['MY_KEY', 'name'],
  ]);
  expect(found('filter%2Fby_name')).toEqual([['by_name', 'name']]);
});

test('a path of Windows has no escapes', () => {
  expect(
    found(String.raw`C:\dev\note_book\read_me.md and src\engine\new_file.ts, C:\\dev\\note_book`).map(([name]) => name),
  ).toEqual(['note_book', 'read_me.md', 'new_file.ts', 'note_book']);
});

test('closing tags, colours of a terminal and dashes before a name are no names', () => {
  expect(found('<b></details> &lt;/summary&gt; \u001b[1;33mMY_KEY\u001b[0m --README.md')).toEqual([
    ['MY_KEY', 'name'],
    ['README.md', 'path'],
  ]);
});

test('a file name keeps all its parts; attributes, methods and hosts are no files', () => {
  expect(found('fold.test.ts pandas-2.0.1-any.whl self.vocab path.join() console.log("x") example.com')).toEqual([
    ['fold.test.ts', 'path'],
    ['pandas-2.0.1-any.whl', 'path'],
    ['self.vocab', 'name'],
    ['path.join', 'name'],
    ['console.log', 'name'],
    ['example.com', 'name'],
  ]);
});

test('an address is one name, with scheme and port; two slashes without a scheme begin a comment', () => {
  expect(found('see https://example.com/docs, http://10.1.2.3:7780/admin/id/3 //nolint //go:build')).toEqual([
    ['https://example.com/docs', 'path'],
    ['http://10.1.2.3:7780/admin/id/3', 'path'],
  ]);
});
