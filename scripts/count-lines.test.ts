import { expect, it } from 'vitest';
import { folderOf, kindOf } from './count-lines.ts';

it('counts all code of the packages as source but their tests, wherever below a package it is', () => {
  const source = [
    'packages/cli/src/program.ts',
    'packages/inspector/app/main.tsx',
    'packages/inspector/app/style/app.css',
    'packages/engine/src/testing/index.ts',
    'packages/proxy/clients/main.ts',
  ];
  expect(source.map(kindOf)).toEqual(source.map(() => 'packages'));
  const tests = ['packages/cli/src/program.test.ts', 'packages/cli/test/chat-place.ts', 'scripts/soak.test.ts'];
  expect(tests.map(kindOf)).toEqual(tests.map(() => 'tests'));
});

it('shows scripts, bench, examples and code in other kinds of files by themselves, and leaves out documents', () => {
  expect(kindOf('scripts/count-lines.ts')).toBe('scripts');
  expect(kindOf('bench/run.ts')).toBe('bench');
  expect(kindOf('bench/run.mjs')).toBe('other .mjs');
  expect(kindOf('packages/cli/package.json')).toBe('other .json');
  expect(kindOf('vitest.config.ts')).toBe('other .ts');
  for (const path of ['README.md', 'bench/package-lock.json', 'package-lock.json', 'docs/screens/page.png'])
    expect(kindOf(path)).toBeUndefined();
});

it('groups files by package and by the first folder below src, or beside it', () => {
  expect(folderOf('packages/cli/src/program.ts')).toEqual({ package: 'cli', folder: '.' });
  expect(folderOf('packages/agent/src/providers/anthropic/api.ts')).toEqual({ package: 'agent', folder: 'providers' });
  expect(folderOf('packages/inspector/app/charts/axis.ts')).toEqual({ package: 'inspector', folder: 'app' });
});
