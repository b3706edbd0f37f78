import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commentedConfig } from './commented-config.ts';
import { configText } from './config-text.ts';
import { KEYS } from './key-index.ts';
import { loadConfig } from './load-config.ts';

const KEY_LINE = /^(\s*)#(?=\S)/gm;

function load(text?: string) {
  const cwd = mkdtempSync(join(tmpdir(), 'holdfast-new-'));
  if (text !== undefined) writeFileSync(join(cwd, 'holdfast.yml'), text);
  return loadConfig({ cwd });
}

function valueAt(config: unknown, key: string): unknown {
  return key.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], config);
}

test('a new file changes nothing', () => {
  expect(load(commentedConfig()).config).toEqual(load().config);
});

test('with every comment mark removed, each key has its default or the example shown', () => {
  const { config, sources, warnings } = load(commentedConfig().replace(KEY_LINE, '$1'));
  for (const [key, row] of KEYS) {
    expect(valueAt(config, key), key).toEqual(row.default ?? row.example);
    expect(sources[key], key).toMatchObject({ type: 'file' });
  }
  // Some are for other strategies than the default, and one is short for another.
  const idle = 'max_history_messages summarization_model summary_max_tokens summary_timeout_ms tier_thresholds';
  const about = warnings.map(
    (text) => /execution\.(?:conversation\.)?(\w+) (?:has no effect|overrides)/.exec(text)?.[1],
  );
  expect(about.sort()).toEqual([...idle.split(' '), 'tool_output_trim_chars', 'max_messages'].sort());
});

test('each key has its meaning above it, and its default', () => {
  const text = commentedConfig();
  for (const [key, row] of KEYS) {
    const name = key.split('.').at(-1);
    expect(text).toContain(`# ${row.about}`);
    expect(text, key).toMatch(new RegExp(`^ *#${name}: .+$`, 'm'));
    expect(row.default !== undefined || (row.otherwise !== undefined && row.example !== undefined), key).toBe(true);
  }
  expect(text).toContain('#model: claude-opus-5-5  # an example; default: chosen by the provider');
  expect(text).toContain(
    '#max_messages: 100  # an example; default: no limit; 100 in sliding without max_tokens, 50 in rolling',
  );
  expect(text).toMatch(/#repair: false$/m);
  expect(text).toMatch(
    /^ {2}#max_conversation_messages: 100 {2}# an example; default: no limit; 100 in sliding without max_tokens, 50 in rolling\n\n {2}conversation:$/m,
  );
});

test('the effective configuration can be read back, and hides servers’ variables and headers', () => {
  const given = `execution:
  max_conversation_messages: 30
mcp_servers:
  a: { command: x, env: { MODE: quiet, TOKEN: "\${TOKEN}" } }
`;
  const cwd = mkdtempSync(join(tmpdir(), 'holdfast-shown-'));
  writeFileSync(join(cwd, 'holdfast.yml'), given);
  const loaded = loadConfig({ cwd, env: { HOLDFAST_MODEL: 'm' } });
  const text = configText(loaded, cwd);
  expect(text).toMatch(/^ {4}max_messages: 30 +# holdfast\.yml:2$/m);
  expect(text).toMatch(/^ {2}model: m +# HOLDFAST_MODEL$/m);
  expect(text).toMatch(/^ {2}max_iterations: 50 +# default$/m);
  expect(text).toContain('MODE: "[hidden]"');
  expect(text).not.toContain('quiet');
  const { mcp_servers: _, ...rest } = load(text).config;
  const { mcp_servers: __, ...before } = loaded.config;
  expect(rest).toEqual(before);
});
