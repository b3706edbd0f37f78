import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chatProject, chatServer, endChats, idle, say, shows, startChat } from './chat-place.ts';
import { HOLDFAST } from './project.ts';
import { openTerminal, SIZES, type TerminalOptions } from './terminal.ts';

const server = chatServer();
endChats();

const FILES = {
  '.git/HEAD': 'ref: refs/heads/main\n',
  'AGENTS.md': 'Rule of the repository.\n',
  'part/AGENTS.md': 'Rule of the part.\n',
  'part/notes.txt': 'a\n',
};
const system = () => {
  const body = server.standIn.requests.at(-1)?.body as { system?: unknown } | undefined;
  return JSON.stringify(body?.system);
};

test('AGENTS.md of the folder and those above it is read once all of it is trusted; the banner says so', async () => {
  const place = chatProject(FILES);
  const start = (more: Partial<TerminalOptions> = {}) =>
    startChat(place, server, [], { cwd: join(place.workspace, 'part'), env: { HOLDFAST_TRUST: '' }, ...more });
  const stranger = start();
  await stranger.until(shows('Trust it?'));
  expect(stranger.scrollback().join('\n')).toContain('../AGENTS.md instructs the model');
  stranger.write('n\r');
  await stranger.until(idle);
  await say(stranger, 'hello', 'you said "hello"');
  expect(system()).not.toContain('Rule of');
  expect(stranger.scrollback().join('\n')).not.toContain('follows ../AGENTS.md');
  const first = start({ cols: 60, rows: 20 });
  await first.until(shows('Trust it?'));
  first.write('y\r');
  await first.until(idle);
  expect(first.screen()).toContain('follows ../AGENTS.md, AGENTS.md');
  await say(first, 'hello', 'you said "hello"');
  expect(system()).toMatch(/Rule of the repository\..*Rule of the part\./);
  const second = start();
  await second.until(idle);
  expect(second.screen()).toContain('follows ../AGENTS.md, AGENTS.md');
  // A changed file above the folder is asked about again.
  place.write('AGENTS.md', 'Rule of the repository, changed.\n');
  const third = start({ cols: 200, rows: 50 });
  await third.until(shows('Trust it?'));
  expect(third.scrollback().join('\n')).toContain('../AGENTS.md changed:');
  for (const terminal of [stranger, first, second, third]) expect(terminal.brokenRows()).toEqual([]);
});

test.each(SIZES)('holdfast trust breaks no word, %i×%i', async (cols, rows) => {
  const { workspace: cwd, env } = chatProject({ 'AGENTS.md': `${'A rule with many words. '.repeat(20)}\n` });
  const trust = () => openTerminal({ command: process.execPath, args: [...HOLDFAST, 'trust'], cwd, env, cols, rows });
  const asked = trust();
  await asked.until(shows('Trust it?'));
  asked.write('y\r');
  expect(await asked.exit).toBe(0);
  const again = trust();
  expect(await again.exit).toBe(0);
  expect(again.screen().join(' ')).toContain('already trusted');
  // The path of the test's own folder may be wider than the terminal.
  for (const terminal of [asked, again]) expect(terminal.brokenRows().filter((row) => row.includes(' '))).toEqual([]);
});

test.each(SIZES)('the question about long instructions fits the screen, %i×%i', async (cols, rows) => {
  const place = chatProject({ 'AGENTS.md': `${'A rule with many words. '.repeat(20)}\n`.repeat(100) });
  const terminal = startChat(place, server, [], { cols, rows, env: { HOLDFAST_TRUST: '' } });
  await terminal.until((screen) => shows('Trust it?')(screen) && shows('AGENTS.md instructs the model')(screen));
  expect(terminal.screen().join(' ').replace(/\s+/g, ' ')).toContain('is not trusted yet');
  expect(terminal.screen().join('\n')).toMatch(/ {2}\| .*\n {2}… \d+ more lines: read AGENTS\.md\n/);
  expect(terminal.brokenRows()).toEqual([]);
});
