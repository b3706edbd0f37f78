import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configText } from '../../src/config/config-text.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { folderWith, load } from './config-from-text.ts';

test('without a file, every value is a default and marked as one', () => {
  const { config, sources, file, warnings } = loadConfig({ cwd: folderWith({}) });
  expect(config).toMatchObject({
    provider: { type: 'anthropic-api', api: 'chat', args: [], calls: 120, edits: false },
    execution: { max_iterations: 50, max_consecutive_failures: 3, conversation: {}, agents_file: 'AGENTS.md' },
    validation: { commands: [], timeout: 300 },
    tools: { ignored: ['.git', 'node_modules'], max_output_chars: 20_000, timeout: 120 },
    mcp_servers: {},
    models: {},
  });
  expect(config.provider).not.toHaveProperty('model');
  expect(new Set(Object.values(sources).map(({ type }) => type))).toEqual(new Set(['default']));
  expect(sources).toHaveProperty(['execution.conversation.max_messages']);
  expect({ file, warnings }).toEqual({ file: undefined, warnings: [] });
});

test.each([
  ['an empty file', ''],
  ['comments alone', '# nothing\n\n'],
  ['a byte order mark alone', '\uFEFF'],
  [
    'sections without keys',
    'provider:\nexecution:\n  conversation:\nmcp_servers:\nmodels: {}\nvalidation:\n  commands:\n',
  ],
])('%s gives the defaults', (_, text) => {
  expect(load(text).config).toEqual(loadConfig({ cwd: folderWith({}) }).config);
});

test('a byte order mark and CRLF change neither values nor lines', () => {
  const { config, sources, file } = load('\uFEFFexecution:\r\n  max_iterations: 7\r\n  role: tester\r\n');
  expect(config.execution).toMatchObject({ max_iterations: 7, role: 'tester' });
  expect(sources['execution.role']).toEqual({ type: 'file', file, line: 3 });
});

test('the shorthand becomes max_messages, with its own line as the source', () => {
  const { config, sources, warnings, file } = load('execution:\n  max_conversation_messages: 30\n');
  expect(config.execution.conversation).toEqual({ max_messages: 30 });
  expect(config.execution).not.toHaveProperty('max_conversation_messages');
  expect(sources['execution.conversation.max_messages']).toEqual({ type: 'file', file, line: 2 });
  expect(warnings).toEqual([]);
});

test('the full form overrides the short one, in either order, with a warning that names both lines', () => {
  const full = '  conversation:\n    max_messages: 40\n';
  const short = '  max_conversation_messages: 30\n';
  const after = load(`execution:\n${short}${full}`);
  const before = load(`execution:\n${full}${short}`);
  expect([after, before].map(({ config }) => config.execution.conversation.max_messages)).toEqual([40, 40]);
  expect(after.warnings).toEqual([
    'holdfast.yml:4:19: execution.conversation.max_messages overrides execution.max_conversation_messages (holdfast.yml:2:30): remove one of them',
  ]);
  expect(before.warnings[0]).toContain('holdfast.yml:3:19: ');
  expect(before.warnings[0]).toContain('(holdfast.yml:4:30)');
});

test('the shorthand fills in what the full form leaves open', () => {
  const text = 'execution:\n  max_conversation_messages: 30\n  conversation:\n    preserve_last_n: 5\n';
  const { config, warnings } = load(text);
  expect(config.execution.conversation).toEqual({ max_messages: 30, preserve_last_n: 5 });
  expect(warnings).toEqual([]);
});

test('every conversation key is read', () => {
  const conversation = {
    max_messages: 60,
    max_tokens: 50_000,
    limit: 90_000,
    reserve: 1_000,
    target: 0.4,
    preserve_first_n: 2,
    preserve_last_n: 9,
    strategy: ['fold', 'governed'],
    tool_output_trim_chars: 500,
    max_history_messages: 30,
    tier_thresholds: [10_000, 20_000],
    summarize_on_trim: true,
    summarization_model: 'small',
    summary_max_tokens: 500,
    summary_timeout_ms: 0,
    repair: true,
  };
  expect(load(JSON.stringify({ execution: { conversation } })).config.execution.conversation).toEqual(conversation);
});

test('flags override the environment, which overrides the file, which overrides defaults', () => {
  const text = 'provider:\n  type: openai-api\n  model: from-file\n  api: responses\n';
  const env = { HOLDFAST_MODEL: 'from-env', HOLDFAST_PROVIDER: 'claude-cli', HOLDFAST_BASE_URL: '' };
  const flags = {
    'provider.type': { value: 'cursor-cli', flag: '--provider' },
    'provider.base_url': { value: undefined, flag: '--base-url' },
    'execution.max_iterations': { value: '9', flag: '--max-iterations' },
  };
  const { config, sources } = load(text, { env, flags });
  expect(config.provider).toMatchObject({ type: 'cursor-cli', model: 'from-env', api: 'responses' });
  expect(config.provider).not.toHaveProperty('base_url');
  expect(config.execution.max_iterations).toBe(9);
  expect(sources['provider.type']).toEqual({ type: 'flag', flag: '--provider' });
  expect(sources['provider.model']).toEqual({ type: 'environment', variable: 'HOLDFAST_MODEL' });
  expect(sources['provider.api']).toMatchObject({ type: 'file', line: 4 });
  expect(sources['provider.args']).toEqual({ type: 'default' });
});

