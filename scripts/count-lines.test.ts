import { expect, it } from 'vitest';
import { folderOf, isSource } from './count-lines.ts';

it('counts code, styles and pages below src, but no tests, test helpers or documents', () => {
  const paths = [
    'packages/cli/src/program.ts',
    'packages/ui/src/page.tsx',
    'packages/ui/src/page.css',
    'packages/ui/src/page.html',
    'packages/cli/src/program.test.ts',
    'packages/ui/src/page.test.tsx',
    'packages/engine/src/testing/index.ts',
    'packages/cli/test/chat.ts',
    'packages/cli/README.md',
    'packages/cli/bin/holdfast.js',
    'scripts/count-lines.ts',
  ];
  expect(paths.filter(isSource)).toEqual(paths.slice(0, 4));
});

it('groups files by package and by the first folder below src', () => {
  expect(folderOf('packages/cli/src/program.ts')).toEqual({ package: 'cli', folder: '.' });
  expect(folderOf('packages/agent/src/providers/anthropic/api.ts')).toEqual({ package: 'agent', folder: 'providers' });
});
