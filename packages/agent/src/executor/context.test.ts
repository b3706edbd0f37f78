import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configOf } from '../../test/executor/run-on-stand-in.ts';
import { sources } from '../../test/file-tools.ts';
import { loadContext } from './context.ts';
import { firstPrompt } from './prompts.ts';
import { parseTask } from './task.ts';

const task = parseTask('## Goal\nDo it.\n## Suggested Roles\n- Front End\n');

test('rules, role, skills and task come together, in this order', () => {
  const workspace = sources({
    '.ai/AGENTS.md': 'Rule one.',
    '.ai/roles/front-end.md': 'You know CSS.',
    '.ai/skills/b-skill/SKILL.md': 'Skill B.',
    '.ai/skills/a-skill/SKILL.md': 'Skill A.',
    '.ai/skills/notes.txt': 'no skill',
    'more/a-skill/SKILL.md': 'Another A.',
    'more/c-skill/SKILL.md': 'Skill C.',
  });
  const config = configOf({ skills: { directories: ['more'] } });
  const context = loadContext({ workspace, config, task, path: 'TASK.md' });
  expect(context.warnings).toEqual([]);
  expect(context.parts.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'rules AGENTS.md',
    'role front-end',
    'skill a-skill',
    'skill b-skill',
    'skill c-skill',
    'task TASK.md',
  ]);
  const prompt = firstPrompt(context);
  for (const text of ['Rule one.', 'You know CSS.', 'Skill A.', 'Skill C.', 'Do it.']) expect(prompt).toContain(text);
  expect(prompt).not.toContain('Another A.');
});

test('AGENTS.md in the workspace takes precedence over the one in .ai; skills can be chosen or turned off', () => {
  const workspace = sources({
    'AGENTS.md': 'Of the root.',
    '.ai/AGENTS.md': 'Of the folder.',
    '.ai/roles/Front End.md': 'Exact name.',
    '.ai/skills/a/SKILL.md': 'A.',
    '.ai/skills/b/SKILL.md': 'B.',
  });
  const texts = (skills: { enabled?: boolean; use?: string[] }) =>
    loadContext({ workspace, config: configOf({ skills }), task, path: 'TASK.md' }).parts.map(({ text }) => text);
  expect(texts({ use: ['b'] })).toEqual(['Of the root.', 'Exact name.', 'B.', task.text]);
  expect(texts({ enabled: false })).toEqual(['Of the root.', 'Exact name.', task.text]);
  expect(() => texts({ use: ['c'] })).toThrow('skills.use: unknown skill c: available: a, b');
});

test('rules of folders above count up to the root of the repository, the nearest last', () => {
  const root = sources({
    'AGENTS.md': 'Outside.',
    'repo/.git/HEAD': '',
    'repo/AGENTS.md': 'Of the repository.',
    'repo/a/.ai/AGENTS.md': 'Of a.',
    'repo/a/b/AGENTS.md': 'Of b.',
  });
  const rules = (folder: string, agents_file?: string) => {
    const config = configOf({ execution: agents_file === undefined ? {} : { agents_file } });
    const { parts } = loadContext({ workspace: join(root, folder), config, task, path: 'TASK.md' });
    return parts.flatMap(({ kind, path, text }) => (kind === 'rules' ? [`${path}: ${text}`] : []));
  };
  expect(rules('repo/a/b')).toEqual([
    '../../AGENTS.md: Of the repository.',
    '../.ai/AGENTS.md: Of a.',
    'AGENTS.md: Of b.',
  ]);
  expect(rules('repo')).toEqual(['AGENTS.md: Of the repository.']);
  expect(rules('repo/a', join(root, 'AGENTS.md'))).toEqual([`${join(root, 'AGENTS.md')}: Outside.`]);
});

test('a missing role or skill is an error if the configuration names it, a warning if the task does', () => {
  const workspace = sources({});
  const load = (execution: { role?: string; agents_file?: string }) =>
    loadContext({ workspace, config: configOf({ execution }), task, path: 'TASK.md' });
  expect(load({}).warnings).toEqual([expect.stringContaining('the role Front End')]);
  expect(load({}).parts.map(({ kind }) => kind)).toEqual(['task']);
  expect(() => load({ role: 'tester' })).toThrow(/execution\.role: tester was not found/);
  expect(() => load({ agents_file: 'RULES.md' })).toThrow(/execution\.agents_file: RULES\.md was not found/);
});
