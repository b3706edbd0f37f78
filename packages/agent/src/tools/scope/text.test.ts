import { readFileSync } from 'node:fs';
import { isHoldfastError } from 'holdfast';
import { describe, expect, test } from 'vitest';
import { scopeJudge } from './judge.ts';
import { parseScope } from './scope.ts';

const inScope = (text: string) =>
  `# TASK: x\n\n## Goal\nx\n\n## Scope\n${text}\n\n## Requirements\n- Forbidden: haste\n`;

describe('a file is forbidden, however the task words it:', () => {
  test.each([
    ['a plain line', '### Forbidden\nsrc/secret.ts'],
    ['plain lines', '### Forbidden\n\nDo not touch these:\n\nsrc/other.ts\nsrc/secret.ts'],
    ['a table', '### Forbidden\n| path | why |\n|---|---|\n| src/secret.ts | it is not ours |'],
    ['another column', '### Forbidden\nwhy | file\n--- | ---\nno | `src/secret.ts`'],
    ['columns of a table', '| Allowed | Forbidden |\n|:--|--:|\n| src/** | src/secret.ts |'],
    ['cells of a table', '| rule | path |\n|--|--|\n| allowed | src/** |\n| **Forbidden** | src/secret.ts |'],
    ['a code block', '### Forbidden\n```\nsrc/secret.ts\n```'],
    ['Forbidden files', '### Forbidden files\n- src/secret.ts'],
    ['Out of scope', '### Out of scope\n- src/secret.ts'],
    ['Out-of-Scope', '### 2. Out-of-Scope paths:\n- src/secret.ts'],
    ['Files that are off limits', '### Files that are off limits\n- src/secret.ts'],
    ['a picture', '### 🚫 Forbidden\n- src/secret.ts'],
    ['underlined', 'Forbidden\n---\n- src/secret.ts'],
    ['a closed heading with spaces', '  ### Forbidden ###\n- src/secret.ts'],
    ['a heading with the path', '### Forbidden: src/secret.ts'],
    ['deeper headings', '### Forbidden\n#### The core\n- src/secret.ts'],
    ['in bold', '**Forbidden**: src/secret.ts'],
    ['in bold, with the colon', '__Forbidden:__ src/secret.ts'],
    ['in an item', '- Allowed: src/**\n- Forbidden: src/secret.ts'],
    ['below an item', '- Allowed:\n  - src/**\n- **Forbidden:**\n  - src/secret.ts'],
    ['a second list', '### Forbidden\n- src/other.ts\n### Allowed\n- src/**\n### Forbidden\n- src/secret.ts'],
    ['a link', '### Forbidden\n- [the secret](src/secret.ts)'],
    ['a link to a line', '### Forbidden\n- [the secret](./src/secret.ts#L3 "why")'],
    ['angle brackets', '### Forbidden\n- <src/secret.ts>'],
    ['quotes', '### Forbidden\n- "src/secret.ts"'],
    ['a box', '### Forbidden\n- [ ] src/secret.ts'],
    ['with a comment', '### Forbidden\n<!-- one\nto a line -->\n- src/secret.ts <!-- ours -->'],
    ['a remark in the next line', '### Forbidden\n- src/secret.ts\n  (used by others)'],
    ['several in two lines', '### Forbidden\n- src/other.ts,\n  src/secret.ts'],
    ['several in bold', '### Forbidden\n- **src/other.ts** and **src/secret.ts**'],
    ['slanted', '### Forbidden\n- _src/secret.ts_'],
    ['slanted otherwise', '### Forbidden\n- *src/secret.ts*'],
    ['parted by semicolons', '### Forbidden\n- src/other.ts;src/secret.ts'],
    ['a dash behind the label', '- **Allowed** — src/**\n- **Forbidden** — src/secret.ts'],
    ['a line number', '### Forbidden\n- src/secret.ts:12'],
    ['a remark without a space', '### Forbidden\n- src/secret.ts(the key)'],
    ['what is not allowed', '### Allowed\n- src/**\n- !src/secret.ts'],
    ['what is not allowed, quoted', '### Allowed\n- `src/**`, `!src/secret.ts`'],
    ['beside the scope', '### Allowed\n- src/**\n\n## Forbidden\n- src/secret.ts'],
  ])('%s', (_, text) => {
    for (const line of ['\n', '\r\n']) {
      const judge = scopeJudge(parseScope(inScope(text).replaceAll('\n', line)));
      expect(judge('src/secret.ts', 'write')).toMatch(/Forbidden/);
      expect(judge('src/secret.ts', 'read')).toMatch(/Forbidden/);
      expect(judge('src/a.ts', 'write')).toBeUndefined();
    }
  });

  test.each(['### Forbidden (read-only)\n- src/secret.ts', '### Read-only\n- src/secret.ts'])('%j', (text) => {
    const judge = scopeJudge(parseScope(inScope(text)));
    expect(judge('src/secret.ts', 'write')).toMatch(/Forbidden/);
    expect(judge('src/secret.ts', 'read')).toBeUndefined();
  });
});

