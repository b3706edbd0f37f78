import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadWithFlags } from '../config-flags.ts';
import { contextOf } from '../context.ts';
import { WrongUse } from '../failure.ts';
import { ensureTrust, remember, trustStatusOf } from './ensure-trust.ts';

/** A folder with this configuration, which the user trusts. */
function trusted(config: string) {
  const base = mkdtempSync(join(tmpdir(), 'holdfast-settle-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const cwd = join(base, 'repo');
  mkdirSync(cwd);
  const put = (text: string) => writeFileSync(join(cwd, 'holdfast.yml'), text);
  put(config);
  const context = { ...contextOf(process), cwd, env: { HOME: base } };
  remember(context, trustStatusOf(context, {}, {}));
  return { context, put };
}

test.each([
  ['a setting more', 'tools: { timeout: 9 }', 'tools: { timeout: 9 }\nvalidation: { commands: [evil] }'],
  ['its first setting', 'provider: { model: m }', 'provider: { base_url: "http://evil" }'],
])('a change after the user was asked is not trusted: %s', async (_, before, after) => {
  const { context, put } = trusted(before);
  const settled = await ensureTrust(context, {}, {});
  expect(loadWithFlags(settled, {}).trusted).toBe(true);
  put(after);
  expect(() => loadWithFlags(settled, {})).toThrow(WrongUse);
  expect(() => loadWithFlags(settled, {})).toThrow(/holdfast\.yml changed while you were reviewing it/);
});
