import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ToolContext } from '../../providers/provider.ts';
import { commandTool } from './command-tool.ts';

const context = (signal = new AbortController().signal): ToolContext => ({ callId: '1', signal, fileChanged() {} });
const tool = (command: readonly string[], more: { readonly timeout?: number } = {}) =>
  commandTool(
    'try',
    { about: 'Tries', command, arguments: { what: 'What to say' }, timeout: 10, ...more },
    process.cwd(),
  );

test('an argument of the call is one argument of the program, whatever it contains', async () => {
  const echo = tool(['printf', '<%s>', '{what}', 'and {what}']);
  expect(echo.input_schema).toEqual({
    type: 'object',
    properties: { what: { type: 'string', description: 'What to say' } },
    required: ['what'],
    additionalProperties: false,
  });
  expect(await echo.run({ what: '$(id); `ls` "x" {what}' }, context())).toBe(
    '<$(id); `ls` "x" {what}><and $(id); `ls` "x" {what}>',
  );
});

test('commands that cannot be run are reported, and never run', async () => {
  const echo = tool(['echo', '{what}']);
  await expect(echo.run({ what: '-n' }, context())).rejects.toThrow('try: "what" begins with "-": give it without');
  await expect(echo.run({}, context())).rejects.toThrow('try: "what" is missing: give a text');
  await expect(echo.run({ what: 7 }, context())).rejects.toThrow('try: "what" is 7: give a text');
  await expect(tool(['no-such-program']).run({}, context())).rejects.toThrow(
    'try: there is no program no-such-program here',
  );
});

test('the result says how the program ended, and long output is cut', async () => {
  expect(await tool(['sh', '-c', 'echo out; echo err >&2; exit 3']).run({}, context())).toMatch(
    /^exit code 3\nout\nerr$|^exit code 3\nerr\nout$/,
  );
  expect(await tool(['true']).run({}, context())).toBe('(no output)');
  const long = await tool(['head', '-c', '50000', '/dev/zero']).run({}, context());
  expect(long).toMatch(/… \(30000 characters more\)$/);
});

test('it ends at its time limit or with the request, and so does everything it started', async () => {
  const sleeper = ['sh', '-c', 'sleep 60 & sleep 60'];
  await expect(tool(sleeper, { timeout: 0.1 }).run({}, context())).rejects.toThrow('try: not done in 0.1 s');
  const stop = new AbortController();
  const running = tool(sleeper).run({}, context(stop.signal));
  stop.abort();
  await expect(running).rejects.toThrow('try: it was stopped');
});

test('a process that left the group and holds the pipes does not delay the time limit', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-command-'));
  const pid = join(folder, 'pid');
  onTestFinished(() => {
    process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
    rmSync(folder, { recursive: true });
  });
  const leaver = tool(['sh', '-c', `setsid sh -c 'echo $$ > ${pid}; exec sleep 600' & sleep 600`], { timeout: 1 });
  await expect(leaver.run({}, context())).rejects.toThrow('try: not done in 1 s');
});

test('keys of this process are not given to it', async () => {
  process.env.SOME_API_KEY = 'sk-planted-key-4711-abcdefgh';
  expect(await tool(['env']).run({}, context())).not.toContain('planted');
  delete process.env.SOME_API_KEY;
});
