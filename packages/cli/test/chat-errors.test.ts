import { expect, test } from 'vitest';
import { chatProject, chatServer, endChats, flagsFor, idle, shows, startChat } from './chat-place.ts';
import { run } from './holdfast.ts';
import { HOLDFAST } from './project.ts';

const server = chatServer();
endChats();

/** No program listens here: below the ports that systems give out, and no service's own. */
const AWAY = 'http://127.0.0.1:29999';
const TASK = { 'TASK.md': '# TASK: Try\n\n## Goal\nTry.\n' };

test('each retry is reported once, with cause, address and attempt; giving up comes with advice', async () => {
  const terminal = startChat(chatProject(), server, [], { cols: 200, rows: 50 });
  await terminal.until(idle);
  server.standIn.fail({ kind: 'overloaded' }, { kind: 'overloaded' });
  terminal.write('hello\r');
  await terminal.until((screen) => shows('you said "hello"')(screen) && idle(screen), 60_000);
  const retries = terminal.scrollback().filter((row) => /retry|attempt/i.test(row));
  expect(retries).toEqual([
    expect.stringMatching(/^ {2}! the API is overloaded: .*Overloaded.* at http:\S+; attempt 2 of 9 in [\d.]+s$/),
    expect.stringMatching(/^ {2}! the API is overloaded: .*Overloaded.* at http:\S+; attempt 3 of 9 in [\d.]+s$/),
  ]);
});

test('chat and run say the same, with what to do', async () => {
  const place = chatProject(TASK);
  const start = { cwd: place.workspace, env: place.env, input: '' };
  const told = async (...args: readonly string[]) => {
    const flags = [...flagsFor(server), '--model', 'claude-none-1'];
    const { stdout, stderr } = await run(process.execPath, [...HOLDFAST, ...args, ...flags], start);
    return `${stdout} ${stderr}`.replace(/^holdfast: /gm, '').replace(/\s+/g, ' ');
  };
  const [words] =
    /the request was rejected: [^.]*claude-none-1 at http:\S+\. Check --model and --base-url\./.exec(
      await told('chat', '-p', 'hello'),
    ) ?? [];
  expect(words).toBeDefined();
  expect(await told('run', 'TASK.md')).toContain(words);
});

test('an unreachable server is named, with the attempts', async () => {
  const terminal = startChat(chatProject(), server, ['--base-url', AWAY], { cols: 60, rows: 20 });
  await terminal.until(idle);
  terminal.write('hello\r');
  await terminal.until((screen) => /attempt\s+2 of 9/.test(screen.join(' ')));
  expect(terminal.screen().join(' ').replace(/\s+/g, ' ')).toMatch(
    /network error: .*ECONNREFUSED.* at http:\/\/127\.0\.0\.1:29999; attempt 2 of 9/,
  );
  expect(terminal.brokenRows()).toEqual([]);
});
