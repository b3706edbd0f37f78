import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { timeRatio } from '../../../scripts/time-ratio.ts';
import { runProxy, runUpstream } from './running.ts';

/** A conversation of about this many bytes, as a client sends it. */
function conversation(bytes: number): unknown[] {
  const messages: unknown[] = [{ role: 'user', content: 'Fix the tests.' }];
  for (let i = 0, size = 0; size < bytes; i++) {
    const text = Array.from({ length: 60 }, (_, line) => `${i}:${line} "const value" = call(${i * line});\n`).join('');
    size += text.length + 300;
    messages.push({
      role: 'assistant',
      content: [{ type: 'tool_use', id: `toolu_${i}`, name: 'bash', input: { command: `cat ${i}` } }],
    });
    messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${i}`, content: text }] });
  }
  return messages;
}

/** A proxy of a few lines: what passing bytes on costs at least. */
async function runBare(upstream: string): Promise<string> {
  const agent = new Agent();
  const server = createServer(async (request, response) => {
    const { method = 'GET', url: path = '/', headers } = request;
    const { host: _, connection: __, ...kept } = headers;
    const answer = await agent.request({
      origin: upstream,
      path,
      method: method as 'POST',
      headers: kept,
      body: request,
    });
    response.writeHead(answer.statusCode, answer.headers as Record<string, string>);
    answer.body.pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await agent.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const [TRIES, ROUNDS] = [4, 25];

function post(url: string, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length, 'x-api-key': 'k' };
    const request = httpRequest(`${url}/v1/messages`, { method: 'POST', headers }, (response) => {
      response.resume().on('end', resolve);
    });
    request.on('error', reject).end(body);
  });
}

test.each([
  ['under the budget', 10_000_000],
  ['folded', 150_000],
])('a body of 1 MB takes at most twice as long as passing it on: %s', async (_, max_tokens) => {
  const usage = { input_tokens: 10, output_tokens: 10 };
  const answer = JSON.stringify({ type: 'message', role: 'assistant', content: [], usage });
  const upstream = await runUpstream((__, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    upstream.reached.length = 0;
  });
  const bare = await runBare(upstream.url);
  const { url } = await runProxy(upstream.url, { max_tokens });
  const messages = conversation(1_300_000);
  const bodyOf = (round: number) => {
    const sent = messages.slice(0, messages.length - 2 * (TRIES * ROUNDS - round));
    return Buffer.from(
      JSON.stringify({ model: 'claude-opus-5-5', max_tokens: 1000, system: 'Be brief.', messages: sent }),
    );
  };
  const bodies = Array.from({ length: TRIES * ROUNDS }, (__, round) => bodyOf(round));
  await post(url, bodyOf(-1));
  // The conversation grows by a turn from request to request, as conversations do. Few batches contain a fold.
  const batches = (to: string) => {
    let next = 0;
    return async () => {
      const batch = bodies.slice(next, next + ROUNDS);
      next += ROUNDS;
      for (const body of batch) await post(to, body);
    };
  };
  expect(await timeRatio(batches(url), batches(bare), { enough: 2, tries: TRIES })).toBeLessThanOrEqual(2);
});
