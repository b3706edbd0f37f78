import { expect, test } from 'vitest';
import { modulesOf } from '../../../scripts/walk/modules-of.ts';

const MOST = 40;

test.each([
  [[]],
  [['--help']],
  [['--version']],
  [['chat', '--help']],
  [['help', 'proxy']],
  [['sessions', 'show', '--help']],
  [['rnu']],
  [['help', 'docter']],
  [['chat', '--modl']],
])('what only prints help or a usage error loads few modules: holdfast %j', (args) => {
  const modules = modulesOf(args);
  expect(modules).toContain('packages/cli/src/program.ts');
  expect(modules.length).toBeLessThanOrEqual(MOST);
});

test('a completion script loads neither the engine nor the agent', () => {
  const packages = new Set(modulesOf(['completion', 'bash']).map((path) => path.split('/')[1]));
  expect([...packages].sort()).toEqual(['cli', 'models']);
});
