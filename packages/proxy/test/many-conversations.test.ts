import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { runProxy, runUpstream } from './running.ts';

const [CONVERSATIONS, REQUESTS] = SOAK ? [200, 100] : [20, 15];
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

test('many conversations with equal prompts at the same time never mix', async () => {
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
  const { url, proxy, events } = await runProxy(upstream.url, { max_tokens: 8_000 });
  const talk = async (name: number) => {
    const messages: unknown[] = [{ role: 'user', content: 'Read everything.' }];
    for (let at = 0; at < REQUESTS; at++) {
      messages.push(...turn(name, at));
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: MODEL, messages }),
        headers: { authorization: 'Bearer same' },
      });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: CONVERSATIONS }, (_, name) => talk(name)));
  expect(mixed).toEqual([]);
  expect(folded).toBeGreaterThan(CONVERSATIONS);
  expect(events.filter(({ type }) => type !== 'fold-end')).toEqual([]);
  const { conversations, totals } = proxy.status();
  expect(totals.requests).toBe(CONVERSATIONS * REQUESTS);
  expect(conversations.map(({ requests }) => requests)).toEqual(Array(CONVERSATIONS).fill(REQUESTS));
  // All fold alike: none pays for the others.
  expect(new Set(conversations.map(({ folds }) => folds)).size).toBe(1);
});
