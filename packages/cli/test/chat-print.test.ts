import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createCrewSession } from '@holdfast/crew';
import { sqlite } from '@holdfast/sessions';
import { expect, test } from 'vitest';
import { chatProject, chatServer, flagsFor, keptIn, sentTexts } from './chat-place.ts';
import { type Ended, run } from './holdfast.ts';
import { HOLDFAST, type Project } from './project.ts';

const server = chatServer();

/** `echo input | holdfast chat …`, with this file's server, unless another is passed. */
function piped(place: Project, input: string, ...args: readonly string[]): Promise<Ended> {
  const flags = args.includes('--provider') ? [] : flagsFor(server);
  return run(process.execPath, [...HOLDFAST, 'chat', ...flags, ...args], {
    cwd: place.workspace,
    env: place.env,
    input,
  });
}

const lines = (text: string) => text.split('\n').filter((line) => line !== '');

test('prints only the answer to standard output; all lines are one prompt; --resume continues', async () => {
  const place = chatProject();
  const first = await piped(place, 'a question\nof two lines\n');
  expect(first).toMatchObject({
    code: 0,
    stdout: 'Stand-in, no model: you said "a question of two lines", 23 characters in 2 lines.\n',
  });
  expect(sentTexts(server)).toContain('a question\nof two lines');
  const [, id = ''] = /to continue: holdfast chat --resume (\w+)/.exec(first.stderr) ?? [];
  const second = await piped(place, 'recall question', '--resume', id.slice(0, 5), '--json');
  expect(second.code, second.stderr).toBe(0);
  expect(second.stderr).toContain(`resumed ${id}: `);
  const events = lines(second.stdout).map((line) => JSON.parse(line));
  expect(events.map(({ type }) => type)).toContain('call-end');
  expect(events.at(-1)).toMatchObject({ type: 'chat-end', session: id, result: { success: true } });
  expect(events.at(-1).result.output).toMatch(/the call gave .*\[m\d, lines/);
  const context = await piped(place, '/context', '--resume');
  expect(context.stdout).toMatch(/^newest /m);
  expect((await keptIn(place)).problems).toEqual([]);
});

test('skips a crew’s session, and refuses it by name', async () => {
  const place = chatProject();
  const first = await piped(place, 'hello');
  const [, id = ''] = /to continue: holdfast chat --resume (\w+)/.exec(first.stderr) ?? [];
  const store = await sqlite(join(place.home, 'sessions.db'));
  await createCrewSession(store, { id: 'ticket-9' });
  const again = await piped(place, 'again', '--resume');
  expect(again.stderr).toContain('skipped: session ticket-9 belongs to a crew');
  expect(again.stderr).toContain(`resumed ${id}`);
  const named = await piped(place, 'again', '--resume', 'ticket-9');
  expect(named.code).toBe(2);
  expect(named.stderr).toContain('holdfast crew run FILE "…" --session ticket-9 continues it');
  expect(await store.info('ticket-9')).toMatchObject({ provider: 'crew', messages: 0 });
  await store.close();
});

test('--store :memory: leaves nothing on disk, and says so', async () => {
  const place = chatProject();
  const { code, stderr } = await piped(place, 'hello', '--store', ':memory:');
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'holdfast: not saved: the store is :memory:, which ends with the chat\n',
  });
  expect(readdirSync(place.workspace)).toEqual(['README.md']);
  expect(existsSync(place.home)).toBe(false);
});

test('refuses calls that change something, unless --yolo', async () => {
  const place = chatProject();
  const refused = await piped(place, 'write notes.txt hello');
  expect(refused.code).toBe(0);
  expect(refused.stdout).toContain('Not run: there is no one to ask');
  expect(refused.stdout).not.toContain('the user refused');
  expect(refused.stderr).toMatch(/^holdfast: not run, as there is no one to ask: write_file notes\.txt; .*--yolo/m);
  const json = await piped(place, 'write notes.txt hello', '--output-format', 'json');
  expect(JSON.parse(json.stdout)).toMatchObject({
    refused: [{ name: 'write_file', input: { path: 'notes.txt' } }],
    result: { success: true },
  });
  expect(existsSync(join(place.workspace, 'notes.txt'))).toBe(false);
  const done = await piped(place, 'write notes.txt hello', '--yolo', '--resume');
  expect(done.code).toBe(0);
  expect(done.stderr).not.toContain('not run');
  expect(existsSync(join(place.workspace, 'notes.txt'))).toBe(true);
});

test('without a key, the error suggests the stand-in', async () => {
  const place = chatProject();
  const { ANTHROPIC_API_KEY: _, ...env } = place.env;
  const keyless = { ...place, env };
  const none = await piped(keyless, 'hello', '--provider', 'anthropic-api');
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('try `--provider stand-in`');
  const { code, stdout, stderr } = await piped(keyless, 'hello', '--provider', 'stand-in');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'Stand-in, no model: you said "hello", 5 characters in 1 line.\n',
  });
  expect(stderr).toContain('The stand-in is a script; the costs shown are not billed.');
  // A resumed session continues with the model that answered in it.
  const again = await piped(keyless, 'again', '--resume', '--provider', 'stand-in', '--json');
  expect(again.code, again.stderr).toBe(0);
});

