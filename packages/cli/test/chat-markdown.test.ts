import { expect, test } from 'vitest';
import { chatProject, chatServer, ESC, endChats, flagsFor, idle, shows, startChat } from './chat-place.ts';
import { run } from './holdfast.ts';
import { HOLDFAST } from './project.ts';
import { SIZES } from './terminal.ts';

const server = chatServer();
endChats();

const SLOW = { kind: 'slow', bytes: 200, pause_ms: 40 } as const;

const rendered = (cols: number) => [
  'An answer',
  '',
  ...(cols < 65
    ? ['It has bold words, code and a link', '(https://example.com/docs).']
    : ['It has bold words, code and a link (https://example.com/docs).']),
  '',
  '• one item',
  '• another',
  '  1. nested',
  '',
  'file    │ lines',
  '───────────────',
  'a.ts    │    12',
  '漢字.ts │     3',
  '',
  '  // adds two numbers',
  '  export const add = (a: number, b: number) => a + b;',
];

test.each(SIZES)('an answer is rendered as Markdown while it streams, at %i×%i', async (cols, rows) => {
  const terminal = startChat(chatProject(), server, [], { cols, rows });
  await terminal.until(idle);
  server.standIn.fail(SLOW);
  terminal.write('format\r');
  // While the answer streams, finished blocks are final, and the unfinished one is below them, after a blank row.
  const rowsBelow = new Set<string | undefined>();
  await terminal.until((screen) => {
    const heading = screen.indexOf('An answer');
    if (heading >= 0 && shows(/^It has/)(screen)) rowsBelow.add(screen[heading + 1]);
    return shows('• one item')(screen) && shows('· Esc interrupts')(screen);
  });
  expect([...rowsBelow]).toEqual(['']);
  expect(terminal.screen().join('\n')).not.toContain('**bold**');
  await terminal.until((screen) => shows('export const add')(screen) && idle(screen));
  const all = terminal.scrollback();
  const from = all.indexOf('An answer');
  const expected = rendered(cols);
  expect(all.slice(from, from + expected.length)).toEqual(expected);
  expect(all.filter((row) => row.includes('one item'))).toHaveLength(1);
  expect(terminal.brokenRows()).toEqual([]);
  expect(terminal.raw()).toContain(`${ESC}[35mexport${ESC}[39m`);
});

test('links and sequences in an answer do nothing to the terminal', async () => {
  const evil = `${ESC}]8;;https://evil.example${ESC}\\text${ESC}[2J`;
  server.answer('evil', {
    text: `# A ${evil}\n\n| ${evil} | b |\n|---|---|\n| \`${evil}\` | 2 |\n\n\`\`\`sh\n${evil}\n\`\`\`\n\n[safe](https://evil.example)`,
  });
  const terminal = startChat(chatProject(), server);
  await terminal.until(idle);
  terminal.write('evil\r');
  await terminal.until((screen) => shows('safe (https://evil.example)')(screen) && idle(screen));
  expect(terminal.raw()).not.toContain(`${ESC}]8`);
  expect(terminal.raw()).not.toContain(`${ESC}[2J`);
});

test('NO_COLOR keeps the structure; a dumb terminal and a pipe get the text unchanged', async () => {
  const place = chatProject();
  const plain = startChat(place, server, [], { env: { NO_COLOR: '1' } });
  await plain.until(idle);
  plain.write('format\r');
  await plain.until((screen) => shows('export const add')(screen) && idle(screen));
  expect(plain.scrollback()).toContain('## An answer');
  expect(plain.scrollback()).toContain('It has bold words, `code` and a link (https://example.com/docs).');
  expect(plain.raw()).not.toMatch(new RegExp(`${ESC}\\[(?:3|4|9)\\d*m`));
  const dumb = startChat(place, server, ['format'], { env: { TERM: 'dumb' } });
  await dumb.until(shows('export const add'));
  const answer = dumb.screen().join('\n');
  expect(answer).toContain('## An answer\n\nIt has **bold** words');
  expect(answer).toContain('  1. nested\n\n| file | lines |');
  expect(dumb.raw()).not.toContain(ESC);
  const args = [...HOLDFAST, 'chat', ...flagsFor(server), '-p', 'format'];
  const piped = await run(process.execPath, args, { cwd: place.workspace, env: place.env, input: '' });
  expect(piped.stdout).toContain('| file | lines |\n|---|--:|\n');
});
