// Measures how much longer bodies of 1 MB take through the proxy than through a bare one: `bodies-child.ts MODEL BUDGET`.
// A process of its own, because other tests in the same one fill its heap and take its time.
import { createServer, request as httpRequest, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sqlite } from '@holdfast/sessions';
import { Agent } from 'undici';
import { timeRatio } from '../../../scripts/time-ratio.ts';
import { createProxy } from '../src/index.ts';
import { bytesInUse } from './bytes-in-use.ts';

/** What was measured. `whole`: how many requests reached the API with all their bytes. */
export interface Measured {
  readonly ratio: number;
  readonly whole: number;
}

const [WARM_UPS, TRIES, ROUNDS] = [2, 9, 25];
const ENOUGH = 2;
const BYTES = 1_000_000;

/** A conversation of at least this many turns and bytes, as a client sends it. */
function conversation(bytes: number, turns: number): unknown[] {
  const messages: unknown[] = [{ role: 'user', content: 'Fix the tests.' }];
  for (let i = 0, size = 0; size < bytes || i < turns; i++) {
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

async function listen(serve: RequestListener): Promise<string> {
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A proxy of a few lines: what passing bytes on costs at least. */
function runBare(upstream: string): Promise<string> {
  const agent = new Agent();
  return listen(async (request, response) => {
    const { method = 'GET', url: path = '/', headers } = request;
    const { host: _, connection: __, ...kept } = headers;
    const sent = { origin: upstream, path, method: method as 'POST', headers: kept, body: request };
    const answer = await agent.request(sent);
    response.writeHead(answer.statusCode, answer.headers as Record<string, string>);
    answer.body.pipe(response);
  });
}

function post(url: string, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length, 'x-api-key': 'k' };
    const request = httpRequest(`${url}/v1/messages`, { method: 'POST', headers }, (response) => {
      response.resume().on('end', resolve);
    });
    request.on('error', reject).end(body);
  });
}

const [model = '', budget = ''] = process.argv.slice(2);
const usage = { input_tokens: 10, output_tokens: 10 };
const answer = JSON.stringify({ type: 'message', role: 'assistant', content: [], usage });
let reached = 0;
const upstream = await listen(async (request, response) => {
  reached = 0;
  for await (const chunk of request) reached += chunk.length;
  response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
});
const bare = await runBare(upstream);
const store = await sqlite(':memory:');
const proxy = createProxy({ upstreams: { anthropic: upstream }, port: 0, max_tokens: Number(budget), store });
await proxy.listen();

const messages = conversation(BYTES, 0);
const before = messages.length;
messages.push(...conversation(0, before / 2 + (WARM_UPS + TRIES) * ROUNDS).slice(before));
/** The conversation grows by a turn from request to request, as conversations do. Few batches contain a fold. */
const batch = (at: number) =>
  Array.from({ length: ROUNDS }, (_, round) => {
    const sent = messages.slice(0, before + 2 * (at * ROUNDS + round));
    return Buffer.from(JSON.stringify({ model, max_tokens: 1000, system: 'Be brief.', messages: sent }));
  });
const sendAll = async (to: string, bodies: readonly Buffer[]) => {
  for (const body of bodies) {
    await post(to, body);
    if (to === proxy.url && reached === body.length) whole++;
  }
};
let whole = 0;
let ratio = Number.POSITIVE_INFINITY;
for (let at = 0; at < WARM_UPS + TRIES && !(ratio <= ENOUGH); at++) {
  const bodies = batch(at);
  const [proxied, baseline] = [() => sendAll(proxy.url, bodies), () => sendAll(bare, bodies)];
  // Neither side has to collect the garbage of the other, or that of making the bodies.
  const tried = await timeRatio(proxied, baseline, { enough: ENOUGH, tries: 1, prepare: bytesInUse });
  // The first requests of a process are slow, whoever answers them.
  if (at >= WARM_UPS) ratio = Math.min(ratio, tried);
}
const measured: Measured = { ratio, whole };
process.send?.(measured, () => process.exit());
