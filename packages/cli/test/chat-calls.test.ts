import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asks, CTRL, chatProject, chatServer, ESC, endChats, idle, shows, startChat } from './chat-place.ts';
import { SIZES } from './terminal.ts';

const server = chatServer();
endChats();

const command = (text: string) => ({ calls: [{ name: 'run_command', input: { command: text } }] });
const RED = `${ESC}[31m`;
const GREEN = `${ESC}[32m`;

test('a command shows its exit code and last lines; Ctrl-O shows all, and then the call before', async () => {
  const place = chatProject();
  server.answer('count', command('seq 1 50; echo to stderr >&2'));
  server.answer('fail', command('echo broken; exit 3'));
  const terminal = startChat(place, server, ['--yolo'], { rows: 30 });
  await terminal.until(idle);
  terminal.write('count\r');
  await terminal.until((screen) => shows(/✓ run_command seq 1 50.* exit 0/)(screen) && idle(screen));
  expect(terminal.screen()).toContain('    … 46 earlier lines (Ctrl-O shows all)');
  expect(terminal.screen()).toContain('    50');
  expect(terminal.screen()).toContain('    to stderr');
  expect(terminal.screen()).not.toContain('    20');
  expect(terminal.screen().join('\n')).not.toMatch(/stdout:|^ +exit code 0/m);
  terminal.write('fail\r');
  await terminal.until((screen) => shows(/✗ run_command echo broken; exit 3 {2}exit 3/)(screen) && idle(screen));
  expect(terminal.screen()).toContain('    broken');
  expect(terminal.raw()).toContain(`${RED}✗`);
  terminal.write(CTRL('o'));
  await terminal.until(shows('  exit code 3 ('));
  terminal.write(CTRL('o'));
  await terminal.until(() => terminal.scrollback().some((row) => row.startsWith('  exit code 0 (')));
  expect(terminal.scrollback()).toContain('  20');
  terminal.write(CTRL('o'));
  await terminal.until(shows('nothing more to show'));
});

test('an edit is a coloured diff before it is approved', async () => {
  const before = Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join('\n');
  const place = chatProject({ 'notes.txt': `${before}\n` });
  server.answer('edit', {
    calls: [
      { name: 'edit_file', input: { path: 'notes.txt', old_text: 'line 20\n', new_text: 'line twenty\nand more\n' } },
    ],
  });
  const terminal = startChat(place, server);
  await terminal.until(idle);
  terminal.write('edit\r');
  await terminal.until(asks('edit_file'));
  const rows = terminal.screen();
  const head = rows.indexOf('? edit_file notes.txt +2 -1');
  expect(rows.slice(head + 1, head + 10)).toEqual([
    '  17   line 17',
    '  18   line 18',
    '  19   line 19',
    '  20 - line 20',
    '  20 + line twenty',
    '  21 + and more',
    '  22   line 21',
    '  23   line 22',
    '  24   line 23',
  ]);
  expect(terminal.raw()).toContain(`${RED}  20 - line 20`);
  expect(terminal.raw()).toContain(`${GREEN}  20 + line twenty`);
  expect(readFileSync(join(place.workspace, 'notes.txt'), 'utf8')).toContain('line 20\n');
  terminal.write('y');
  await terminal.until((screen) => shows(/✓ edit_file {3}notes.txt {2}\+2 -1/)(screen) && idle(screen));
  expect(readFileSync(join(place.workspace, 'notes.txt'), 'utf8')).toContain('line twenty\n');
});

test('a diff shows changed line ends and invisible characters', async () => {
  const place = chatProject({ 'crlf.txt': 'a\r\nb\r\n', 'open.txt': 'a', 'hidden.txt': 'a = 1\n' });
  const write = (path: string, content: string) => ({ name: 'write_file', input: { path, content } });
  server.answer('ends', {
    calls: [write('crlf.txt', 'a\nb\n'), write('open.txt', 'a\n'), write('hidden.txt', 'a\u202e = 1\n')],
  });
  const terminal = startChat(place, server, ['--yolo']);
  await terminal.until(idle);
  terminal.write('ends\r');
  await terminal.until((screen) => shows(/✓ write_file {2}hidden/)(screen) && idle(screen));
  const screen = terminal.screen().join('\n');
  expect(screen).toContain('? write_file crlf.txt +0 -0\n  line ends: CRLF → LF\n');
  expect(screen).toContain('  1 - a\n  1 + a\n  the last line gets a line end\n');
  expect(screen).toContain('  1 - a = 1\n  1 + a<U+202E> = 1\n');
});

test('Ctrl-O shows all of an output of which the model got some', async () => {
  server.answer('much', command('seq 1 5000'));
  const terminal = startChat(chatProject(), server, ['--yolo']);
  await terminal.until(idle);
  terminal.write('much\r');
  await terminal.until(
    (screen) => shows('    … more (Ctrl-O shows all)')(screen) && shows('    5000')(screen) && idle(screen),
  );
  expect(terminal.scrollback()).not.toContain('  2500');
  terminal.write(CTRL('o'));
  await terminal.until(shows('  stderr: empty'));
  const rows = terminal.scrollback();
  const from = rows.indexOf('  1');
  expect(rows.slice(from, from + 5000)).toEqual(Array.from({ length: 5000 }, (_, i) => `  ${i + 1}`));
});

test.each(SIZES)('%i×%i: a long diff fits the screen with its question; Ctrl-O shows all of it', async (cols, rows) => {
  const place = chatProject();
  const content = Array.from({ length: 90 }, (_, i) => `row ${i + 1}`).join('\n');
  server.answer('create', { calls: [{ name: 'write_file', input: { path: 'long.txt', content } }] });
  const terminal = startChat(place, server, [], { cols, rows, env: { NO_COLOR: '1' } });
  await terminal.until(idle);
  terminal.write('create\r');
  await terminal.until(asks('write_file'));
  const first = terminal.screen().indexOf('? write_file long.txt (new file) +90 -0');
  expect(terminal.screen()[first + 1]).toBe('   1 + row 1');
  const shown = terminal.screen().filter((row) => row.includes(' + row ')).length;
  expect(shown).toBeGreaterThan(rows / 3);
  expect(terminal.screen()).toContain(`    … ${90 - shown} more rows (Ctrl-O shows all)`);
  terminal.write(CTRL('o'));
  await terminal.until(shows('  90 + row 90'));
  expect(terminal.screen().join('\n')).toContain('Allow write_file?');
  expect(terminal.brokenRows()).toEqual([]);
  expect(terminal.raw()).not.toContain(RED);
});

test('what was not asked about is shown, too; a refusal and a failed call are never ✓', async () => {
  const place = chatProject({ 'a.txt': 'one\n' });
  server.answer('write it', { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'two\n' } }] });
  server.answer('read it', { calls: [{ name: 'read_file', input: { path: 'none.txt' } }] });
  const terminal = startChat(place, server, ['--yolo'], { cols: 200, rows: 50 });
  await terminal.until(idle);
  terminal.write('write it\r');
  await terminal.until((screen) => shows(/✓ write_file {2}a.txt {2}\+1 -1/)(screen) && idle(screen));
  expect(terminal.screen()).toContain('  1 - one');
  expect(terminal.screen()).toContain('  1 + two');
  terminal.write('read it\r');
  await terminal.until((screen) => shows(/✗ read_file/)(screen) && idle(screen));
  expect(terminal.screen().join('\n')).toMatch(/✗ read_file {3}none.txt\n {4}none.txt does not exist/);
  expect(shows(/✓ read_file/)(terminal.screen())).toBe(false);
});
