import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStandIn, type StandIn, toolLoop } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { programOf } from '../../../scripts/test-programs.ts';
import { startPostgres } from '../../sessions/test/postgres-server.ts';
import type { ProxyStatus } from '../src/index.ts';
import { hashOf, runUpstream } from './running.ts';
import { longOutput, runMessages } from './tool-agents.ts';

const CALLS = SOAK ? 70 : 30;
const BUDGET = 15_000;

/** A proxy in a process of its own, killed after the test. */
async function startProxy(upstream: string, store: string, port = 0): Promise<{ child: ChildProcess; url: string }> {
  const args = [String(port), upstream, String(BUDGET), store];
  const child = fork(programOf('proxy-child'), args, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [url] = (await once(child, 'message')) as [string];
  return { child, url };
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/**
 * The stand-in behind a server that may do something before it forwards a request, such as kill the proxy that sent it; then the
 * request is not answered. `patient`: a fetch that tries again, the second proxy if the first does not answer, once that is done.
 */
async function runUpstreamBefore(act: (request: number) => Promise<boolean> = async () => false) {
  const script = toolLoop({ calls: CALLS, command: (n) => `seq ${n}` });
  const standIn = await createStandIn({ script });
  onTestFinished(() => standIn.close());
  let requests = 0;
  let acting = Promise.resolve(false);
  const upstream = await runUpstream(async ({ url = '', headers }, response, body) => {
    acting = act(++requests);
    if (await acting) return response.destroy();
    const { host: _, ...sent } = headers;
    const answer = await fetch(standIn.url + url, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: sent as Record<string, string>,
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    return response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const patient = (first: string, second = first): typeof fetch => {
    return async (input, init) => {
      try {
        return await fetch(input, init);
      } catch {
        await acting;
        return await fetch(String(input).replace(first, second), init);
      }
    };
  };
  return { standIn, upstream, patient };
}

async function foldsOf(url: string): Promise<number> {
  const { totals } = (await (await fetch(`${url}/holdfast/status`)).json()) as ProxyStatus;
  return totals.folds;
}

function refusals({ requests }: StandIn): string[] {
  return requests.filter(({ verdict }) => verdict !== 'answered').map(({ verdict }) => verdict);
}

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-proxy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return join(folder, 'sessions.db');
}

test('a proxy killed at any request continues with the same bytes', async () => {
  const every = SOAK ? 2 : 5;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let next = every;
  const store = newFile();
  const killed: number[] = [];
  const { standIn, upstream, patient } = await runUpstreamBefore(async (request) => {
    if (request !== next) return false;
    killed.push(request);
    // The request after it is the same one again.
    next = request + every;
    const { port } = new URL(proxy.url);
    await kill(proxy.child);
    proxy = await startProxy(upstream.url, store, Number(port));
    return true;
  });
  proxy = await startProxy(upstream.url, store);
  const { url } = proxy;
  const { calls } = await runMessages({ url, prompt: 'Go.', run: longOutput, fetch: patient(url) });
  expect(calls).toBe(CALLS);
  expect(refusals(standIn)).toEqual([]);
  expect(killed.length).toBeGreaterThan(4);
  const bodies = upstream.reached.map(({ body }) => hashOf(body));
  for (const request of killed) expect(bodies[request]).toBe(bodies[request - 1]);
});

test('without a store, a killed proxy folds at most once more, and nothing is refused in the end', async () => {
  const runKilledAt = async (last: number) => {
    let proxy: Awaited<ReturnType<typeof startProxy>>;
    let folds = 0;
    const { standIn, upstream, patient } = await runUpstreamBefore(async (request) => {
      if (request !== last) return false;
      folds = await foldsOf(proxy.url);
      await kill(proxy.child);
      proxy = await startProxy(upstream.url, 'none', Number(new URL(proxy.url).port));
      return true;
    });
    proxy = await startProxy(upstream.url, 'none');
    const { url } = proxy;
    const { calls } = await runMessages({ url, prompt: 'Go.', run: longOutput, fetch: patient(url) });
    expect(calls).toBe(CALLS);
    expect(standIn.requests.at(-1)?.verdict).toBe('answered');
    return { folds: folds + (await foldsOf(url)), refused: refusals(standIn).length };
  };
  const [never, once] = [await runKilledAt(Number.NaN), await runKilledAt(CALLS - 6)];
  expect(never.refused).toBe(0);
  // The client’s history has thinking that is bound to views of the killed proxy: one request is sent again without it.
  expect(once.refused).toBeLessThanOrEqual(1);
  expect(never.folds).toBeGreaterThan(1);
  expect(once.folds).toBeLessThanOrEqual(never.folds + 1);
});

test('of two proxies on one Postgres one is killed, and the other continues with the same bytes', async ({ skip }) => {
  const server = await startPostgres();
  if (!server) return skip();
  onTestFinished(() => server.stop());
  let first: Awaited<ReturnType<typeof startProxy>>;
  const at = CALLS - 7;
  const { standIn, upstream, patient } = await runUpstreamBefore(async (request) => {
    if (request !== at) return false;
    await kill(first.child);
    return true;
  });
  first = await startProxy(upstream.url, server.url);
  const second = await startProxy(upstream.url, server.url);
  // Requests alternate between both as long as both live.
  let turn = 0;
  const alternating: typeof fetch = (input, init) => {
    const [one, other] = turn++ % 2 === 0 ? [first.url, second.url] : [second.url, first.url];
    return patient(one, other)(String(input).replace(first.url, one), init);
  };
  const { calls } = await runMessages({ url: first.url, prompt: 'Go.', run: longOutput, fetch: alternating });
  expect(calls).toBe(CALLS);
  expect(refusals(standIn)).toEqual([]);
  const bodies = upstream.reached.map(({ body }) => hashOf(body));
  expect(bodies[at]).toBe(bodies[at - 1]);
});
