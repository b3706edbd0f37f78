import { describe, expect, test } from 'vitest';
import { timeRatio } from '../../../../../scripts/time-ratio.ts';
import { glob } from '../search/glob.ts';
import { scopeJudge } from './judge.ts';
import { parseScope } from './scope.ts';

const TASK = `# TASK: something

## Scope
### Allowed
- packages/cli/src/window.ts (new file)
- \`packages/cli/src/types/\` (read for types)
- docs/**/*.md — the guides
* **README.md**

### Forbidden
- packages/cli/src/api.ts (read-only)
- .env

## Requirements
### Allowed
- everything/**
\`\`\`
### Forbidden
- docs
\`\`\`
`;

describe('the scope of a task', () => {
  const judge = scopeJudge(parseScope(TASK));

  test.each([
    ['packages/cli/src/window.ts', 'write', undefined],
    ['packages/cli/src/window.test.ts', 'write', /outside the task's scope: Allowed is "packages.*new file/],
    ['packages/cli/src/types/index.ts', 'read', undefined],
    ['packages/cli/src/types/index.ts', 'write', /for reading only \("`packages.*read for types/],
    ['docs/guide/one.md', 'write', undefined],
    ['docs/guide/one.ts', 'write', /outside/],
    ['README.md', 'write', undefined],
    ['packages/cli/src/api.ts', 'read', undefined],
    [
      'packages/cli/src/api.ts',
      'write',
      /Forbidden by the task's scope \("packages\/cli\/src\/api.ts \(read-only\)"\)/,
    ],
    ['.env', 'read', /Forbidden.*not marked read-only/],
    ['.env', 'write', /Forbidden/],
    ['anything/else.ts', 'read', undefined],
    ['everything/x', 'write', /outside/],
  ] as const)('%s, to %s', (path, access, expected) => {
    if (expected) expect(judge(path, access)).toMatch(expected);
    else expect(judge(path, access)).toBeUndefined();
  });

  test('without an Allowed list, everything is allowed but what is Forbidden', () => {
    const open = scopeJudge(parseScope('### Forbidden\n- src/*'));
    expect(open('lib/a.ts', 'write')).toBeUndefined();
    expect(open('src/deep/er/a.ts', 'write')).toMatch(/Forbidden/);
    expect(scopeJudge(undefined)('a', 'write')).toBeUndefined();
  });

  test('an empty Allowed list allows nothing', () => {
    expect(scopeJudge(parseScope('### Allowed\n- None\n'))('a', 'write')).toMatch(/Allowed is nothing/);
  });

  test.each([
    'any file of the core',
    '../other',
    '/etc',
    '~/x',
    'C:\\x',
    'src/a.ts plus others',
    '`src/a.ts`, `../b.ts`',
    `\`${'{a,b}'.repeat(8)}\``,
  ])('an entry that is not a path is an error: %s', (entry) => {
    const told = `Allowed "${entry}" cannot be understood; write a path or glob relative to the workspace`;
    expect(() => parseScope(`### Allowed\n- src\n- ${entry}\n`)).toThrow(told);
  });

  test.each([
    ['src/a.ts, src/b.ts and lib/{c,d}.ts (new files)', ['src/a.ts', 'src/b.ts', 'lib/{c,d}.ts'], false],
    ['`my file.txt` and `other.txt`: read-only', ['my file.txt', 'other.txt'], true],
    ['./src/** - all of it', ['src/**'], false],
    ['**/*.test.ts', ['**/*.test.ts'], false],
    ['**src/a.ts** (read-only)', ['src/a.ts'], true],
    ['src/a-b.ts: the window', ['src/a-b.ts'], false],
  ])('an entry like %s', (entry, patterns, readOnly) =>
    expect(parseScope({ allowed: [entry] })).toEqual({
      allowed: [{ text: entry, patterns, readOnly }],
      forbidden: [],
      problems: [],
    }),
  );

  test.each(['**Allowed**:', '**Allowed:**', 'Allowed:', '#### Allowed:', '## allowed'])(
    '%s begins the list, too',
    (heading) => expect(parseScope(`Scope\n${heading}\n\n- src\n`).allowed?.[0]?.patterns).toEqual(['src']),
  );
});

describe('globs', () => {
  test.each([
    ['src', 'src/a/b.ts', true],
    ['src', 'src2/a.ts', false],
    ['src/*', 'src/a.ts', true],
    ['src/*', 'src/a/b.ts', false],
    ['src/*/', 'src/a/b.ts', true],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'x/y/a.ts', true],
    ['src/**', 'src/x/y', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'a/x/y/c', false],
    ['*.{ts,js}', 'a.js', true],
    ['{src,lib}/**/*.{ts,md}', 'lib/x/a.md', true],
    ['file[0-9].txt', 'file7.txt', true],
    ['file[!0-9].txt', 'file7.txt', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['a.c', 'abc', false],
    ['(a+)+$', 'aaa', false],
    ['{a', '{a', true],
    ['*😀', 'x😀', true],
  ])('%s fits %s: %s', (pattern, path, expected) => expect(glob(pattern)(path)).toBe(expected));

  test('no pattern takes exponential time', async () => {
    const match = (stars: number) => {
      const fits = glob(`${'*a'.repeat(stars)}b/${'**/'.repeat(stars)}x`);
      return () => expect(fits(`${'a'.repeat(250)}/${'y/'.repeat(500)}z`)).toBe(false);
    };
    expect(await timeRatio(match(60), match(15), { enough: 64 })).toBeLessThan(64);
  });
});
