import { expect, test } from 'vitest';
import { setProvider } from './set-provider.ts';

test('writes a configuration where there was none', () => {
  const text = setProvider('', { type: 'openai-api', model: 'gpt-6-sol' });
  expect(text).toMatch(/^# Your own configuration/);
  expect(text).toContain('\nprovider:\n  type: openai-api\n  model: gpt-6-sol\n');
});

test('keeps comments and other keys, and drops what only fits another provider', () => {
  const before = `# mine
provider:
  type: openai-api # work
  api: responses
  model: gpt-6-sol
  max_output: 4000
execution:
  max_cost: 3 # dollars
`;
  expect(setProvider(before, { type: 'anthropic-api' })).toBe(`# mine
provider:
  type: anthropic-api # work
  max_output: 4000
execution:
  max_cost: 3 # dollars
`);
  expect(setProvider(before, { type: 'openai-api' })).toBe(before);
});

test('an address given earlier is removed if none is given now', () => {
  const before = setProvider('', { type: 'openai-api', base_url: 'http://127.0.0.1:1/v1' });
  expect(before).toContain('base_url: http://127.0.0.1:1/v1');
  expect(setProvider(before, { type: 'openai-api' })).not.toContain('base_url');
});
