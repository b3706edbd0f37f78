import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chatProject, chatServer, endChats, flagsFor, sentTexts, shows, startChat } from './chat-place.ts';
import { type Ended, run } from './holdfast.ts';
import { HOLDFAST, type Project } from './project.ts';

const server = chatServer();
endChats();

/** `holdfast chat …` with this text on standard input, which is not a terminal. */
function chat(place: Project, input: string, ...args: readonly string[]): Promise<Ended> {
  const options = { cwd: place.workspace, env: place.env, input };
  return run(process.execPath, [...HOLDFAST, 'chat', ...flagsFor(server), ...args], options);
}

const SAID = 'Stand-in, no model: you said "hello", 5 characters in 1 line.';

test.each([
  ['alone', ['what', 'is this'], '', 'what is this'],
  ['with standard input below it', ['explain'], 'int main;\n', 'explain\n\nint main;'],
  ['on standard input alone', [], 'why?\n', 'why?'],
])('--print answers a prompt %s', async (_, words, input, sent) => {
  const ended = await chat(chatProject(), input, '-p', ...words);
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stdout).toContain('Stand-in, no model: you said');
  expect(sentTexts(server)).toContain(sent);
});

test('--output-format: text, one object, or lines of events', async () => {
  const place = chatProject();
  const text = await chat(place, '', '-p', '--output-format', 'text', 'hello');
  expect(text.stdout).toBe(`${SAID}\n`);
  const json = await chat(place, '', '-p', '--output-format', 'json', 'hello');
  expect(JSON.parse(json.stdout)).toMatchObject({ type: 'chat-end', result: { success: true } });
  const stream = await chat(place, '', '-p', '--output-format', 'stream-json', 'hello');
  const types = stream.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).type);
  expect(types.length).toBeGreaterThan(2);
  expect(types.at(-1)).toBe('chat-end');
});

test('a prompt on the command line starts an interactive chat', async () => {
  const place = chatProject();
  const terminal = startChat(place, server, ['fix the', 'flaky test']);
  await terminal.until(shows('you said "fix the flaky test"'));
  terminal.write('and then\r');
  await terminal.until(shows('you said "and then"'));
  const rows = terminal.scrollback().filter((row) => row.includes('fix the flaky test') && !row.includes('you said'));
  expect(rows).toHaveLength(1);
  const plain = startChat(place, server, ['two\nlines'], { env: { TERM: 'dumb' } });
  await plain.until(shows('you said "two lines"'));
});

test('--print in a terminal answers and leaves', async () => {
  const terminal = startChat(chatProject(), server, ['-p', 'hello']);
  expect(await terminal.exit).toBe(0);
  expect(terminal.screen().join('\n')).toContain(SAID);
});

test('--continue resumes the newest chat of this folder, not of another', async () => {
  const place = chatProject();
  const other: Project = { ...place, workspace: join(place.workspace, 'other') };
  mkdirSync(other.workspace);
  const first = await chat(place, '', '-p', 'the first');
  const [, id = ''] = /to continue: holdfast chat --resume (\w+)/.exec(first.stderr) ?? [];
  expect((await chat(other, '', '-p', 'elsewhere')).code).toBe(0);
  const again = await chat(place, '', '-c', '-p', 'again');
  expect(again.stderr).toContain(`resumed ${id}: `);
  expect(again.code).toBe(0);
  // It stays the folder's, even if another was used last.
  await chat(other, '', '-p', 'elsewhere again');
  expect((await chat(place, '', '-c', '-p', 'once more')).stderr).toContain(`resumed ${id}: `);
  const third: Project = { ...place, workspace: join(place.workspace, 'third') };
  mkdirSync(third.workspace);
  const none = await chat(third, '', '-c', '-p', 'hello');
  expect(none).toMatchObject({ code: 2, stdout: '' });
  expect(none.stderr).toContain('there are no chats in this folder yet: start one without --continue');
});

test.each<[readonly string[], RegExp]>([
  [['-p'], /there is nothing to answer: holdfast chat -p "question"/],
  [['-p', '--output-format', 'xml', 'hello'], /xml.*Allowed choices are text, json, stream-json/s],
  [['-p', '--json', '--output-format', 'json', 'hello'], /--json means --output-format stream-json, not json/],
  [['-c', '--resume', 'k3', 'hello'], /pass --continue .* or --resume .* not both/],
])('wrong use is refused: %j', async (args, told) => {
  const ended = await chat(chatProject(), '', ...args);
  expect(ended.stderr).toMatch(told);
  expect(ended.code).toBe(2);
  // With --json, the error is JSON, too.
  if (args.includes('--json')) expect(JSON.parse(ended.stdout)).toMatchObject({ type: 'error', exitCode: 2 });
  else expect(ended.stdout).toBe('');
});

test('a format without --print is refused in a terminal', async () => {
  const terminal = startChat(chatProject(), server, ['--output-format', 'json', 'hello']);
  expect(await terminal.exit).toBe(2);
  expect(terminal.screen().join(' ')).toContain('--output-format needs --print');
});
