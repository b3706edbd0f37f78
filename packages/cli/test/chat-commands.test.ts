import { expect, test } from 'vitest';
import { CTRL, chatProject, chatServer, ESC, endChats, idle, say, sentTexts, shows, startChat } from './chat-place.ts';

const server = chatServer();
endChats();

const SMALL = { 'holdfast.yml': 'execution: { conversation: { max_messages: 10, preserve_last_n: 2 } }\n' };
test('/cost compares each request at the prices of its own model', async () => {
  const terminal = startChat(chatProject(SMALL), server, [], { rows: 40 });
  await terminal.until(idle);
  for (const name of ['alpha', 'beta', 'gamma'])
    await say(terminal, `about ${name} ${'word '.repeat(300)}`, `you said "about ${name}`);
  await say(terminal, '/model claude-haiku-5-5', 'claude-haiku-5-5 (anthropic-api) answers from now on');
  terminal.write('/compact\r');
  await terminal.until(shows('Fold like this? (y/n)'));
  terminal.write('y');
  await terminal.until((screen) => screen.join(' ').includes('/memory shows the note.') && idle(screen));
  await say(terminal, '/cost', 'each request so far had the whole history');
  await say(terminal, 'go on', 'you said "go on"');
  await say(terminal, '/cost', 'with the whole history in each');
  // At the prices of the cheaper model, all would have cost less than it did.
  expect(shows(/folding saved \$\S+ so far: with the whole history in each/)(terminal.screen())).toBe(true);
});

test('/compact of a short chat says that there is nothing to gain', async () => {
  const terminal = startChat(chatProject(), server, [], { rows: 40 });
  await terminal.until(idle);
  for (const name of ['alpha', 'beta', 'gamma']) await say(terminal, `about ${name}`, `you said "about ${name}`);
  await say(terminal, '/compact', /^Nothing to (gain|fold): /);
  expect(shows('Fold like this?')(terminal.screen())).toBe(false);
});

test('/clear starts a new conversation and names the old one', async () => {
  const place = chatProject();
  const terminal = startChat(place, server, [], { rows: 40 });
  await terminal.until(idle);
  await say(terminal, '/clear', 'This is a new conversation already.');
  await say(terminal, 'the secret word is holly', 'the secret word is holly');
  await say(terminal, '!echo an aside', 'the model sees this with your next prompt');
  expect(terminal.screen().join('\n')).toContain('cache ');
  await say(terminal, '/clear', /A new conversation; the old one: holdfast chat --resume \w+/);
  await terminal.until((screen) => !shows('cache ')(screen));
  const [, old = ''] = /the old one: holdfast chat --resume (\w+)/.exec(terminal.scrollback().join('\n')) ?? [];
  await say(terminal, 'what now?', 'you said "what now?"');
  const newest = server.standIn.requests.at(-1)?.body as { messages: readonly unknown[] };
  expect(JSON.stringify(newest.messages)).not.toMatch(/holly|aside/);
  terminal.write(CTRL('d'));
  await terminal.exit;
  expect(terminal.scrollback().join('\n')).not.toContain(`saved; to continue: holdfast chat --resume ${old}`);
  const again = startChat(place, server, ['--resume', old]);
  await again.until(shows(`resumed ${old}: `));
});

test('/model: a list to choose from; an unknown name is questioned', async () => {
  const terminal = startChat(chatProject(), server, [], { rows: 40 });
  await terminal.until(idle);
  terminal.write('/model\r');
  await terminal.until(shows('> claude-sonnet-5 (now)'));
  expect(shows('Which model answers?')(terminal.screen())).toBe(true);
  terminal.write(ESC);
  await terminal.until((screen) => shows('claude-sonnet-5 still answers.')(screen) && idle(screen));
  terminal.write('/model\r');
  await terminal.until(shows('Which model answers?'));
  terminal.write(`${ESC}[A`);
  terminal.write('\r');
  await terminal.until((screen) => shows(/^claude-\S+ \(anthropic-api\) answers from now on/)(screen) && idle(screen));
  terminal.write('/model claude-sonet-5\r');
  await terminal.until((screen) => screen.join(' ').includes('Did you mean claude-sonnet-5?'));
  terminal.write('n');
  await terminal.until((screen) => shows('still answers.')(screen) && idle(screen));
  terminal.write('/model sonnet\r');
  await terminal.until((screen) => shows('Which model answers?')(screen) && shows('  claude-sonnet-5')(screen));
  expect(shows(/^[> ] claude-opus/)(terminal.screen())).toBe(false);
});

test('/undo says that files stay', async () => {
  const terminal = startChat(chatProject(), server, ['--yolo']);
  await terminal.until(idle);
  await say(terminal, 'write notes.txt hello', 'created notes.txt');
  terminal.write('/undo\r');
  await terminal.until(shows('removed 4 messages. Files stay as the'));
  await terminal.until(shows(/^> write notes.txt hello$/));
});

test('!command runs in the shell; the model sees it with the next prompt', async () => {
  const terminal = startChat(chatProject(), server, [], { cols: 60, rows: 20 });
  await terminal.until(idle);
  const before = server.standIn.requests.length;
  terminal.write('!echo "from the shell"; exit 3\r');
  await terminal.until((screen) => shows(/^✗ exit 3; the model sees this/)(screen) && idle(screen));
  expect(terminal.screen()).toContain('  from the shell');
  expect(server.standIn.requests.length).toBe(before);
  await say(terminal, 'why?', 'you said');
  expect(sentTexts(server)).toContain(
    'I ran a command in the shell:\n$ echo "from the shell"; exit 3\nfrom the shell\n(exit 3)\n\nwhy?',
  );
  // Once, not with every prompt.
  await say(terminal, 'and now?', 'you said "and now?"');
  await say(terminal, ' !not a command', 'you said "!not a command"');
  terminal.write('!sleep 60\r');
  await terminal.until(shows('sleep 60 · Esc interrupts'));
  terminal.write(ESC);
  await terminal.until((screen) => shows(/^✗ ended by SIGTERM/)(screen) && idle(screen));
  await say(terminal, '/help', /!command/);
});

test.each([
  ['a redrawn terminal', {}],
  ['a plain one', { TERM: 'dumb' }],
])('leaving %s before the output of a !command was sent says that it is not kept', async (_, env) => {
  const terminal = startChat(chatProject(), server, [], { env });
  await terminal.until(shows('Ctrl-D leaves'));
  terminal.write('hello\r');
  await terminal.until(shows('you said "hello"'));
  terminal.write('!echo aside\r');
  await terminal.until(shows('the model sees this with your next prompt'));
  terminal.write('/exit\r');
  await terminal.exit;
  expect(terminal.screen().join('\n')).toContain('not sent and not kept: the output of your !command');
});
