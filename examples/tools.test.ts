import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolsForTask } from './tools.ts';

test('tools stay within the scope of a task and ask before a command', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-'));
  mkdirSync(join(folder, 'work'));
  const task = '## Scope\n### Allowed\n- src/window.ts (new file)\n### Forbidden\n- src/executor.ts (read-only)\n';
  const { tools, close } = await toolsForTask(join(folder, 'work'), task, join(folder, 'outputs'));
  const call = async (name: string, input: unknown) =>
    (await tools.find((tool) => tool.name === name)?.call(input))?.text;
  expect(await call('write_file', { path: 'src/window.ts', content: 'export {};\n' })).toMatch(
    /^created src\/window.ts/,
  );
  expect(await call('write_file', { path: 'src/executor.ts', content: '' })).toMatch(/Forbidden.*read-only/);
  expect(await call('run_command', { command: 'npm test' })).toMatch(/not approved: ask someone first/);
  await close();
  rmSync(folder, { recursive: true });
});
