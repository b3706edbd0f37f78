import { expect, test } from 'vitest';
import { chatProject, chatServer, endChats, idle, shows, startChat } from './chat-place.ts';
import type { TestTerminal } from './terminal.ts';

const server = chatServer();
endChats();

const TURNS = 500;
/** All keys fit into one row. */
const SIZE = { cols: 200, rows: 50 };
/** Pairs of keys, one for each chat. */
const PAIRS = 150;

/** How long a typed key takes until it is on the screen. */
async function timeOfKey(terminal: TestTerminal, count: number): Promise<number> {
  const began = performance.now();
  terminal.write('a');
  await terminal.until(shows(`> ${'a'.repeat(count)}`));
  return performance.now() - began;
}

test('a session of 500 turns shows a typed key as fast as an empty one, while an answer streams', async () => {
  const place = chatProject({ 'talk.jsonl': lines() });
  const imported = await place.holdfast('sessions', 'import', 'talk.jsonl', '--id', 'long');
  expect(imported.code, imported.stderr).toBe(0);
  const long = startChat(place, server, ['--resume', 'long'], SIZE);
  const empty = startChat(place, server, [], SIZE);
  await Promise.all([long.until(idle, 60_000), empty.until(idle, 60_000)]);
  server.answer('stream', { text: 'A sentence of an answer that goes on and on. '.repeat(2_000) });
  server.standIn.fail({ kind: 'slow', bytes: 400, pause_ms: 100 }, { kind: 'slow', bytes: 400, pause_ms: 100 });
  for (const terminal of [long, empty]) {
    terminal.write('stream it\r');
    await terminal.until(shows('A sentence of an answer'), 60_000);
  }
  // Not timeRatio: the work is done by other processes.
  const times = new Map<TestTerminal, number[]>([
    [long, []],
    [empty, []],
  ]);
  // In turns, so that both see the same machine, and each is first in every other pair.
  for (let count = 1; count <= PAIRS; count++)
    for (const terminal of count % 2 === 0 ? [long, empty] : [empty, long])
      times.get(terminal)?.push(await timeOfKey(terminal, count));
  const median = (terminal: TestTerminal) => times.get(terminal)?.toSorted((a, b) => a - b)[PAIRS / 2] ?? Number.NaN;
  expect(median(long) / median(empty)).toBeLessThanOrEqual(2);
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
