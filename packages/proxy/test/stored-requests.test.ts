import { eachEntry, requestAt, type SessionStore, sqlite, verifySession } from '@holdfast/sessions';
import { createStandIn, toolLoop } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { runProxy, runUpstream } from './running.ts';
import { longOutput, runChat, runGemini, runMessages, runResponses } from './tool-agents.ts';

const HEADERS = {
  'content-type': 'application/json',
  'anthropic-version': '2023-06-01',
  'x-api-key': 'k',
  authorization: 'Bearer k',
};

async function openStore(): Promise<SessionStore> {
  const store = await sqlite(':memory:');
  onTestFinished(() => store.close());
  return store;
}

/** The requests of all answers that the only session knows, each as it is stored. */
async function stored(store: SessionStore): Promise<string[]> {
  const [{ id } = { id: '' }, ...others] = await store.list();
  expect(others).toEqual([]);
  expect((await verifySession(store, id)).problems).toEqual([]);
  const bodies: string[] = [];
  for await (const { entry } of eachEntry(store, id, { types: ['usage'] }))
    bodies.push((await requestAt(store, id, entry.request ?? 0)).body);
  return bodies;
}

test.each([
  ['anthropic', runMessages],
  ['openai-chat', runChat],
  ['openai-responses', runResponses],
  ['gemini', runGemini],
] as const)('every request of a conversation is stored as it reached the API: %s', async (_, runAgent) => {
  const standIn = await createStandIn({ script: toolLoop({ calls: 30, command: (n) => `seq ${n}` }) });
  onTestFinished(() => standIn.close());
  const { url, reached } = await runUpstream(async ({ url: path }, response, body) => {
    const answer = await fetch(standIn.url + path, { method: 'POST', body, headers: HEADERS });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const store = await openStore();
  const { proxy, url: proxied } = await runProxy(url, { max_tokens: 15_000, store });
  await runAgent({ prompt: 'Run the loop.', run: longOutput, url: proxied });
  await proxy.close();
  expect(await stored(store)).toEqual(reached.map(({ body }) => body.toString()));
});

/** A client with a layout of its own, that moves its cache marker, and whose instructions change with every request. */
function oddBody(messages: readonly object[], call: number): string {
  const marked = messages.map((message, at) =>
    at < messages.length - 2 ? message : { ...message, content: marker((message as { content: object[] }).content) },
  );
  const system = [{ type: 'text', text: `Call ${call}. ${'Be brief. 🙂'.repeat(500)}` }];
  const body = { model: 'claude-opus-5-5', max_tokens: 1000, system, messages: marked };
  return `\n${JSON.stringify(body, undefined, 1).replace('"max_tokens": 1000', '"max_tokens": 1.0e3')} `;
}

function marker(content: readonly object[]): object[] {
  return content.map((block, at) =>
    at === content.length - 1 ? { cache_control: { type: 'ephemeral', ttl: '1h' }, ...block } : block,
  );
}

test('requests are stored byte for byte whatever their layout, across a restart, each text only once', async () => {
  const usage = { input_tokens: 10, output_tokens: 10 };
  const answer = JSON.stringify({ type: 'message', role: 'assistant', content: [], usage });
  const { url, reached } = await runUpstream((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer),
  );
  const [store, secret] = [await openStore(), new Uint8Array(32)];
  const messages: object[] = [{ role: 'user', content: [{ type: 'text', text: 'Go. 🙂' }] }];
  let bytes = 0;
  for (let call = 0; call < 40; call += 20) {
    const { proxy, url: proxied } = await runProxy(url, { max_tokens: 15_000, store, secret });
    for (let at = call; at < call + 20; at++) {
      const id = `toolu_${at}`;
      const text = longOutput(`seq ${at}`);
      bytes += text.length;
      messages.push(
        { role: 'assistant', content: [{ type: 'tool_use', id, name: 'bash', input: { command: `seq ${at}` } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: text }] },
      );
      const sent = { method: 'POST', headers: { 'x-api-key': 'k' }, body: oddBody(messages, at) };
      expect((await fetch(`${proxied}/v1/messages`, sent)).status).toBe(200);
    }
    await proxy.close();
  }
  expect(await stored(store)).toEqual(reached.map(({ body }) => body.toString()));
  const [info] = await store.list();
  expect(info?.folds).toBeGreaterThan(1);
  const parts: string[] = [];
  for await (const { entry } of eachEntry(store, info?.id ?? '', { types: ['part'] }))
    parts.push(entry.value as string);
  // Each output once in the client's layout, the instructions once, and the notes of all folds.
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  expect(size).toBeLessThan(1.5 * bytes);
});
