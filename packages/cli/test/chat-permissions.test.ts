import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  asks,
  chatProject,
  chatServer,
  endChats,
  flagsFor,
  idle,
  say,
  sentResults,
  shows,
  startChat,
} from './chat-place.ts';
import { run } from './holdfast.ts';
import { HOLDFAST, type Project } from './project.ts';
import type { TestTerminal } from './terminal.ts';

const server = chatServer();
endChats();

const did = (row: RegExp) => (screen: readonly string[]) => shows(row)(screen) && idle(screen);

async function answer(terminal: TestTerminal, prompt: string, key: string, row: RegExp): Promise<void> {
  terminal.write(`${prompt}\r`);
  await terminal.until(asks(prompt.startsWith('run') ? 'run_command' : 'write_file'));
  terminal.write(key);
  await terminal.until(did(row));
}

test('always for commands that begin alike, never for what follows && or ;', async () => {
  const terminal = startChat(chatProject(), server, [], { rows: 50 });
  await terminal.until(idle);
  terminal.write('run git status\r');
  await terminal.until(asks('run_command'));
  for (const row of ['  y  once', '  p  always for git status *', '  a  always for run_command'])
    expect(terminal.screen()).toContain(row);
  terminal.write('p');
  await terminal.until(did(/run_command git status/));
  expect(terminal.screen()).toContain('  always allowed until you leave: run_command git status *');
  // Covered: it runs without a question.
  terminal.write('run git status --short\r');
  await terminal.until(did(/run_command git status --short/));
  for (const more of ['&& echo gone', '; echo gone', '| cat', '$(echo gone)', '> out.txt']) {
    terminal.write(`run git status ${more}\r`);
    await terminal.until(asks('run_command'));
    expect(shows('always for git status')(terminal.screen().slice(-8))).toBe(false);
    terminal.write('n\r');
    await terminal.until(idle);
  }
  await say(terminal, '/permissions', '  1  until you leave  run_command git status *');
  await say(terminal, '/permissions revoke 1', 'Revoked: run_command git status *.');
  terminal.write('run git status\r');
  await terminal.until(asks('run_command'));
});

test('no, with a reason that goes to the model', async () => {
  const terminal = startChat(chatProject(), server);
  await terminal.until(idle);
  terminal.write('run ls\r');
  await terminal.until(asks('run_command'));
  terminal.write('n');
  await terminal.until(shows('Why not?'));
  terminal.write('use the list tool\r');
  await terminal.until(did(/refused: use the list tool/));
  expect(sentResults(server).join('\n')).toContain('Not run: the user refused it: use the list tool');
});

test('a permission is remembered for the folder on request, privately, and can be taken back', async () => {
  const place = chatProject();
  const file = join(place.home, 'trust.json');
  const first = startChat(place, server, [], { cols: 60, rows: 20 });
  await first.until(idle);
  await answer(first, 'write a.txt one', 'a', /✓ write_file/);
  expect(existsSync(file)).toBe(false);
  await answer(first, 'run echo hello', 'P', /✓ run_command echo hello/);
  expect(first.screen()).toContain('  always allowed in this folder: run_command echo hello *');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(Object.values(JSON.parse(readFileSync(file, 'utf8')).permissions)).toMatchObject([
    [{ tool: 'run_command', command: 'echo hello *' }],
  ]);
  expect(existsSync(join(place.workspace, '.holdfast'))).toBe(false);
  expect(first.brokenRows()).toEqual([]);
  // Another chat has it, and one that only answers, too.
  const second = startChat(place, server);
  await second.until(idle);
  second.write('run echo hello there\r');
  await second.until(did(/✓ run_command echo hello there/));
  const printed = await printOnce(place, 'run echo hello you');
  expect(printed.stdout).toContain('the call gave');
  // What was allowed in the other chat only is asked here.
  second.write('write b.txt one\r');
  await second.until(asks('write_file'));
  second.write('n\r');
  await second.until(idle);
  const listed = await place.holdfast('trust', 'list');
  expect(listed.stdout).toContain('chat may: run_command echo hello *');
  await say(first, '/permissions revoke all', 'Revoked: run_command echo hello *, write_file.');
  // At once, in every chat of the folder.
  second.write('run echo hello again\r');
  await second.until(asks('run_command'));
  expect((await place.holdfast('trust', 'list')).stdout).toContain('No trusted folders yet.');
});

test('a folder that is not trusted has no remembered permissions', async () => {
  const place = chatProject({ 'AGENTS.md': 'Be brief.\n' });
  const env = { HOLDFAST_TRUST: '' };
  const first = startChat(place, server);
  await first.until(idle);
  await answer(first, 'run echo hello', 'P', /✓ run_command echo hello/);
  const second = startChat(place, server, [], { env });
  await second.until(shows('Trust it?'));
  second.write('n\r');
  await second.until(idle);
  second.write('run echo hello\r');
  await second.until(asks('run_command'));
  expect(shows('in later chats in this folder')(second.screen())).toBe(false);
  second.write('P');
  await second.until(did(/always allowed until you leave: run_command echo hello/));
  await say(second, '/permissions', '  1  until you leave  run_command echo hello *');
});

test('instructions and settings are asked for every time, also in a command', async () => {
  const place = chatProject();
  const terminal = startChat(place, server, [], { rows: 40 });
  await terminal.until(idle);
  await answer(terminal, 'write a.txt one', 'a', /✓ write_file/);
  await answer(terminal, 'run echo one', 'a', /✓ run_command/);
  for (const prompt of ['write AGENTS.md evil', 'run cp a.txt ./AGENTS.md', 'run echo x >.ai/skills/x/SKILL.md']) {
    terminal.write(`${prompt}\r`);
    await terminal.until((screen) => shows('settings: asked every time)')(screen) && shows('  n  no,')(screen));
    expect(shows(/^ {2}a {2}always/)(terminal.screen())).toBe(false);
    terminal.write('n\r');
    await terminal.until(idle);
  }
  expect(existsSync(join(place.workspace, 'AGENTS.md'))).toBe(false);
});

function printOnce(place: Project, prompt: string) {
  const args = [...HOLDFAST, 'chat', ...flagsFor(server), '-p', prompt];
  return run(process.execPath, args, { cwd: place.workspace, env: place.env, input: '' });
}
