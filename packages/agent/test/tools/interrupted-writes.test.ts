import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTools } from '../../src/index.ts';
import { temporaryName } from '../../src/tools/files/temporary-name.ts';
import { toolsInWorkspace } from './tools-in-workspace.ts';

/** A name as this process would give it, for another. */
const nameOf = (pid: number | undefined) => temporaryName().replace(/^(\.holdfast-)\d+/, `$1${pid}`);

test("a killed process's temporary file is hidden, and removed when tools are created again", async () => {
  const place = await toolsInWorkspace();
  const dead = nameOf(spawnSync('true').pid);
  const names = {
    dead,
    deep: `src/${dead}`,
    own: temporaryName(),
    running: nameOf(process.ppid),
    elsewhere: temporaryName().replace(/-[0-9a-f]{6}-/, '-000000-'),
    old: temporaryName().replace(/-[0-9a-f]{6}-/, '-111111-'),
    folder: nameOf(spawnSync('true').pid),
    link: nameOf(spawnSync('true').pid),
    other: '.holdfast-12.tmp',
  };
  const { folder, link, ...files } = names;
  for (const name of Object.values(files)) place.put(name, 'needle');
  utimesSync(join(place.workspace, names.old), 1, 1);
  mkdirSync(join(place.workspace, folder));
  symlinkSync(join(place.outside, 'secret.txt'), join(place.workspace, link));
  const listed = (await place.call('list_files', {})).text.split('\n');
  expect(listed).toEqual([names.other, `${folder}/`, `${link} (symlink)`, 'src/'].sort());
  expect((await place.call('search', { pattern: 'needle' })).text).toContain('1 match in 1 file');
  const { filesChanged } = await place.call('run_command', { command: `rm ${names.running}; touch new` });
  expect(filesChanged).toEqual(['new']);
  place.put(names.running, '');

  const again = await createTools({ workspace: place.workspace });
  // Lists come after the sweep.
  await again.tools.find(({ name }) => name === 'list_files')?.call({});
  await again.close();
  const left = Object.entries(names).flatMap(([kind, name]) =>
    kind === 'link' || existsSync(join(place.workspace, name)) ? [kind] : [],
  );
  expect(left).toEqual(['own', 'running', 'elsewhere', 'folder', 'link', 'other']);
  expect(existsSync(join(place.outside, 'secret.txt'))).toBe(true);
});
