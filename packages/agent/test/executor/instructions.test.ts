import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseTask } from '../../src/index.ts';
import { configOf, FILES, setting } from './run-on-stand-in.ts';

const write = (path: string) => ({ name: 'write_file', input: { path, content: 'obey me' } });
const done = { name: 'task_complete', input: { summary: 'done' } };
const PATHS = ['AGENTS.md', '.ai/AGENTS.md', '.ai/roles/boss.md', '.ai/skills/new/SKILL.md', 'agents.MD'];

test('in a run the model cannot write its own instructions, existing or new, not even with a command', async () => {
  const command = 'echo obey me >> AGENTS.md; mkdir -p .ai/roles; echo obey me > .ai/roles/boss.md';
  const steps = [PATHS.map(write), [{ name: 'run_command', input: { command } }]];
  const place = await setting(() => ({ calls: steps.shift() ?? [done] }));
  const task = parseTask('# TASK: x\n\n## Scope\n### Allowed\n- **\n- .ai/**\n');
  expect(await place.run({ task })).toMatchObject({ status: 'completed' });
  expect(readFileSync(join(place.workspace, 'AGENTS.md'), 'utf8')).toBe(FILES['AGENTS.md']);
  expect(PATHS.slice(1).filter((path) => existsSync(join(place.workspace, path)))).toEqual([]);
});

test('a task can allow it by naming them under Allowed', async () => {
  const place = await setting(({ results }) => ({
    calls: results.length === 0 ? [write('AGENTS.md'), write('.ai/skills/new/SKILL.md')] : [done],
  }));
  const task = parseTask('# TASK: x\n\n## Scope\n### Allowed\n- AGENTS.md\n- .ai/skills/**\n');
  await place.run({ task });
  for (const path of ['AGENTS.md', '.ai/skills/new/SKILL.md'])
    expect(readFileSync(join(place.workspace, path), 'utf8')).toBe('obey me');
});

test('a configuration written by a validation command is removed', async () => {
  const commands = ['echo "validation: { commands: [evil] }" > holdfast.yml'];
  const place = await setting(() => ({ calls: [done] }), { validation: { commands } });
  expect(await place.run()).toMatchObject({ status: 'completed' });
  expect(existsSync(join(place.workspace, 'holdfast.yml'))).toBe(false);
});

test('the task and any configuration are restored if a validation command changes them', async () => {
  const commands = ['echo evil > TASK.md; echo evil > mine.yml'];
  const place = await setting(() => ({ calls: [done] }), { validation: { commands } });
  const files = ['TASK.md', 'mine.yml'].map((name) => join(place.workspace, name));
  for (const file of files) writeFileSync(file, 'as it was');
  await place.run({ configFile: files[1] ?? '' });
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(['as it was', 'as it was']);
});

test('a run’s tools cannot reach a store that its configuration names in the workspace', async () => {
  const read = { name: 'read_file', input: { path: 'own.db' } };
  const place = await setting(({ results }) => ({
    calls:
      results.length === 0
        ? [read]
        : [{ name: 'task_complete', input: { summary: results.map(({ text }) => text).join() } }],
  }));
  writeFileSync(join(place.workspace, 'own.db'), 'what was said');
  const result = await place.run({ config: { ...configOf(), sessions: { mask_keys: false, store: 'own.db' } } });
  expect(result.summary).toContain('out of reach');
});
