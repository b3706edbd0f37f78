import { expect, test } from 'vitest';
import { load, problems } from './config-from-text.ts';

const FILE = `version: 1
project:
  name: example
provider:
  type: claude-cli
  model: opus
execution:
  max_iterations: 20
  max_consecutive_failures: 5
  timeout_per_iteration: 300
  session_continuation: true
  max_conversation_messages: 80
permissions:
  skip_permissions: true
validation:
  pre_commit:
    - npm run lint
    - npm test
  pre_push: [npm run build]
  pre_pr: []
git:
  auto_push: false
notifications:
  slack: { webhook_url: https://hooks.example.com/x, token: abc }
skills:
  enabled: true
  directories: [more/skills]
  extras: [one]
security:
  api_key: not-ours
`;

test('a file that other programs read too is accepted, with one warning for what is not used', () => {
  const { config, warnings, sources } = load(FILE, {}, '.ai/config.yml');
  expect(warnings).toEqual([
    '.ai/config.yml: not used by holdfast: project, execution.session_continuation, permissions, validation.pre_push, validation.pre_pr, git, notifications, skills.extras, security',
  ]);
  expect(config.provider).toMatchObject({ type: 'claude-cli', model: 'opus' });
  expect(config.execution).toMatchObject({
    max_iterations: 20,
    max_consecutive_failures: 5,
    timeout_per_iteration: 300,
    conversation: { max_messages: 80 },
  });
  expect(config.validation.commands).toEqual(['npm run lint', 'npm test']);
  expect(config.validation).not.toHaveProperty('pre_commit');
  expect(sources['validation.commands']).toMatchObject({ type: 'file', line: 16 });
  expect(config.skills).toEqual({ enabled: true, directories: ['more/skills'] });
});

test('in holdfast.yml the same keys are errors', () => {
  const found = problems(FILE).map((line) => line.replace(/^holdfast.yml:\d+:\d+: ([\w.]+).*$/, '$1'));
  expect(found).toEqual([
    'version',
    'project',
    'execution.session_continuation',
    'permissions',
    'validation.pre_commit',
    'validation.pre_push',
    'validation.pre_pr',
    'git',
    'notifications',
    'skills.extras',
    'security',
  ]);
});

test('a misspelt key is ignored, with a suggestion', () => {
  const { warnings } = load('execution:\n  max_iteratons: 4\n', {}, '.ai/config.yaml');
  expect(warnings).toEqual([
    '.ai/config.yaml: not used by holdfast: execution.max_iteratons (did you mean max_iterations?)',
  ]);
});

test('a provider may be a single word', () => {
  expect(load('provider: openai-api\n', {}, '.ai/config.yml').config.provider.type).toBe('openai-api');
});

test('commands overrides pre_commit, with a warning', () => {
  const text = 'validation:\n  pre_commit: [a]\n  commands: [b]\n';
  const { config, warnings } = load(text, {}, '.ai/config.yml');
  expect(config.validation.commands).toEqual(['b']);
  expect(warnings).toEqual([
    '.ai/config.yml:3:13: validation.commands overrides validation.pre_commit (.ai/config.yml:2:15): remove one of them',
  ]);
});

test('keys that are used are checked just as strictly, and API keys are refused', () => {
  const text = 'execution:\n  max_iterations: -1\nprovider:\n  api_key: hunter2\n';
  const found = problems(text, {}, '.ai/config.yml');
  expect(found).toHaveLength(2);
  expect(found[0]).toContain('.ai/config.yml:2:19: execution.max_iterations is -1');
  expect(found[1]).toMatch(/^\.ai\/config\.yml:4:3: provider\.api_key: keys belong/);
});