describe('a file is allowed, however the task words it:', () => {
  test.each([
    '### Allowed files\n- src/a.ts',
    '### In scope\n- src/a.ts',
    '### Allowed\nsrc/a.ts',
    '**Allowed**: src/a.ts',
    '### Allowed\n- [a](src/a.ts)',
    '### Allowed\n- lib/b.ts\n\n### Allowed\n- src/a.ts',
    '### Allowed\n- src/a.ts\n### Forbidden\n- Everything else',
    '### Allowed\n- src/a.ts\n### Forbidden\n- None\n',
  ])('%j', (text) => {
    const scope = parseScope(inScope(text));
    expect(scope.problems).toEqual([]);
    expect(scopeJudge(scope)('src/a.ts', 'write')).toBeUndefined();
    expect(scopeJudge(scope)('src/c.ts', 'write')).toMatch(/outside the task's scope/);
  });
});

describe('a scope that cannot be enforced as written is an error:', () => {
  test.each([
    ['### Forbidden\n- the database schema', 'the database schema'],
    ['### Forbidden\n- /etc/**', '/etc/**'],
    ['### Forbidden\n- src/my secret.ts', 'in backticks'],
    ['### Forbidden\n- src/a/very/long\n  way/to/secret.ts', 'src/a/very/long way/to/secret.ts'],
    ['### Forbidden\n- src/** except src/a.ts', 'except'],
    ['### Forbidden\n- `src/**`, but not `src/a.ts`', 'but not'],
    ['### Forbidden\n- !src/a.ts', '!src/a.ts'],
    ['### Forbidden\n- `src/a.ts`, src/secret.ts', 'src/secret.ts'],
    ['### Forbidden\n- src/a.ts (old), src/secret.ts', 'src/secret.ts'],
    ['### Forbidden\nEverything that the other team owns.', 'other team'],
    ['### Forbidden\nKeep away from:', 'Keep away from:'],
    ['### Forbidden\n- Everything else', 'Everything else'],
    ['Only the parser, please.', 'Only the parser'],
    ['- src/**', '"src/**" is under neither Allowed nor Forbidden'],
    ['### Allowed\n- src/**\n### Hands off\n- src/secret.ts', '"src/secret.ts" is under neither'],
    ['### Allowed\n- src/**\n## Notes\n### Forbidden\n- src/secret.ts', 'outside "## Scope"'],
    ['### Forbidden\n- [secret][1]\n\n[1]: src/secret.ts', '[secret][1]'],
    ['### Forbidden\n- src/a.ts<br>src/secret.ts', '<br>'],
    ['### Forbidden\n- $HOME/.ssh', '$HOME/.ssh'],
    ['### Forbidden\n| src/a.ts | src/secret.ts |', 'src/a.ts src/secret.ts'],
    ['### Forbidden\n> src/secret.ts', '> src/secret.ts'],
    ['###Forbidden\n- src/secret.ts', '"src/secret.ts" is under neither'],
    ['Allowed: `src/**`; Forbidden: `src/secret.ts`', 'Allowed "`src/**`; Forbidden'],
    ['**Allowed:** src/**. **Forbidden:** src/secret.ts', 'Forbidden:** src/secret.ts'],
    ['### Forbidden\n- https://example.com/a', 'https://example.com/a'],
  ])('%j', (text, named) => {
    let error: unknown;
    try {
      parseScope(inScope(text), 'TASK.md');
    } catch (thrown) {
      error = thrown;
    }
    expect(isHoldfastError(error) && error.code).toBe('BAD_CONFIG');
    expect(String(error)).toContain('TASK.md, scope: ');
    expect(String(error)).toContain(named);
  });

  test('an unclosed fence that may hide it', () => {
    const task = '## Goal\n```\nx\n## Scope\n### Forbidden\n- src/a.ts\n## Requirements\n```\ncode\n```\n';
    expect(() => parseScope(task)).toThrow(/code block at line 10 is never closed.*line 4 \("## Scope"\)/);
  });
});

test.each([
  '### Allowed\n- src/** but not src/secret.ts',
  '### Allowed\n- everything except `src/secret.ts`',
  '### Allowed\n- `src/**`, never `src/secret.ts`',
  '### Allowed\n- the parser',
])('an Allowed entry that cannot be understood is an error: %j', (text) => {
  expect(() => parseScope(inScope(text))).toThrow(/Allowed ".+" cannot be understood/);
});

test.each([
  ['### Allowed', 1],
  ['### Allowed\n- None', 0],
])('an empty list causes a warning and allows nothing: %j', (text, problems) => {
  const scope = parseScope(inScope(text));
  expect(scope.problems).toHaveLength(problems);
  expect(scopeJudge(scope)('src/secret.ts', 'write')).toMatch(/Allowed is nothing/);
});

test.each(['Mend it.', '## Goal\nAllowed: three tries.\n', '## Scope\n\n## Goal\nx', '## Goal\n```\nx\n```\n'])(
  'a task without a scope has none: %j',
  (task) => expect(parseScope(task)).toEqual({ forbidden: [], problems: [] }),
);

test('a scope in a code block is ignored with a warning', () =>
  expect(parseScope('## Goal\n```md\n## Scope\n### Forbidden\n- a\n```\n')).toEqual({
    forbidden: [],
    problems: ['line 3 ("## Scope") is in a code block and was ignored'],
  }));

test('names with brackets match literally', () => {
  const judge = scopeJudge(parseScope({ forbidden: ['app/[id]/page.ts', 'app/(auth)'] }));
  for (const path of ['app/[id]/page.ts', 'app/(auth)/a.ts']) expect(judge(path, 'read')).toMatch(/Forbidden/);
});

test('the example in the docs works as described', () => {
  const page = readFileSync(new URL('../../../../../docs/tools.md', import.meta.url), 'utf8');
  const judge = scopeJudge(parseScope(/```md\n(.*?)```/s.exec(page)?.[1] ?? ''));
  expect(judge('src/a.ts', 'write')).toBeUndefined();
  expect(judge('src/generated/a.ts', 'write')).toMatch(/Forbidden/);
  expect(judge('src/secret.ts', 'read')).toMatch(/Forbidden/);
  expect(judge('src/api.ts', 'read')).toBeUndefined();
  expect(judge('src/api.ts', 'write')).toMatch(/Forbidden/);
});
