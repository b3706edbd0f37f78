import { expect, test } from 'vitest';
import { withoutKeys, withoutValues } from './environment.ts';
import { isAllowedCommand } from './run-command.ts';

test.each([
  'ANTHROPIC_API_KEY',
  'OPENAI_APIKEY',
  'GITHUB_TOKEN',
  'npm_config__authToken',
  'AWS_SECRET_ACCESS_KEY',
  'PGPASSWORD',
  'DB_PASS',
  'MY-KEY',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'SSH_AUTH_SOCK',
  'client_secret',
])('%s does not reach a command', (name) => expect(withoutKeys({ [name]: 'x' })).toEqual({}));

test.each([
  `sk-ant-api03-${'a'.repeat(30)}`,
  `ghp_${'a'.repeat(36)}`,
  'AKIAABCDEFGHIJKLMNOP',
  'postgres://me:hunter2@host/db',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.x',
])('nor does a value like %s under any name', (value) => expect(withoutKeys({ HARMLESS: value })).toEqual({}));

test('other variables do, and those listed explicitly', () => {
  const env = {
    PATH: '/bin',
    HOME: '/root',
    PWD: '/x',
    MONKEY: 'm',
    KEYBOARD: 'k',
    LANG: 'C',
    MY_TOKEN: 't',
    GONE: undefined,
  };
  const { MY_TOKEN, GONE: _, ...rest } = env;
  expect(withoutKeys(env)).toEqual(rest);
  expect(withoutKeys(env, ['MY_TOKEN'])).toEqual({ ...rest, MY_TOKEN });
});

test('header values are removed from a text, with and without their scheme', () => {
  expect(withoutValues('got abcdef and Bearer abcdef', { Authorization: 'Bearer abcdef' })).toBe('got *** and ***');
});

test.each([
  ['npm test', true],
  ['  npm test ', true],
  ['npm test -- x', false],
  ['npx vitest run src/a.test.ts', true],
  ['npx vitest', true],
  ['npx vitest "a b"', true],
  ['npx vitestx', false],
  ['npx vitest; rm -rf .', false],
  ['npx vitest && rm -rf .', false],
  ['npx vitest | sh', false],
  ['npx vitest $(rm x)', false],
  ['npx vitest `rm x`', false],
  ['npx vitest > package.json', false],
  ['npx vitest < x', false],
  ['npx vitest\nrm x', false],
  ['npx vitest\\\nrm', false],
  ['npx vitest "$(rm x)"', false],
  ['npx vitest & rm x', false],
  ['npx vitest #x\rrm', false],
  ['X=1 npx vitest', false],
  ['npm test;', false],
])('on a list with "npm test" and "npx vitest *", %j is allowed: %s', (command, expected) =>
  expect(isAllowedCommand(command, ['npm test', 'npx vitest *'])).toBe(expected),
);
