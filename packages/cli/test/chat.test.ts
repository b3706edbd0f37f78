import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import {
  asks,
  CTRL,
  chatProject,
  chatServer,
  ESC,
  endChats,
  idle,
  keptIn,
  say,
  sentTexts,
  shows,
  startChat,
} from './chat-place.ts';
import type { TestTerminal } from './terminal.ts';

const server = chatServer();
endChats();
const SLOW = { kind: 'slow', bytes: 200, pause_ms: 40 } as const;
const filled = (rows: readonly string[]) => rows.filter((row) => row !== '');
const count = (rows: readonly string[], text: string) => rows.filter((row) => row.includes(text)).length;

test('typing, answers, commands and leaving', async () => {
  const place = chatProject();
  const terminal = startChat(place, server);
  await terminal.until(idle);
  expect(terminal.screen()[0]).toBe('holdfast chat · claude-sonnet-5 (anthropic-api)');
  // Written with mistakes, and mended with the keys for that.
  terminal.write('helo wrong world');
  terminal.write(`${ESC}b${CTRL('w')}${CTRL('a')}`);
  terminal.write(`${ESC}[C${ESC}[C${ESC}[C`);
  await say(terminal, 'l', 'you said "hello world", 11 characters');
  terminal.write(`two${CTRL('j')}lines and 漢字 👨‍👩‍👧`);
  await terminal.until(shows(/^ {2}lines and 漢字/));
  terminal.write(`${ESC}[D\u007fx`);
  await say(terminal, '', 'you said "two lines and 漢字x👨‍👩‍👧"'.replace('👨‍👩‍👧', '👨👩👧'));
  await terminal.until(shows(/[\d.]+k\/50k tokens · 4 messages · \$0\.00\d+ · cache \d+%/));
  await say(terminal, '/contxt', 'unknown command /contxt: did you mean /context?');
  await say(terminal, '/context', /^newest {8}\S+ +\d+ +\d+% {2}since your prompt$/);
  await say(terminal, '//context', 'you said "/context"');
  terminal.write('/mod\t');
  await terminal.until(shows(/^> \/model$/));
  terminal.write('\r');
  await terminal.until(shows('Which model answers?'));
  terminal.write(ESC);
  await terminal.until((screen) => shows('claude-sonnet-5 still answers.')(screen) && idle(screen));
  await say(terminal, '/sessions', /^To continue one: holdfast chat --resume ID$/);
  expect(shows(/^\* \S+ +chat +now +6 .* hello world$/)(terminal.screen())).toBe(true);
  await say(terminal, '/help', '/recall WORDS|HANDLE');
  terminal.write(CTRL('d'));
  expect(await terminal.exit).toBe(0);
  expect(filled(terminal.scrollback()).at(-1)).toMatch(/^saved; to continue: holdfast chat --resume \w+$/);
  expect(terminal.brokenRows()).toEqual([]);
  expect(terminal.cursorVisible()).toBe(true);
  expect(sentTexts(server).filter((text) => text.includes('contxt') || text === '/help')).toEqual([]);
  expect(sentTexts(server)).toContain('/context');
  expect((await keptIn(place)).problems).toEqual([]);
});

test('an interrupted answer is saved, typed text comes back, and a long paste works', async () => {
  const place = chatProject();
  const terminal = startChat(place, server);
  await terminal.until(idle);
  server.standIn.fail(SLOW);
  terminal.write('count to 300\r');
  await terminal.until(shows('line 3'));
  expect(shows('· Esc interrupts')(terminal.screen())).toBe(true);
  terminal.write('and then?\r');
  await terminal.until(shows('next: and then?'));
  terminal.write(ESC);
  await terminal.until(shows('interrupted; everything so far is saved'));
  await terminal.until(shows(/^> and then\?$/));
  await say(terminal, '', 'you said "and then?"');
  expect(shows('line 300')(terminal.scrollback())).toBe(false);
  const { text, problems } = await keptIn(place);
  expect(problems).toEqual([]);
  expect(text).toContain('line 3');
  expect(text).toContain('count to 300');
  // A paste of 10,000 characters is shown in short and sent whole.
  const pasted = Array.from({ length: 250 }, (_, i) => `${i} `.padEnd(39, 'x'))
    .join('\n')
    .padEnd(10_000, '.');
  terminal.write(`what is this? ${ESC}[200~${pasted}${ESC}[201~`);
  await terminal.until(shows('> what is this? [pasted: 10,000 characters, 250 lines]'));
  expect(shows('xxx')(terminal.screen())).toBe(false);
  await say(terminal, '', '10014 characters in 250 lines');
  expect(sentTexts(server)).toContain(`what is this? ${pasted}`);
  expect(count(terminal.scrollback(), 'xxx')).toBeLessThan(10);
  // Ctrl-C takes back what is written, then warns, then leaves.
  terminal.write('never mind');
  await terminal.until(shows('> never mind'));
  terminal.write(CTRL('c'));
  await terminal.until(idle);
  terminal.write(CTRL('c'));
  await terminal.until(shows('Press Ctrl-C again to leave'));
  terminal.write(CTRL('c'));
  expect(await terminal.exit).toBe(0);
});

