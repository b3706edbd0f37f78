import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asks, CTRL, chatServer, ESC, flagsFor, idle, sentResults, sentTexts, shows, startChat } from './chat-place.ts';
import { HOLDFAST, type Project, project } from './project.ts';
import { openTerminal, SIZES, type TestTerminal } from './terminal.ts';

const server = chatServer();
const RED = `${ESC}[31m`;
const GREEN = `${ESC}[32m`;
/** Foreground and background colours; bold and dim stay. */
const COLOUR = new RegExp(`${ESC}\\[(?:3|4|9)\\d*m`);
const LINES = Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join('\n');
const FILES = {
  'AGENTS.md': 'Be brief.\n',
  'notes.txt': `${LINES}\n`,
  'holdfast.yml': 'execution: { conversation: { max_messages: 60, preserve_last_n: 2 } }\n',
};

/** Rows as one text, without the places where they were wrapped. */
const flat = (rows: readonly string[]) => rows.join(' ').replace(/\s+/g, ' ');

describe.each(SIZES)('one chat, %i×%i', (cols, rows) => {
  let place: Project;
  let terminal: TestTerminal;
  /** The row of the newest prompt, and how many such rows there were before it. */
  let newest: readonly [row: string, before: number] = ['', 0];
  const places = (row: string) => terminal.scrollback().flatMap((one, at) => (one.startsWith(row) ? [at] : []));
  const write = (text: string) => {
    const row = `> ${text.slice(0, 30)}`.trimEnd();
    newest = [row, places(row).length];
    terminal.write(`${text}\r`);
  };
  /** The newest prompt and all rows below it. */
  const seen = () => {
    const [row, before] = newest;
    const at = places(row)[before];
    return at === undefined ? [] : terminal.scrollback().slice(at);
  };
  const isSeen = (text: string | RegExp) =>
    typeof text === 'string' ? flat(seen()).includes(text) : seen().some((row) => text.test(row));
  const did = (text: string | RegExp) => terminal.until((screen) => idle(screen) && isSeen(text));
  const say = async (prompt: string, answer: string | RegExp) => {
    write(prompt);
    await did(answer);
  };
  const ask = async (prompt: string, tool: string) => {
    write(prompt);
    await terminal.until((screen) => isSeen(`? ${tool}`) && asks(tool)(screen));
  };

  beforeAll(async () => {
    const ends: (() => void)[] = [];
    place = project(FILES, (remove) => ends.push(remove));
    terminal = startChat(place, server, ['fix the flaky test'], { cols, rows });
    newest = ['holdfast chat', 0];
    await did('you said "fix the flaky test"');
    return () => {
      terminal.kill('SIGKILL');
      for (const end of ends) end();
    };
  });
  // A chat that an earlier test left busy would fail them all.
  beforeEach(({ skip }) => skip(!idle(terminal.screen()), 'an earlier test failed'));
  afterEach(() => expect(terminal.brokenRows()).toEqual([]));

  test('starts with a prompt, and says that it follows AGENTS.md', () => {
    expect(terminal.scrollback()).toContain('follows AGENTS.md');
    expect(terminal.scrollback().filter((row) => row === '> fix the flaky test')).toHaveLength(1);
  });

  test('a command shows its exit code and last lines; Ctrl-O shows all', async () => {
    await ask('run seq 1 30', 'run_command');
    terminal.write('y');
    await did(/^ {2}✓ run_command seq 1 30 {2}exit 0/);
    expect(seen()).toContain('    … 25 earlier lines (Ctrl-O shows all)');
    expect(seen()).not.toContain('    20');
    terminal.write(CTRL('o'));
    await terminal.until(() => seen().includes('  20'));
  });

  test('the time that the user takes to answer is not part of a duration', async () => {
    await ask('run true', 'run_command');
    const asked = performance.now();
    // Counted in frames, each later than the one before, until a duration of this length would be shown.
    let [frames, spinner] = [0, ''];
    await terminal.until((screen) => {
      const row = screen.find((one) => one.includes('waiting for your answer')) ?? '';
      if (row !== spinner) frames++;
      spinner = row;
      return frames >= 20;
    });
    const waited = performance.now() - asked;
    terminal.write('y');
    await did(/^ {2}✓ run_command true {2}exit 0/);
    const [, shown = '0'] = /exit 0 · ([\d.]+)s$/m.exec(seen().join('\n')) ?? [];
    expect(Number(shown) * 1_000).toBeLessThan(waited);
  });

  test('a failed command is red, never ✓', async () => {
    await ask('run echo broken; exit 3', 'run_command');
    terminal.write('y');
    await did(/^ {2}✗ run_command echo broken; exit 3 {2}exit 3/);
    expect(terminal.raw()).toContain(`${RED}✗`);
    expect(seen().some((row) => row.includes('✓'))).toBe(false);
  });

  test('an edit is a coloured diff before it is approved', async () => {
    await ask('edit notes.txt line 20 => line twenty', 'edit_file');
    expect(seen().join('\n')).toContain('? edit_file notes.txt +1 -1\n  17   line 17\n');
    expect(seen().join('\n')).toContain('  20 - line 20\n  20 + line twenty\n  21   line 21\n');
    expect(terminal.raw()).toContain(`${RED}  20 - line 20`);
    expect(terminal.raw()).toContain(`${GREEN}  20 + line twenty`);
    expect(readFileSync(join(place.workspace, 'notes.txt'), 'utf8')).toContain('line 20\n');
    terminal.write('y');
    await did(/^ {2}✓ edit_file {3}notes.txt {2}\+1 -1$/);
    expect(readFileSync(join(place.workspace, 'notes.txt'), 'utf8')).toContain('line twenty\n');
  });

  test('approval: for a prefix, for a tool, for the folder; listed, and taken back', async () => {
    await ask('run git status', 'run_command');
    for (const row of ['  y  once', '  p  always for git status *', '  a  always for run_command'])
      expect(terminal.screen()).toContain(row);
    expect(flat(terminal.screen())).toContain('P or A: in later chats in this folder, too');
    expect(terminal.screen().filter((row) => row.includes('folder, too'))).toEqual([expect.stringMatching(/^ {2}/)]);
    terminal.write('\r');
    await terminal.until(shows(/^Press y, p, a, P, A or n\.$/));
    terminal.write('P');
    await did('always allowed in this folder: run_command git status *');
    await say('run git status --short', /^ {2}✗ run_command git status --short {2}exit 128$/);
    await ask('write a.txt one', 'write_file');
    terminal.write('a');
    await did('always allowed until you leave: write_file');
    await say('/permissions', /^ {2}1 {2}this folder {6}run_command git status \*$/);
    await say('/permissions revoke all', /^Revoked: /);
    await ask('run git status', 'run_command');
    terminal.write('n');
    await terminal.until(shows('Why not?'));
    terminal.write('use the list tool\r');
    await did('refused: use the list tool');
    // Once from the chat; the stand-in quotes what it got.
    expect(seen().filter((row) => /^ +Not run:/.test(row))).toEqual([]);
    expect(sentResults(server).at(-1)).toContain('Not run: the user refused it: use the list tool');
  });

  test('Esc at an approval: nothing runs, and the model learns that the user interrupted', async () => {
    await ask('write b.txt one', 'write_file');
    terminal.write(ESC);
    await did('interrupted; everything so far is saved');
    await say('go on', 'you said "go on"');
    expect(sentResults(server).at(-1)).toContain('Not run: the user interrupted instead of approving it.');
  });

  test('!command runs in the shell', async () => {
    await say('!echo "from the shell"; exit 3', '✗ exit 3; the model sees this with your next prompt');
    expect(seen()).toContain('  from the shell');
  });

  test('each retry is reported once, with cause, address and attempt', async () => {
    server.standIn.fail({ kind: 'overloaded' });
    await say('hello', 'you said');
    expect(flat(seen()).match(/! the API is overloaded: .*? at http:\S+; attempt 2 of 9 in [\d.]+s/g)).toHaveLength(1);
  });

  test('/cost and /context', async () => {
    await say('/cost', /^output +[\d.]+k? tokens/);
    expect(flat(seen())).toMatch(/cost +\$\d+\.\d+ for \d+ requests each request so far had the whole history/);
    expect(seen().join('\n')).toMatch(/^cache read +[\d.k]+ tokens \(\d+% of what was sent\)$/m);
    await say('/context', 'of the conversation: user');
    for (const part of ['system', 'tools', 'note', 'pins', 'kept', 'newest'])
      expect(seen().join('\n')).toMatch(new RegExp(`^${part} +[█░]+ +[\\d.k]+ +<?\\d+%( {2}[a-z ]+)?$`, 'm'));
    expect(flat(seen())).toMatch(/folds above 60 messages or \S+ tokens; the model takes \S+ tokens/);
  });

  test('/compact shows the note, before and after, and names /uncompact; /memory has a handle for each line', async () => {
    await say('/memory', 'Nothing has been folded yet');
    await say(`please decide about gamma ${'word '.repeat(300)}`, 'you said "please decide about gamma');
    await say(`and of delta ${'word '.repeat(300)}`, 'you said "and of delta');
    write('/compact gamma');
    await terminal.until((screen) => isSeen('≡ fold 1:') && shows('Fold like this? (y/n)')(screen));
    expect(flat(seen())).toMatch(/≡ fold 1: \d+ messages → \d+, ~?[\d.]+k → [\d.]+k tokens .* a note of ~?\d+/);
    terminal.write('y');
    await did('/uncompact undoes it; /memory shows the note.');
    expect(seen().join('\n')).toMatch(
      /^before: \d+ messages, ~?[\d.k]+ tokens\nafter: {2}\d+ messages, ~?[\d.k]+ tokens$/m,
    );
    await say('/memory', /^\/recall m\d+ shows that message in full\.$/);
    expect(flat(seen())).toMatch(/ m\d+: "/);
    await say('and now?', 'you said "and now?"');
    await say('/cost', /folding (saved|cost) \$/);
    await say('/uncompact', 'Undone. /recompact redoes it.');
    await say('/recompact', 'redo fold');
  });

  test('/model: a list to choose from; an unknown name is questioned', async () => {
    write('/model');
    await terminal.until((screen) => shows('Which model answers?')(screen) && shows('claude-sonnet-5 (now)')(screen));
    expect(flat(terminal.screen())).toMatch(/\(\d+ to \d+ of \d+; Up, Down, Enter; Esc keeps it\)/);
    expect(terminal.screen()).toContain('> claude-sonnet-5 (now)');
    terminal.write(ESC);
    await did('claude-sonnet-5 still answers.');
    write('/model haiku');
    await terminal.until((screen) => flat(screen).includes('Which model answers? (Up, Down, Enter; Esc keeps it)'));
    expect(terminal.screen().filter((row) => /^[> ] claude-/.test(row) && !row.includes('haiku'))).toEqual([]);
    terminal.write(ESC);
    await did('claude-sonnet-5 still answers.');
    write('/model claude-sonet-5');
    await terminal.until((screen) => flat(screen).includes('Did you mean claude-sonnet-5? Use claude-sonet-5?'));
    terminal.write('n');
    await did('claude-sonnet-5 still answers.');
  });

  test('/export writes readable text, or JSON lines; /sessions lists titles; ? shows the help', async () => {
    await say('/export talk.md', 'messages as readable text.');
    const text = readFileSync(join(place.workspace, 'talk.md'), 'utf8');
    expect(text).toMatch(
      /^# fix the flaky test\n[\s\S]*\n## m0 user\n\nfix the flaky test\n\n## m1 assistant\n\nStand-in, no model: you said/,
    );
    expect(text).toMatch(
      /\n## m\d+ assistant\n\nI call run_command\.\n\n```\nrun_command\ncommand: seq 1 30\n```\n\n## m\d+ tool result\n\n```\nexit code 0/,
    );
    await say('/export talk.jsonl', 'holdfast sessions import');
    await say('/sessions', 'To continue one: holdfast chat --resume ID');
    expect(seen().join('\n')).toMatch(/^\* \w{12} .* fix the flaky test$/m);
    await say('?', '//text sends /text.');
  });

  test('/undo puts the prompt back, to be edited; /redo brings the answer back', async () => {
    await say(`a long one ${'word '.repeat(100)}end`, 'you said "a long one');
    write('/undo');
    const tail = (screen: readonly string[]) => screen.join('').replaceAll(' ', '');
    await terminal.until((screen) => isSeen('Back to before') && /─\S*(?:word){20,}end\S*messages/.test(tail(screen)));
    terminal.write(CTRL('u'));
    await terminal.until(idle);
    await say('take this back', 'you said "take this back"');
    write('/undo');
    await terminal.until(() => isSeen(/^> take this back$/));
    expect(flat(seen())).toContain(
      'Back to before your newest prompt: removed 2 messages. Edit the prompt and send it',
    );
    terminal.write(CTRL('u'));
    await say('/redo', 'Brought back your prompt and its answer: 2 messages.');
    await say('/redo', 'There is nothing to redo');
    await say('after it', 'you said "after it"');
    expect(sentTexts(server).slice(-2)).toEqual(['take this back', 'after it']);
  });

  test('/clear starts anew; -c resumes the newest chat here; early keys and old prompts are there', async () => {
    await say('/clear', 'A new conversation; ');
    expect(flat(seen())).toMatch(/the old one: holdfast chat --resume \w+/);
    await say('said after it', 'you said "said after it"');
    terminal.write(CTRL('d'));
    expect(await terminal.exit).toBe(0);
    const [, id] = /saved; to continue: holdfast chat --resume (\w+)/.exec(flat(seen())) ?? [];
    terminal = startChat(place, server, ['-c'], { cols, rows });
    // Nothing is on the screen yet: the terminal keeps the keys until somebody reads them.
    terminal.write('typed early\rtyped next\rnot sent');
    await terminal.until((screen) => shows('you said "typed next"')(screen) && shows(/^> not sent$/)(screen));
    expect(flat(terminal.scrollback())).toContain(`resumed ${id}: 2 messages, 0 turns folded`);
    expect(terminal.scrollback()).toContain('> typed early');
    terminal.write(CTRL('u'));
    for (let up = 0; up < 3; up++) terminal.write(`${ESC}[A`);
    await terminal.until(shows(/^> said after it$/));
    terminal.write(CTRL('u'));
    await terminal.until(idle);
  });

  test('--print answers and exits, in each format, also with a prompt on standard input', async () => {
    const print = async (before: string, ...args: string[]) => {
      const command = [process.execPath, ...HOLDFAST, 'chat', ...flagsFor(server), ...args];
      const piped = ['-c', `${before}${command.map((word) => `'${word}'`).join(' ')}`];
      const { workspace: cwd, env } = place;
      const once = openTerminal({ command: '/bin/sh', args: piped, cwd, env, cols, rows });
      expect(await once.exit).toBe(0);
      return once;
    };
    expect(flat((await print('', '-p', '**hello**')).scrollback())).toContain('you said "**hello**"');
    const json = (await print('', '-p', 'hello', '--output-format', 'json')).raw();
    expect(JSON.parse(json.trim().split('\r\n')[0] ?? '')).toMatchObject({
      type: 'chat-end',
      result: { success: true },
    });
    const stream = (await print('echo int main | ', 'explain', '--output-format', 'stream-json')).raw();
    const events = stream.split('\r\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line).type] : []));
    expect(events).toEqual(expect.arrayContaining(['text-delta', 'chat-end']));
    expect(stream).toContain('you said \\"explain int main\\"');
  });

  test('NO_COLOR takes the colours away; a dumb terminal gets plain lines', async () => {
    const plain = startChat(place, server, ['format'], { cols, rows, env: { NO_COLOR: '1' } });
    await plain.until((screen) => idle(screen) && screen.some((row) => row.includes('cache ')));
    expect(plain.raw()).not.toMatch(COLOUR);
    expect(plain.brokenRows()).toEqual([]);
    plain.kill('SIGKILL');
    const dumb = startChat(place, server, ['hello'], { cols, rows, env: { TERM: 'dumb' } });
    await dumb.until(() => flat(dumb.scrollback()).includes('you said "hello"'));
    dumb.write('/exit\r');
    expect(await dumb.exit).toBe(0);
    expect(dumb.raw()).not.toContain(ESC);
  });

  test('sessions list, sessions show and recall find an old decision, in rows that fit', async () => {
    const shown = async (...args: string[]) => {
      const { workspace: cwd, env } = place;
      const once = openTerminal({ command: process.execPath, args: [...HOLDFAST, ...args], cwd, env, cols, rows });
      expect(await once.exit).toBe(0);
      expect(once.brokenRows()).toEqual([]);
      return once.scrollback();
    };
    const [, id = ''] = /^(\w+) +chat .* fix the/m.exec((await shown('sessions', 'list')).join('\n')) ?? [];
    expect(flat(await shown('sessions', 'show', id))).toMatch(/used [\d.]+k tokens, \$/);
    const found = await shown('recall', 'all', 'decide about gamma');
    expect(found.join('\n')).toMatch(
      /^\w+ m\d+,\sline\s1\s\(chat,\sjust\snow:\s[\s\S]*?\)\n {2}please decide about gamma/m,
    );
  });
});
