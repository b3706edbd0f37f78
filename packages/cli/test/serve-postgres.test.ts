import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { postgres as openPostgres, verifySession } from '@holdfast/sessions';
import { createStandIn, type StandIn } from '@holdfast/stand-in';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstLine } from '../../../scripts/first-line.ts';
import { SOAK } from '../../../scripts/soak.ts';
import { startPostgres, type TestServer } from '../../sessions/test/postgres-server.ts';
import { BIN, COMPILE_CACHE, folderWith, VOUCHED } from './holdfast.ts';
import { ask, readEvents, type Sent, TOKEN, told } from './serving.ts';

const KILLS = SOAK ? 20 : 2;
const CREW = `
entry: lead
strategy: fold
max_messages_per_request: 8
tools:
  look: { about: Looks, command: [echo, 'seen by a real program'] }
agents:
  lead: { role: Lead., hand_offs: [clerk] }
  clerk: { role: Clerk., tools: [look], terminal: true }
`;

let postgres: TestServer | undefined;
let standIn: StandIn;
const children: ChildProcess[] = [];
/** What the model waits for behind the results of a tool. */
let gate: Promise<void> = Promise.resolve();
let waiting = () => {};

beforeAll(async () => {
  postgres = await startPostgres();
  standIn = await createStandIn({
    keep_bodies: 0,
    script: async ({ system, messages, results }) => {
      if (system.includes('You are lead')) return { text: 'To the clerk. [ROUTE_CLERK]' };
      const said = messages.map(({ text }) => text).join('\n');
      if (results.length === 0 && !/used look/.test(said.slice(said.lastIndexOf('new-input-'))))
        return { text: 'I look.', calls: [{ name: 'look', input: {} }] };
      waiting();
      await gate;
      return { text: 'It is done.' };
    },
  });
}, 120_000);
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await standIn.close();
  await postgres?.stop();
});

async function serve(store: string): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const cwd = folderWith({ 'crew.yml': CREW });
  const args = [
    'serve',
    'crew.yml',
    '--port',
    '0',
    '--store',
    store,
    '--base-url',
    standIn.url,
    '--model',
    'claude-sonnet-5',
    '--rate',
    '0',
  ];
  const child = spawn(process.execPath, ['--conditions=@holdfast/source', BIN, ...args], {
    cwd,
    env: {
      ...COMPILE_CACHE,
      ...VOUCHED,
      PATH: process.env.PATH ?? '',
      HOME: `${cwd}-home`,
      ANTHROPIC_API_KEY: 'test-key',
      HOLDFAST_SERVE_TOKEN: TOKEN,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  return { url: await firstLine(child), child };
}

const post = (url: string, body: object) =>
  ask(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

test('two servers on one Postgres: when one is killed mid-request, the other resumes it without losing acknowledged messages', {
  timeout: 900_000,
}, async ({ skip }) => {
  if (!postgres) return skip('no Postgres can be started here');
  const store = postgres.url;
  let [a, b] = await Promise.all([serve(store), serve(store)]);
  expect((await post(`${a.url}/api/sessions`, { id: 'shared' })).status).toBe(201);
  const acknowledged: unknown[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      waiting = resolve;
    });
    // The one that is killed tells of each message only once it is kept.
    const seen: Sent[] = [];
    const reading = readEvents(
      await post(`${a.url}/api/crew/stream`, { input: `new-input-${kill}`, session: 'shared' }),
      (event) => {
        seen.push(event);
        return false;
      },
    ).catch(() => []);
    await reached;
    // Killed while the model thinks: even kills just there, odd ones a little later.
    if (kill % 2 === 1) await expect.poll(() => seen.filter(({ type }) => type === 'history-append').length).toBe(3);
    a.child.kill('SIGKILL');
    await reading;
    for (const { type, data } of seen)
      if (type === 'history-append') acknowledged.push(...(data.messages as unknown[]));
    const info = await told(ask(`${b.url}/api/sessions/shared`));
    expect(info).toMatchObject({ turn: { type: 'agent', agent: 'clerk' } });
    open();
    const result = await told(post(`${b.url}/api/crew`, { session: 'shared' }));
    expect(result).toMatchObject({ status: 'complete', output: 'It is done.', agent: 'clerk', rounds: 1 });
    const { messages } = await told(ask(`${b.url}/api/sessions/shared/messages?limit=500`));
    const kept = messages.map(({ message }) => message);
    for (const one of acknowledged) expect(kept).toContainEqual(one);
    // The tool ran once for each input: what it gave was kept before the model was asked again.
    expect(kept.filter(({ content }) => content === 'seen by a real program')).toHaveLength(kill + 1);
    expect(kept.at(-1)).toMatchObject({ content: 'It is done.' });
    [a, b] = [b, await serve(store)];
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS);
  const sessions = await openPostgres({ url: store });
  const { folds, problems } = await verifySession(sessions, 'shared').finally(() => sessions.close());
  expect(problems).toEqual([]);
  expect(folds).toBeGreaterThan(0);
  b.child.kill('SIGTERM');
  const [code] = await once(b.child, 'exit');
  expect(code).toBe(0);
});
