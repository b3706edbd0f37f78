import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ConversationWindow } from '../src/index.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const LINES = 16_000;

/** A text of about 800 kB, in one piece, whose names stand nowhere else. */
function report(n: number): string {
  const lines = Array.from({ length: LINES }, (_, i) => `line ${i} of plain words that fill the report up`);
  return [`fileNumber${n}Special.ts declares specialThing${n}Value`, ...lines].join('\n');
}

test.each(['fold', 'sliding', 'governed'] as const)(
  '%s does not keep messages in memory that left the view',
  async (strategy) => {
    const elsewhere = { put: () => {}, get: () => undefined };
    const window = new ConversationWindow<object>(
      { max_messages: 60, max_tokens: 40_000, strategy },
      { archive: elsewhere },
    );
    let recent: object[] = [{ role: 'user', content: 'Read all the reports.' }];
    let offset = 0;
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < 28; n++) {
      const call = {
        id: `c${n}`,
        type: 'function',
        function: { name: 'read', arguments: `{"path":"reports/${n}.txt"}` },
      };
      recent.push({ role: 'assistant', content: null, tool_calls: [call] });
      recent.push({ role: 'tool', tool_call_id: `c${n}`, content: report(n) });
      await window.fit(recent, { offset });
      // The caller lets go of what the window does not have to see again.
      const { covered = 0 } = window.state().log.at(-1) ?? {};
      if (covered > offset + 1) {
        recent = recent.slice(covered - 1 - offset);
        offset = covered - 1;
      }
    }
    recent = recent.slice(0, 1);
    collect();
    const held = (process.memoryUsage().heapUsed - before) / 1_000_000;
    expect(window.state().folds).toBeGreaterThan(5);
    expect(held).toBeLessThan(4);
  },
);
