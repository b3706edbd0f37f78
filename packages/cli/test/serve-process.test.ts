import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crewConfig, readCrewSession } from '@holdfast/crew';
import { sqlite } from '@holdfast/sessions';
import { createStandIn, type StandIn } from '@holdfast/stand-in';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstLine } from '../../../scripts/first-line.ts';
import { BIN, COMPILE_CACHE, folderWith, holdfast, VOUCHED } from './holdfast.ts';
import { ask, readEvents, TOKEN } from './serving.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CREW = `
entry: lead
agents:
  lead: { role: Lead., hand_offs: [clerk] }
  clerk: { role: Clerk., terminal: true }
`;

let standIn: StandIn;
/** What the clerk waits for. */
let gate: Promise<void> = Promise.resolve();
const children: ChildProcess[] = [];
beforeAll(async () => {
  standIn = await createStandIn({
    keep_bodies: 0,
    script: async ({ system }) => {
      if (system.includes('You are lead')) return { text: 'To the clerk. [ROUTE_CLERK]' };
      await gate;
      return { text: 'It is done.' };
    },
  });
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await standIn.close();
});

/** Starts the real program; `line` is the first that it prints. */
async function start(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = { HOLDFAST_SERVE_TOKEN: TOKEN }) {
  const child = spawn(process.execPath, ['--conditions=@holdfast/source', BIN, ...args], {
    cwd,
    env: {
      ...COMPILE_CACHE,
      ...VOUCHED,
      PATH: process.env.PATH ?? '',
      HOME: `${folderWith()}-home`,
      ANTHROPIC_API_KEY: 'test-key',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  return { child, exit, url: await firstLine(child) };
}

const post = (url: string, body: unknown) =>
  ask(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

/** A server whose clerk waits, and a stream that has come as far as that. */
async function waiting() {
  let open = () => {};
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const cwd = folderWith({ 'crew.yml': CREW });
  const flags = ['--port', '0', '--store', 'kept.db', '--base-url', standIn.url, '--model', 'claude-sonnet-5'];
  const server = await start(['serve', 'crew.yml', ...flags], cwd);
  await post(`${server.url}/api/sessions`, { id: 'ticket' });
  const response = await post(`${server.url}/api/crew/stream`, { input: 'go', session: 'ticket' });
  let reached = () => {};
  const isThere = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const events = readEvents(response, ({ type, data }) => {
    if (type === 'view-ready' && data.agent === 'clerk') reached();
    return false;
  });
  await isThere;
  const kept = async () => {
    const store = await sqlite(join(cwd, 'kept.db'));
    try {
      const crew = crewConfig({
        entry: 'lead',
        agents: { lead: { role: 'x', hand_offs: ['clerk'] }, clerk: { role: 'y', terminal: true } },
      });
      return await readCrewSession({ crew }, store, 'ticket');
    } finally {
      await store.close();
    }
  };
  return { ...server, events, open, kept };
}

test('the first signal lets running requests finish and keeps their messages', async () => {
  const { child, exit, url, events, open, kept } = await waiting();
  child.kill('SIGTERM');
  await expect.poll(async () => (await fetch(`${url}/ready`)).status).toBe(503);
  expect(child.exitCode).toBeNull();
  open();
  expect((await events).at(-1)).toMatchObject({ data: { result: { status: 'complete', output: 'It is done.' } } });
  expect(await exit).toBe(0);
  expect((await kept()).history.at(-1)).toMatchObject({ content: 'It is done.' });
});

test('a second signal of either kind cancels running requests, and the process exits with 130', async () => {
  const { child, exit, url, events, kept } = await waiting();
  child.kill('SIGTERM');
  await expect.poll(async () => (await fetch(`${url}/ready`)).status).toBe(503);
  child.kill('SIGINT');
  expect(await exit).toBe(130);
  // Its last words may be cut off; what had been said is kept, and the clerk would go on.
  await events.catch(() => []);
  expect(await kept()).toMatchObject({
    history: [{ content: 'go' }, { content: 'To the clerk. [ROUTE_CLERK]' }],
    turn: { type: 'agent', agent: 'clerk' },
  });
});

test('says how to create a missing crew file, and that crew works unchanged', async () => {
  const cwd = folderWith();
  for (const args of [
    ['serve', 'nope.yml'],
    ['crew', 'run', 'nope.yml', 'x'],
  ])
    expect(await holdfast(args, { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'holdfast: nope.yml: does not exist: pass the path of a crew, or create one with `holdfast init --crew`\n',
    });
  const made = await holdfast(['init', '--crew'], { cwd });
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const [, command = ''] = /`holdfast (.*)`/.exec(made.stdout) ?? [];
  expect(await holdfast(words(command), { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\norchestrator -> executor\n[\s\S]*Filesystem[\s\S]*\ncomplete by executor /),
  });
});

/** A line of a shell as its words. Enough for the commands in our pages. */
function words(line: string): string[] {
  return [...line.replace(/\s+#.*$/, '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

test('runs the crew of README.md with the commands shown there', async () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, block = ''] = /## A crew of agents\n[\s\S]*?```\n([\s\S]*?)```/.exec(readme) ?? [];
  const [enter = '', ask = '', serve = '', curl = ''] = block.split('\n');
  const cwd = join(ROOT, /cd (\S+)$/.exec(enter)?.[1] ?? 'nowhere');
  const own = (line: string) => words(line.replace(/^holdfast /, ''));
  expect(await holdfast(own(ask), { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\ncomplete by executor in /),
  });
  const home = folderWith();
  const flags = ['--port', '0', '--store', join(folderWith(), 'x.db')];
  const { child, exit, url } = await start([...own(serve), ...flags], cwd, { HOME: home });
  expect(await (await fetch(url)).text()).toContain('<title>Holdfast</title>');
  const [, , shown = '', ...rest] = words(curl);
  expect(shown).toMatch(/^http:\/\/127\.0\.0\.1:4141\//);
  const token = readFileSync(join(home, '.holdfast', 'serve-token'), 'utf8');
  const headers = rest
    .filter((_, at) => rest[at - 1] === '-H')
    .map((header) => header.replace('$(cat ~/.holdfast/serve-token)', token).split(': ') as [string, string]);
  const response = await fetch(shown.replace('http://127.0.0.1:4141', url), {
    method: 'POST',
    headers,
    body: rest[rest.indexOf('-d') + 1] ?? '',
  });
  expect((await readEvents(response)).at(-1)).toMatchObject({ data: { result: { status: 'complete' } } });
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
});

test('without HOLDFAST_SERVE_TOKEN, the token is in a private file, the same after a restart', async () => {
  const [home, cwd] = [folderWith(), folderWith({ 'crew.yml': CREW })];
  const file = join(home, '.holdfast', 'serve-token');
  const flags = ['serve', 'crew.yml', '--port', '0', '--base-url', standIn.url, '--model', 'claude-sonnet-5'];
  const tokens: string[] = [];
  for (let i = 0; i < 2; i++) {
    const { child, exit, url } = await start(flags, cwd, { HOME: home });
    const token = readFileSync(file, 'utf8');
    expect((await fetch(`${url}/api/sessions`, { method: 'POST' })).status).toBe(401);
    expect((await fetch(`${url}/api/sessions`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
    tokens.push(token);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  }
  expect(tokens[0]).toMatch(/^[\w-]{32}$/);
  expect(tokens[1]).toBe(tokens[0]);
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
});

test('--max-messages sets how many messages of the history a request may have', async () => {
  const cwd = folderWith({ 'crew.yml': CREW });
  const flags = ['--port', '0', '--base-url', standIn.url, '--model', 'claude-sonnet-5', '--max-messages', '25'];
  const { child, exit, url } = await start(['serve', 'crew.yml', ...flags], cwd);
  const response = await fetch(`${url}/api/crew`, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(await response.json()).toMatchObject({ max_messages_per_request: 25 });
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
});
