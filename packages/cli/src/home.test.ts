import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeOf, openHome } from './home.ts';

test('the state folder is private to its owner', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'holdfast-home-'));
  const home = openHome({ cwd, env: { HOLDFAST_HOME: 'a/b' } });
  expect(home).toBe(join(cwd, 'a/b'));
  expect(statSync(home).mode & 0o777).toBe(0o700);
  expect(openHome({ cwd, env: { HOLDFAST_HOME: home } })).toBe(home);
});

test('without HOLDFAST_HOME it is in the home folder', () => {
  expect(homeOf({ cwd: '/x', env: { HOME: '/home/me', HOLDFAST_HOME: '' } })).toBe('/home/me/.holdfast');
});

test('if it cannot be created, the error says what to do', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'holdfast-home-'));
  writeFileSync(join(cwd, 'file'), '');
  expect(() => openHome({ cwd, env: { HOLDFAST_HOME: 'file/home' } })).toThrow(/set HOLDFAST_HOME to a folder/);
});