test('a failure is reported with exit code 1', async () => {
  const place = chatProject();
  server.standIn.fail({ kind: 'too-long', limit: 1 });
  const { code, stderr, stdout } = await piped(place, 'hello', '--json');
  expect(code, stdout).toBe(1);
  expect(JSON.parse(lines(stdout).at(-1) ?? '')).toMatchObject({ type: 'chat-end', result: { success: false } });
  expect(stderr).toMatch(/Your prompt (?:is saved|was not sent)\.$/m);
});

test('with --json, a failing command also prints a line', async () => {
  const { code, stdout, stderr } = await piped(chatProject(), '/unpin it', '--json');
  expect(code).toBe(2);
  const error = '/unpin needs the number of a message, such as /unpin 4';
  expect(lines(stdout).map((line) => JSON.parse(line))).toEqual([
    { type: 'command-end', command: '/unpin', text: '', error },
  ]);
  expect(stderr).toContain(error);
});

test.each([['--json'], ['--output-format', 'json']])(
  'with %s, an error before the answer is JSON, too',
  async (...format) => {
    const { code, stdout, stderr } = await piped(chatProject(), 'hello', '--resume', 'nope', ...format);
    expect(code).toBe(2);
    const { type, error, exitCode } = JSON.parse(stdout) as Record<string, unknown>;
    expect({ type, exitCode }).toEqual({ type: 'error', exitCode: 2 });
    expect(error).toMatch(/^there are no sessions in /);
    expect(stderr).toContain(error);
  },
);

test.each<[string, string, readonly string[], number, RegExp]>([
  ['nothing on standard input', ' \n', [], 2, /there is nothing to answer: holdfast chat -p "question"/],
  ['nothing on standard input, and no session', '', ['--resume', 'zzz'], 2, /there are no sessions in .*sessions\.db/],
  ['no session to resume', 'hello', ['--resume'], 2, /there are no sessions in .*sessions\.db/],
  ['a model that the stand-in has not', 'hello', ['--provider', 'stand-in', '--model', 'x'], 2, /has no model x/],
])('invalid usage: %s', async (_, input, args, code, told) => {
  const ended = await piped(chatProject(), input, ...args);
  expect(ended.stderr).toMatch(told);
  expect(ended.stdout).toBe('');
  expect(ended.code).toBe(code);
});

test('without a prompt, a session that is not there is named first', async () => {
  const place = chatProject();
  const elsewhere = { ...chatProject(), env: place.env };
  expect((await piped(place, 'hello')).code).toBe(0);
  expect((await piped(place, '', '--resume', 'zzz')).stderr).toMatch(/^holdfast: unknown session zzz/m);
  expect((await piped(elsewhere, '', '-c')).stderr).toMatch(/^holdfast: there are no chats in this folder yet/m);
  expect((await piped(place, '', '-c')).stderr).toMatch(/^holdfast: there is nothing to answer/m);
});

test('/compact shows the summary; repeated, it says why it does nothing', async () => {
  const place = chatProject({ 'holdfast.yml': 'execution: { conversation: { summarize_on_trim: true } }\n' });
  for (const [i, name] of ['alpha', 'beta', 'gamma', 'delta'].entries()) {
    const said = await piped(place, `${name} ${'word '.repeat(300)}`, ...(i > 0 ? ['--resume'] : []));
    expect(said).toMatchObject({ code: 0 });
  }
  const done = await piped(place, '/compact', '--resume');
  expect(done.stdout).toMatch(/^Summary:\n {2}Stand-in, no model: a summary would stand here, of \d+ characters/m);
  expect(done.stdout).toMatch(/^before: 8 messages, .*\nafter: {2}[34] messages, /m);
  const again = await piped(place, '/compact', '--resume');
  expect(again.stdout).toBe('Nothing to fold: nothing has been said since the last fold.\n');
  expect((await keptIn(place)).problems).toEqual([]);
});

test.each([
  [
    { max_messages: 4, preserve_last_n: 9 },
    'again',
    /^holdfast: warning: preserve_first_n \+ preserve_last_n \(1 \+ 9\)/m,
  ],
  [{ summarize_on_trim: true, summarization_model: 'none' }, '/compact', /^holdfast: warning: No summary by none/m],
])('prints warnings of the window once: %j', async (conversation, last, warning) => {
  const place = chatProject({ 'holdfast.yml': JSON.stringify({ execution: { conversation } }) });
  const talk = 'words of a question that a summary is worth '.repeat(30);
  for (const resume of last === 'again' ? [[], ['--resume']] : [[], ['--resume'], ['--resume'], ['--resume']])
    expect((await piped(place, talk, ...resume)).stderr).not.toMatch(warning);
  expect((await piped(place, last, '--resume')).stderr.match(new RegExp(warning, 'gm'))).toHaveLength(1);
});
