import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sqlite } from '@holdfast/sessions';
import { expect, onTestFinished, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { runProxy, runUpstream } from './running.ts';

const [CONVERSATIONS, REQUESTS] = SOAK ? [200, 100] : [20, 24];
const MODEL = 'gpt-6-sol';

/** What a conversation says at a turn; its number is in every message after the first, and in no other conversation. */
const turn = (name: number, at: number) => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: `c${name}_${at}`, type: 'function', function: { name: 'read', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: `c${name}_${at}`, content: `conversation-${name}! `.repeat(300) },
];

/** Bytes in use once closed connections and collected garbage are gone. */
async function held(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const sizes: number[] = [];
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    collect();
    const { heapUsed, external } = process.memoryUsage();
    sizes.push(heapUsed + external);
  }
  return Math.min(...sizes);
}

test('many conversations with equal prompts at the same time never mix, and take no more memory as they grow', async () => {
  const store = await sqlite(join(mkdtempSync(join(tmpdir(), 'many-')), 'sessions.db'));
  onTestFinished(() => store.close());
  const mixed: string[] = [];
  let folded = 0;
  const upstream = await runUpstream((_, response, body) => {
    const names = new Set(body.toString().match(/conversation-\d+!/g));
    if (names.size > 1) mixed.push([...names].join(' '));
    folded += Number(!body.includes(`"c${/conversation-(\d+)!/.exec(body.toString())?.[1]}_0"`));
    upstream.reached.length = 0;
    const usage = { prompt_tokens: Math.ceil(body.length / 4), completion_tokens: 5 };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices: [], usage }));
  });
  const limits = { recent_bytes: 100_000 };
  const { url, proxy, events } = await runProxy(upstream.url, { max_tokens: 8_000, store, limits });
  // The client keeps no history either, so that only the proxy's memory is measured.
  const say = async (name: number, at: number) => {
    const turns = Array.from({ length: at + 1 }, (_, i) => turn(name, i)).flat();
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Read everything.' }, ...turns] }),
      headers: { authorization: 'Bearer same' },
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  };
  const talk = async (name: number, from: number, to: number) => {
    for (let at = from; at < to; at++) await say(name, at);
  };
  // All names are equally long, so that all fold alike.
  const everyone = Array.from({ length: CONVERSATIONS }, (_, name) => 100 + name);
  const memory = [await held()];
  for (const [from, to] of [
    [0, REQUESTS / 4],
    [REQUESTS / 4, REQUESTS],
  ] as const) {
    await Promise.all(everyone.map((name) => talk(name, from, to)));
    memory.push(await held());
  }
  expect(mixed).toEqual([]);
  expect(folded).toBeGreaterThan(CONVERSATIONS);
  expect(events.filter(({ type }) => type !== 'fold-end')).toEqual([]);
  const { conversations, totals } = proxy.status();
  expect(totals.requests).toBe(CONVERSATIONS * REQUESTS);
  expect(conversations.map(({ requests }) => requests)).toEqual(Array(CONVERSATIONS).fill(REQUESTS));
  // All fold alike: none pays for the others.
  expect(new Set(conversations.map(({ folds }) => folds)).size).toBe(1);
  const [before = 0, early = 0, late = 0] = memory;
  console.log(
    `${CONVERSATIONS} conversations hold ${early - before} bytes after a quarter, ${late - before} at the end`,
  );
  // With everything in memory it would be four times as much.
  // Few conversations leave much noise.
  expect((late - before) / (early - before)).toBeLessThan(SOAK ? 3 : 3.8);
});