test('tools ask for approval: no with a reason, once, always; their output is safe', async () => {
  const place = chatProject({ 'README.md': `${ESC}[2J${ESC}]0;title\u0007 the file\n` });
  const terminal = startChat(place, server, [], { rows: 60 });
  await terminal.until(idle);
  const asked = async (prompt: string) => {
    terminal.write(`${prompt}\r`);
    await terminal.until(shows('  a  always for write_file'));
  };
  await asked('write notes.txt one');
  expect(filled(terminal.screen())).toContain('  1 + one');
  terminal.write('n');
  await terminal.until(shows('Why not?'));
  await say(terminal, 'not this file', 'Not run: the user refused it: not this');
  expect(existsSync(join(place.workspace, 'notes.txt'))).toBe(false);
  await asked('write notes.txt two');
  terminal.write('y');
  await terminal.until((screen) => count(screen, '✓ write_file') === 1 && idle(screen));
  expect(readFileSync(join(place.workspace, 'notes.txt'), 'utf8')).toContain('two');
  await asked('write notes.txt three');
  terminal.write('a');
  await terminal.until((screen) => count(screen, '✓ write_file') === 2 && idle(screen));
  terminal.write('write notes.txt four\r');
  await terminal.until((screen) => count(screen, '✓ write_file') === 3 && idle(screen));
  expect(readFileSync(join(place.workspace, 'notes.txt'), 'utf8')).toContain('four');
  // What only reads is not asked for.
  terminal.write('read README.md\r');
  await terminal.until((screen) => shows('✓ read_file')(screen) && idle(screen));
  // What a model says and a tool gives can do nothing to the terminal.
  server.answer('evil', {
    text: `before ${ESC}[2J${ESC}[H${ESC}]0;x\u0007${ESC}[?1049h\u009b5A\u202e after`,
    calls: [{ name: 'run_command', input: { command: `echo ${ESC}[31m\u0007 danger` } }],
  });
  terminal.write('evil\r');
  await terminal.until(asks('run_command'));
  expect(shows('before')(terminal.screen())).toBe(true);
  terminal.write('y');
  await terminal.until((screen) => shows('run_command')(screen) && idle(screen));
  expect(terminal.alternateScreen()).toBe(false);
  expect(terminal.raw()).not.toContain('\u0007');
  expect(terminal.raw()).not.toContain(`${ESC}[2J`);
});

test('a resumed chat verifies the log, shows the last messages, and continues', async () => {
  const place = chatProject();
  const first = startChat(place, server);
  await first.until(idle);
  await say(first, 'my name is Ada', 'you said "my name is Ada"');
  first.write(CTRL('d'));
  await first.exit;
  const [, id = ''] = /--resume (\w+)/.exec(first.scrollback().join('\n')) ?? [];
  const second = startChat(place, server, ['--resume', id.slice(0, 6)]);
  await second.until(idle);
  expect(second.screen().join('\n')).toContain(`resumed ${id}: `);
  expect(second.screen().join('\n')).toMatch(/2 messages, 0 turns folded/);
  second.write(`${ESC}[A`);
  await second.until(shows('> my name is Ada'));
  second.write(CTRL('u'));
  second.write('/undo\r');
  await second.until(shows('Back to before your newest prompt: removed 2 messages.'));
  await second.until(shows(/^> my name is Ada$/));
  await say(second, ' Lovelace', 'you said "my name is Ada Lovelace"');
  // Two chats on one session: the second to write gets a message, and keeps its prompt.
  const third = startChat(place, server, ['--resume']);
  await third.until(idle);
  await say(third, 'from the third', 'you said "from the third"');
  second.write('from the second\r');
  await second.until(shows('another process, perhaps another chat, wrote'));
  await second.until(shows(/^> from the second$/));
  await say(second, '', 'you said "from the second"');
  second.kill('SIGKILL');
  await second.exit;
  expect((await keptIn(place, id)).problems).toEqual([]);
  third.write(CTRL('d'));
  await third.exit;
  // A chat does not continue from a log that was changed behind its back.
  const database = new DatabaseSync(join(place.home, 'sessions.db'));
  const tables = database.prepare("select name from sqlite_master where type = 'table' and sql like '%hash%'").all();
  expect(tables.length).toBeGreaterThan(0);
  database.exec("update entries set hash = 'wrong' where seq = 2");
  database.close();
  const broken = startChat(place, server, ['--resume', id]);
  expect(await broken.exit).toBe(1);
  expect(broken.scrollback().join(' ')).toContain(`session ${id} is damaged`);
});

