import { expect, test } from 'vitest';
import { chatProject, chatServer, endChats, idle, shows, startChat } from './chat-place.ts';
import type { TestTerminal } from './terminal.ts';

const server = chatServer();
endChats();

const TURNS = 500;
const KEYS = 20;

/** Types keys one at a time while an answer streams, each after the one before it is on the screen; how long that took. */
async function typeKeys(terminal: TestTerminal, mark: string): Promise<number> {
  const began = performance.now();
  for (let count = 1; count <= KEYS; count++) {
    terminal.write(mark);
    await terminal.until(shows(`> ${mark.repeat(count)}`));
  }
  const took = performance.now() - began;
  terminal.write('\u0015');
  await terminal.until(shows(/^>$/));
  return took;
}

test('a session of 500 turns shows a typed key as fast as an empty one, while an answer streams', async () => {
  const place = chatProject({ 'talk.jsonl': lines() });
  const imported = await place.holdfast('sessions', 'import', 'talk.jsonl', '--id', 'long');
  expect(imported.code, imported.stderr).toBe(0);
  const long = startChat(place, server, ['--resume', 'long']);
  const empty = startChat(place, server);
  await Promise.all([long.until(idle, 60_000), empty.until(idle, 60_000)]);
  server.answer('stream', { text: 'A sentence of an answer that goes on and on. '.repeat(2_000) });
  server.standIn.fail({ kind: 'slow', bytes: 400, pause_ms: 100 }, { kind: 'slow', bytes: 400, pause_ms: 100 });
  for (const terminal of [long, empty]) {
    terminal.write('stream it\r');
    await terminal.until(shows('A sentence of an answer'), 60_000);
  }
  let ratio = Number.POSITIVE_INFINITY;
  // A busy machine spoils some tries, but hardly all. Not timeRatio: the work is done by other processes.
  for (let left = 10; left > 0 && ratio > 2; left--) {
    const short = await typeKeys(empty, 'b');
    ratio = Math.min(ratio, (await typeKeys(long, 'a')) / short);
  }
  expect(ratio).toBeLessThanOrEqual(2);
  for (const terminal of [long, empty]) expect(shows('· Esc interrupts')(terminal.screen())).toBe(true);
});

function lines(): string {
  return Array.from({ length: TURNS }, (_, i) => [
    { role: 'user', content: `prompt ${i} ${'word '.repeat(50)}` },
    { role: 'assistant', content: `answer ${i} ${'word '.repeat(50)}` },
  ])
    .flat()
    .map((message) => JSON.stringify(message))
    .join('\n');
}
