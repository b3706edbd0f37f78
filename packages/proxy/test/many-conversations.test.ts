import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '@holdfast/sessions';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { bytesInUse } from './bytes-in-use.ts';
import { runProxy, runUpstream } from './running.ts';

const [CONVERSATIONS, REQUESTS] = SOAK ? [200, 100] : [20, 48];
/** Conversations that are over before memory is measured: they load and compile everything. */
const EARLIER = 20;
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
  // On a busy machine, a server with a timeout resets connections whose next request it has not read yet.
  upstream.server.keepAliveTimeout = 0;
  const limits = { recent_bytes: 100_000 };
  const { url, proxy, events } = await runProxy(upstream.url, { max_tokens: 8_000, store, limits });
  // The client keeps no history either, and no connection, so that only the proxy's memory is measured.
  const say = async (dispatcher: Agent, name: number, at: number) => {
    const turns = Array.from({ length: at + 1 }, (_, i) => turn(name, i)).flat();
    const { statusCode, body } = await request(`${url}/v1/chat/completions`, {
      dispatcher,
      method: 'POST',
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Read everything.' }, ...turns] }),
      headers: { authorization: 'Bearer same' },
    });
    expect(statusCode).toBe(200);
    await body.arrayBuffer();
  };
  const talkAll = async (names: readonly number[], from: number, to: number) => {
    const agent = new Agent();
    const talk = async (name: number) => {
      for (let at = from; at < to; at++) await say(agent, name, at);
    };
    await Promise.all(names.map(talk));
    await agent.close();
    return bytesInUse();
  };
  // All names are equally long, so that all fold alike.
  const named = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
  const everyone = named(100, CONVERSATIONS);
  const before = await talkAll(named(900, EARLIER), 0, REQUESTS);
  const early = await talkAll(everyone, 0, REQUESTS / 4);
  const late = await talkAll(everyone, REQUESTS / 4, REQUESTS);
  expect(mixed).toEqual([]);
  expect(folded).toBeGreaterThan(CONVERSATIONS);
  expect(events.filter(({ type }) => type !== 'fold-end')).toEqual([]);
  const { conversations, totals } = proxy.status();
  const all = CONVERSATIONS + EARLIER;
  expect(totals.requests).toBe(all * REQUESTS);
  expect(conversations.map(({ requests }) => requests)).toEqual(Array(all).fill(REQUESTS));
  // All fold alike: none pays for the others.
  expect(new Set(conversations.map(({ folds }) => folds)).size).toBe(1);
  console.log(
    `${CONVERSATIONS} conversations hold ${early - before} bytes after a quarter, ${late - before} at the end`,
  );
  const said = CONVERSATIONS * (REQUESTS - REQUESTS / 4) * JSON.stringify(turn(100, 99)).length;
  // With everything in memory it would be more than 1. Of few messages, what else a process does is a larger part.
  expect((late - early) / said).toBeLessThan(SOAK ? 0.2 : 0.7);
});