test('manual folds: preview, confirm, undo and redo; pins; recall', async () => {
  const place = chatProject({
    'holdfast.yml': 'execution: { conversation: { max_messages: 10, preserve_last_n: 2 } }\n',
  });
  const terminal = startChat(place, server, [], { rows: 40 });
  await terminal.until(idle);
  for (const name of ['alpha', 'beta', 'gamma', 'delta'])
    await say(terminal, `${name} ${'word '.repeat(300)}`, `you said "${name}`);
  await say(terminal, '/pin 0', 'Pinned m0: alpha');
  terminal.write('/compact the beta\r');
  await terminal.until(shows('Fold like this? (y/n)'));
  terminal.write('n');
  await terminal.until((screen) => shows('Nothing was folded.')(screen) && idle(screen));
  terminal.write('/compact\r');
  await terminal.until(shows('Fold like this? (y/n)'));
  terminal.write('y');
  await terminal.until((screen) => shows('/uncompact undoes it')(screen) && idle(screen));
  await terminal.until(shows(/1 fold ·/));
  await say(terminal, '/uncompact', 'Undone.');
  await terminal.until((screen) => !shows(/1 fold ·/)(screen));
  await say(terminal, '/redo', '/recompact redoes a fold.');
  await say(terminal, '/recompact', 'redo fold');
  await say(terminal, '/recall gamma', /^m\d+\S*, lines? 1\b/);
  await terminal.until(shows(/^\/recall m\d+ shows that message in full\.$/));
  await say(terminal, '/recall m2', /^m2 user$/);
  await say(terminal, '/recall m0-m2', /^m1 assistant$/);
  await say(terminal, '/recall zebra', 'holdfast recall all zebra');
  await say(terminal, '/unpin 0', 'Unpinned m0.');
  await say(terminal, '/fork', 'To open the copy: holdfast chat --resume');
  await say(terminal, '/export talk.jsonl', 'holdfast sessions import');
  expect(readFileSync(join(place.workspace, 'talk.jsonl'), 'utf8')).toContain('alpha word');
  terminal.write('/exit\r');
  expect(await terminal.exit).toBe(0);
});

const SPINNER = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/;

async function nextFrame(terminal: TestTerminal): Promise<void> {
  const spinner = (screen: readonly string[]) => screen.map((row) => SPINNER.exec(row)?.[0] ?? '').join('');
  const before = spinner(terminal.screen());
  await terminal.until((screen) => spinner(screen) !== before && spinner(screen) !== '');
}

// Repeated if it fails: on a busy machine, a frame may be on its way while the size changes, as with any program.
test('resizing during an answer without colours leaves nothing torn or repeated', { retry: 2 }, async () => {
  const terminal = startChat(chatProject(), server, [], { env: { NO_COLOR: '1' } });
  await terminal.until(idle);
  server.standIn.fail({ ...SLOW, pause_ms: 100 });
  server.answer('tell', { text: `${'A long sentence that has to be wrapped. '.repeat(40)}The end of it.` });
  terminal.write('tell me\r');
  await terminal.until(shows('A long sentence'));
  terminal.write('half of a prompt');
  await terminal.until(shows('> half of a prompt'));
  for (const columns of [40, 100]) {
    // Right after a frame, so that no other is on its way while the size changes.
    await nextFrame(terminal);
    await terminal.resize(columns, 22);
    await nextFrame(terminal);
    await nextFrame(terminal);
    expect(count(terminal.scrollback(), '> half of a prompt')).toBe(1);
    expect(count(terminal.scrollback(), '· Esc interrupts')).toBe(1);
  }
  await terminal.until((screen) => shows('The end of it.')(screen) && !shows('· Esc interrupts')(screen));
  const rows = terminal.scrollback();
  expect(count(rows, '> half of a prompt')).toBe(1);
  expect(count(rows, '· Esc interrupts')).toBe(0);
  // The terminal itself breaks rows that are there already, anywhere.
  expect(rows.join('').replace(/\s+/g, '').split('Alongsentence')).toHaveLength(41);
  expect(terminal.raw()).not.toMatch(new RegExp(`${ESC}\\[(?:3|4|9)\\d*m`));
});

test('line by line in a terminal that cannot be redrawn; a signal ends the live chat', async () => {
  const place = chatProject();
  const dumb = startChat(place, server, [], { env: { TERM: 'dumb' } });
  await dumb.until(shows(/^>/));
  dumb.write('write notes.txt one\r');
  await dumb.until(shows('Your answer, or a reason:'));
  dumb.write('not that\r');
  await dumb.until(shows('refused it: not that'));
  dumb.write('/contxt\r');
  await dumb.until(shows('did you mean /context?'));
  // What is entered too early waits for its turn.
  dumb.write('first\rsecond\r/exit\r');
  expect(await dumb.exit).toBe(0);
  expect(dumb.raw()).not.toContain(ESC);
  expect(filled(dumb.scrollback()).at(-1)).toMatch(/holdfast: saved; to continue: holdfast chat --resume \w+$/);
  expect((await keptIn(place)).text).toContain('you said "second"');
  const live = startChat(place, server, ['--resume']);
  await live.until(idle);
  live.write('not sent yet');
  await live.until(shows('> not sent yet'));
  process.kill(live.pid, 'SIGTERM');
  expect(await live.exit).toBe(130);
  expect(filled(live.scrollback()).slice(-3)).toEqual(['not sent:', 'not sent yet', expect.stringMatching(/^saved; /)]);
  expect(live.cursorVisible()).toBe(true);
});
