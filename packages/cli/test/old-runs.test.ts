import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runPrefix } from '@holdfast/agent/internal';
import { expect, test } from 'vitest';
import { type Project, project } from './project.ts';

/** Written by version 0.1, killed after 15 of its 24 calls, behind several folds. */
const FOLDER = fileURLToPath(new URL('fixtures/run-folder-0.1', import.meta.url));

const SOURCES = Object.fromEntries(
  [0, 1, 2].map((file) => [
    `src/part-${file}.ts`,
    Array.from({ length: 12 }, (_, line) => `export const value_${file}_${line} = ${line};\n`).join(''),
  ]),
);
const FILES = {
  ...SOURCES,
  'TASK.md':
    '# TASK: Tidy the sources\n\n## Goal\nImprove the sources.\n\n## Definition of Done\n- [ ] every line is better\n',
  'holdfast.yml':
    'provider: { type: stand-in, calls: 24, edits: true }\nexecution:\n  conversation: { max_messages: 12, preserve_last_n: 4 }\n',
};

/** A project with that run, as it was left. */
function withOldRun(): Project & { readonly id: string } {
  const there = project(FILES);
  const prefix = runPrefix(join(there.workspace, 'TASK.md'));
  const folder = join(there.home, 'runs', prefix.slice(0, -1), '1');
  mkdirSync(folder, { recursive: true });
  cpSync(FOLDER, folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), text.replaceAll('<WORKSPACE>', there.workspace));
  }
  return { ...there, id: `${prefix}1` };
}

test('a run folder of version 0.1 is resumed from where it was cut off, and becomes a session', async () => {
  const there = withOldRun();
  const ended = await there.holdfast('run', 'TASK.md', '--resume', '--json');
  expect(ended.code, ended.stderr).toBe(0);
  const events = ended.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.at(-1)).toMatchObject({
    type: 'run-end',
    result: { status: 'completed', calls: 25, session: there.id, elapsedMs: expect.any(Number) },
  });
  expect(events.filter(({ type }) => type === 'call-end')).toHaveLength(10);
  const verified = JSON.parse((await there.holdfast('sessions', 'verify', '--json')).stdout);
  expect(verified).toMatchObject({ sound: true, sessions: [{ session: there.id, problems: [] }] });
  // What the old window had folded away is in the history again.
  expect((await there.holdfast('recall', there.id, 'm0')).stdout).toContain('# TASK: Tidy the sources');
  expect((await there.holdfast('recall', there.id, 'm2')).stdout).toContain('export const value_2_0');
  const shown = JSON.parse((await there.holdfast('sessions', 'show', there.id, '--request', 'last')).stdout);
  expect(shown).toMatchObject({ model: 'claude-sonnet-5', stream: true, messages: expect.any(Array) });
  const none = await there.holdfast('sessions', 'show', there.id, '--request', '99');
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('has no request 99')]);
  const again = await there.holdfast('run', 'TASK.md', '--resume');
  expect(again.stderr).toContain('the last run of TASK.md is complete');
});

test('an old run is imported without its keys if keys are masked', async () => {
  const there = withOldRun();
  const key = `sk-ant-api03-${'a1B2c3D4'.repeat(10)}`;
  const folder = join(there.home, 'runs', there.id.slice(0, -2), '1');
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), text.replaceAll('export const value_2_0', key));
  }
  there.write('holdfast.yml', `${FILES['holdfast.yml']}sessions: { mask_keys: true }\n`);
  expect((await there.holdfast('sessions', 'import', folder)).code).toBe(0);
  const exported = await there.holdfast('sessions', 'export', there.id);
  expect(exported.stdout).toContain('Tidy the sources');
  expect(exported.stdout).not.toContain(key);
  const none = await there.holdfast('sessions', 'show', there.id, '--request', 'last');
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('has no requests: version 0.1')]);
  const wrong = await there.holdfast('sessions', 'show', there.id, '--request', '0');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('or `last`')]);
});

test('sessions list names old runs that are not imported, and sessions import brings one in', async () => {
  const there = withOldRun();
  const folder = join(there.home, 'runs', there.id.slice(0, -2), '1');
  const listed = await there.holdfast('sessions', 'list');
  expect(listed.stderr).toContain(`1 run of version 0.1 is not in this list: holdfast sessions import ${folder}`);
  const imported = await there.holdfast('sessions', 'import', folder);
  expect(imported.stdout, imported.stderr).toMatch(new RegExp(`^${there.id}: \\d+ messages\\.$`, 'm'));
  const then = await there.holdfast('sessions', 'list');
  expect([then.stderr, then.stdout]).toEqual(['', expect.stringContaining(there.id)]);
});

test('a new run leaves the id of an old one free', async () => {
  const there = withOldRun();
  const ended = await there.holdfast('run', 'TASK.md', '--json');
  expect(ended.stdout).toContain(`"session":"${there.id.slice(0, -1)}2"`);
  const folder = join(there.home, 'runs', there.id.slice(0, -2), '1');
  expect((await there.holdfast('sessions', 'list')).stderr).toContain(`holdfast sessions import ${folder}`);
  const imported = await there.holdfast('sessions', 'import', folder);
  expect(imported.stdout, imported.stderr).toContain(`${there.id}: `);
});

test('`holdfast runs` lists, shows and reports a run of version 0.1', async () => {
  const there = withOldRun();
  expect((await there.holdfast('runs', 'list')).stdout).toContain(`${there.id}  of version 0.1`);
  const shown = await there.holdfast('runs', 'show', there.id);
  expect(shown.code, shown.stderr).toBe(0);
  expect(shown.stdout).toContain('read_file');
  expect((await there.holdfast('runs', 'report', there.id, '-o', 'old.html')).code).toBe(0);
  expect(readFileSync(join(there.workspace, 'old.html'), 'utf8')).toContain('read_file');
  const resumed = await there.holdfast('runs', 'resume', there.id);
  expect([resumed.code, resumed.stderr]).toEqual([2, expect.stringContaining('`holdfast run TASK.md --resume`')]);
});
