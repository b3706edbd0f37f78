import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { messageText, type WireMessage } from '../src/index.ts';
import { newStore } from './new-store.ts';
import { dice } from './writers.ts';

const folder = process.env.HOLDFAST_TRANSCRIPTS;
if (!folder)
  console.warn('recall by words: not tested, set HOLDFAST_TRANSCRIPTS to a folder of recorded conversations');

const LINES = SOAK ? 500 : 50;
/** Every so many conversations. */
const STEP = SOAK ? 1 : 16;

function conversations(): WireMessage[][] {
  const files = readdirSync(folder ?? '', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .sort();
  return files
    .filter((_, i) => i % STEP === 0)
    .map((name) => {
      const lines = readFileSync(join(folder ?? '', name), 'utf8')
        .split('\n')
        .slice(1);
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as WireMessage);
    });
}

/** Lines of tool results that say enough to be looked for. */
function linesOf({ role, content }: WireMessage): string[] {
  const blocks = (Array.isArray(content) ? content : []) as { type?: string; content?: unknown }[];
  const results =
    role === 'tool' ? [content] : blocks.flatMap((block) => (block.type === 'tool_result' ? [block.content] : []));
  return results
    .flatMap((result) => messageText(result).split('\n'))
    .map((line) => line.trim())
    .filter((line) => line.length >= 20 && (line.match(/[\p{L}\p{N}]{2,}/gu) ?? []).length >= 3);
}

test.skipIf(!folder)(
  `of ${LINES} lines of tool results, the passage is among the first 5`,
  { timeout: 900_000 },
  async () => {
    const { store } = await newStore();
    const lines: { session: string; line: string }[] = [];
    for (const messages of conversations()) {
      const { id } = await store.create();
      await store.append(
        id,
        messages.map((message) => ({ type: 'message', message })),
        0,
      );
      for (const message of messages) for (const line of linesOf(message)) lines.push({ session: id, line });
    }
    const roll = dice(5);
    let found = 0;
    let byFour = 0;
    for (let i = 0; i < LINES; i++) {
      const { session = '', line = '' } = lines[roll(lines.length)] ?? {};
      // A passage holds whole lines, unless one is longer than a passage.
      const holds = (hit: { readonly text: string }) => hit.text.includes(line.slice(0, 500));
      if ((await store.search(line, { session, limit: 5 })).some(holds)) found++;
      const words = [...new Set(line.match(/[\p{L}\p{N}_]{2,}/gu))];
      const four = Array.from({ length: 4 }, () => words[roll(words.length)]).join(' ');
      if ((await store.search(four, { session, limit: 5 })).some(holds)) byFour++;
    }
    console.log(`recall by words: ${found} of ${LINES} by the whole line, ${byFour} by four of its words`);
    expect(found).toBeGreaterThanOrEqual(0.9 * LINES);
  },
);
