import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyOutputs, outputsFolder, readOutput, removeOutputs } from '../sessions/output-files.ts';
import { plainStyle } from '../view/style.ts';
import type { CommandContext } from './commands/command.ts';
import { COMMANDS } from './commands.ts';
import { sessionOutputs } from './session-outputs.ts';

const KEY = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-outputs-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

function keep(home: string, session: string, text: string, mask_keys = false): string {
  const writer = sessionOutputs(home, () => session, mask_keys).create();
  writer.write(Buffer.from(text));
  writer.end();
  return writer.handle;
}

test("reads only the session's own outputs, and creates no folder by reading", () => {
  const home = newHome();
  expect(keep(home, 'one', 'of one')).toBe('o1');
  const other = sessionOutputs(home, () => 'two', false);
  expect(other.read('o1', 0, 100)).toBeUndefined();
  expect(readdirSync(join(home, 'chat-outputs'))).toEqual(['one']);
  expect(keep(home, 'two', 'of two')).toBe('o1');
  expect(readOutput(home, 'one', 'o1')).toBe('of one');
  expect(readOutput(home, 'one', '../two/o1')).toBeUndefined();
});

test('a chat stores outputs from its first prompt on', () => {
  let session: string | undefined;
  const outputs = sessionOutputs(newHome(), () => session, false);
  expect(outputs.read('o1', 0, 1)).toBeUndefined();
  expect(() => outputs.create()).toThrow('there is no session yet');
  session = 'begun';
  expect(outputs.create().handle).toBe('o1');
});

test('masks keys if the store masks them', () => {
  const home = newHome();
  const file = join(outputsFolder(home, 'one'), `${keep(home, 'one', `a ${KEY} b`, true)}.txt`);
  expect(readFileSync(file, 'utf8')).toMatch(/^a \[masked\] +b$/);
});

test('a fork keeps its outputs when the original is deleted', () => {
  const home = newHome();
  keep(home, 'one', 'long');
  copyOutputs(home, 'none', 'other');
  copyOutputs(home, 'one', 'two');
  expect(statSync(outputsFolder(home, 'two')).mode & 0o777).toBe(0o700);
  expect(statSync(join(outputsFolder(home, 'two'), 'o1.txt')).mode & 0o777).toBe(0o600);
  removeOutputs(home, 'one');
  expect(readOutput(home, 'one', 'o1')).toBeUndefined();
  expect(readOutput(home, 'two', 'o1')).toBe('long');
});

test.each(['.', '..'])('a session named %s stays inside its own folder', (id) => {
  const home = newHome();
  mkdirSync(join(home, 'chat-outputs'));
  writeFileSync(join(home, 'sessions.db'), '');
  keep(home, id, 'x');
  expect(readOutput(home, id, 'o1')).toBe('x');
  removeOutputs(home, id);
  expect(existsSync(join(home, 'sessions.db'))).toBe(true);
  expect(readdirSync(join(home, 'chat-outputs'))).toEqual([]);
});

test('/recall o1 shows an output, and where to find the rest of a long one', async () => {
  const home = newHome();
  keep(home, 'one', 'first\n\u001b[31mred');
  keep(home, 'one', 'line\n'.repeat(1_000));
  const rows: string[] = [];
  const face = { columns: 200, style: plainStyle, print: (more: readonly string[]) => void rows.push(...more) };
  const talk = {
    chat: { session: 'one', recall: async () => ({ hits: [] }) },
    home,
    face,
  } as unknown as CommandContext;
  const recall = COMMANDS.find(({ name }) => name === 'recall');
  await recall?.run('o1', talk);
  expect(rows.splice(0)).toEqual(['o1', '  first', '  red']);
  await recall?.run('o2', talk);
  expect(rows.splice(0).slice(400)).toEqual([
    '  line',
    `Only the start is shown; all 5000 characters: ${join(outputsFolder(home, 'one'), 'o2.txt')}`,
  ]);
  await recall?.run('o3', talk);
  expect(rows).toEqual(['This session has no output o3.']);
});
