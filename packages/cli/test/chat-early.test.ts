import { expect, test } from 'vitest';
import {
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

const server = chatServer();
endChats();

test('what is typed before the screen is ready is neither merged nor lost', async () => {
  const place = chatProject();
  const terminal = startChat(place, server, [], { rows: 40 });
  // Nothing is on the screen yet: the terminal keeps the keys until somebody reads them.
  terminal.write('first prompt\r');
  terminal.write('second prompt\rnot sent');
  await terminal.until((screen) => shows('you said "second prompt"')(screen) && shows(/^> not sent$/)(screen));
  expect(terminal.scrollback().filter((row) => row.includes('holdfast chat'))).toEqual([
    expect.stringMatching(/^holdfast chat · /),
  ]);
  expect(sentTexts(server)).toEqual(expect.arrayContaining(['first prompt', 'second prompt']));
  expect(sentTexts(server).some((text) => text.includes('\n'))).toBe(false);
  terminal.write(' yet\r');
  await terminal.until(shows('you said "not sent yet"'));
  terminal.write(CTRL('d'));
  expect(await terminal.exit).toBe(0);
  const { text } = await keptIn(place);
  for (const prompt of ['first prompt', 'second prompt', 'not sent yet'])
    expect(text).toContain(`you said "${prompt}"`);
});

test('Up recalls a prompt of an earlier chat, even in another folder', async () => {
  const place = chatProject();
  const first = startChat(place, server);
  await first.until(idle);
  await say(first, 'remember me', 'you said "remember me"');
  first.write(CTRL('d'));
  await first.exit;
  const other = startChat({ ...chatProject(), home: place.home, env: place.env }, server);
  await other.until(idle);
  other.write(`${ESC}[A`);
  await other.until(shows(/^> remember me$/));
});