test('the nearest file applies, up to the root of the repository', () => {
  const outer = folderWith({
    'holdfast.yml': 'execution: { max_iterations: 1 }',
    'repo/.git/HEAD': '',
    'repo/holdfast.yaml': 'execution: { max_iterations: 2 }',
    'repo/.ai/config.yml': 'execution: { max_iterations: 3 }',
    'repo/inner/.ai/config.yml': 'execution: { max_iterations: 4 }',
    'bare/.git': 'gitdir: elsewhere',
    'loose/file': '',
  });
  mkdirSync(join(outer, 'repo/inner/deep/deeper'), { recursive: true });
  const iterations = (cwd: string) => loadConfig({ cwd: join(outer, cwd) }).config.execution.max_iterations;
  expect(iterations('repo')).toBe(2);
  expect(iterations('repo/inner/deep/deeper')).toBe(4);
  expect(iterations('bare')).toBe(50);
  expect(iterations('loose')).toBe(50);
  expect(iterations('.')).toBe(1);
});

test('an explicit path is read instead, relative to the folder', () => {
  const cwd = folderWith({ 'holdfast.yml': 'nonsense: 1', 'other/my.yml': 'execution: { max_iterations: 5 }' });
  const { config, file } = loadConfig({ cwd, path: 'other/my.yml' });
  expect(config.execution.max_iterations).toBe(5);
  expect(file).toBe(join(cwd, 'other/my.yml'));
});

test('anchors and aliases work', () => {
  const text = 'validation:\n  commands: &all [npm test]\ntools:\n  allowed_commands: *all\n';
  expect(load(text).config.tools.allowed_commands).toEqual(['npm test']);
});

test('servers and models arrive as they are; a variable stays a name', () => {
  const text = `mcp_servers:
  tracker:
    url: https://example.com/mcp
    headers: { Authorization: 'Bearer \${TRACKER_TOKEN}' }
models:
  my-model: { window: 32768, prices: { input: 1, output: 2 } }
`;
  const { config, sources } = load(text);
  expect(config.mcp_servers).toEqual({
    tracker: { url: 'https://example.com/mcp', headers: { Authorization: `Bearer \${TRACKER_TOKEN}` } },
  });
  expect(config.models).toEqual({ 'my-model': { window: 32_768, prices: { input: 1, output: 2 } } });
  expect(sources.models).toMatchObject({ line: 5 });
});

test.each([
  ['tool_output_trim_chars: 500', 'with strategy fold', 'remove it, or set strategy: governed'],
  ['max_history_messages: 10', 'with strategy fold', 'remove it, or set strategy: governed'],
  ['tier_thresholds: [10, 20]', 'with strategy fold', 'remove it, or set strategy: two-tier'],
  ['{ strategy: [sliding, governed], tier_thresholds: [10, 20] }', 'with strategy sliding, governed', 'two-tier'],
  ['{ strategy: governed, max_messages: 9, max_history_messages: 10 }', 'next to max_messages', 'remove one of them'],
  ['summary_max_tokens: 10', 'without summaries', 'set summarize_on_trim: true'],
])('a key without effect gets a warning with its line, and a remark in `config`: %s', (text, why, advice) => {
  const inline = text.startsWith('{') ? text : `{ ${text} }`;
  const given = `execution:\n  conversation: ${inline}\n`;
  const cwd = folderWith({ 'holdfast.yml': given });
  const loaded = loadConfig({ cwd });
  expect(loaded.warnings).toHaveLength(1);
  expect(loaded.warnings[0]).toMatch(/^holdfast\.yml:2:\d+: execution\.conversation\.\w+ has no effect /);
  expect(loaded.warnings[0]).toContain(`${why}: `);
  expect(loaded.warnings[0]).toContain(advice);
  expect(configText(loaded, cwd)).toContain(`# holdfast.yml:2, no effect ${why}\n`);
});

test.each([
  '{ strategy: governed, tool_output_trim_chars: 500, max_history_messages: 10 }',
  '{ strategy: [fold, two-tier], tier_thresholds: [10, 20], summary_max_tokens: 10 }',
  '{ summarize_on_trim: true, summarization_model: x }',
])('keys with an effect get no warning: %s', (text) => {
  expect(load(`execution:\n  conversation: ${text}\n`).warnings).toEqual([]);
});

test('a flag that names another provider leaves the model and the server of the files behind', () => {
  const cwd = folderWith({
    'holdfast.yml': 'provider: { type: openai-api, model: gpt-6-sol, base_url: "http://x/v1", max_output: 9 }\n',
  });
  const flags = (type: string) => ({ 'provider.type': { value: type, flag: '--provider' } });
  const other = loadConfig({ cwd, flags: flags('gemini-api') }).config.provider;
  expect(other).toMatchObject({ type: 'gemini-api', max_output: 9 });
  expect(other.model).toBeUndefined();
  expect(other.base_url).toBeUndefined();
  expect(loadConfig({ cwd, flags: flags('openai-api') }).config.provider.model).toBe('gpt-6-sol');
});
