import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type {
  CallList,
  CrewSession,
  SentRequest,
  ServerInfo,
  SessionDetail,
  SessionList,
  View,
} from '@holdfast/inspector/api';
import { sqlite } from '@holdfast/sessions';
import { createStandIn, toolLoop } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { CHROMIUM, launch, open } from '../../inspector/test/browser.ts';
import { HOLDFAST, project } from './project.ts';
import { PAIR, serving } from './serving.ts';
import { openTerminal } from './terminal.ts';

/** The inspector behind an address with its token. */
function inspector(address: string) {
  const [page = '', token = ''] = address.split('#token=');
  const headers = { authorization: `Bearer ${token}` };
  return {
    page,
    token,
    async get<T>(path: string): Promise<T> {
      const response = await fetch(`${page}api/${path}`, { headers });
      expect(response.status, `${path}: ${await response.clone().text()}`).toBe(200);
      return (await response.json()) as T;
    },
    post: (path: string) => fetch(`${page}api/${path}`, { method: 'POST', headers }),
  };
}

/** Starts a command that prints the address of the inspector. */
async function start(place: ReturnType<typeof project>, ...args: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, [...HOLDFAST, ...args], {
    cwd: place.workspace,
    env: place.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = once(child, 'close').then(([code]) => code as number | null);
  const errors: string[] = [];
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('no pipes');
  const address = await new Promise<string>((resolve, reject) => {
    const look = (line: string) => {
      const [found] = /http:\/\/127\.0\.0\.1:\d+\/inspect\/(?:#token=[\w-]+)?/.exec(line) ?? [];
      if (found) resolve(found);
    };
    createInterface(stdout).on('line', look);
    createInterface(stderr).on('line', (line) => {
      errors.push(line);
      look(line);
    });
    void exit.then(() => reject(new Error(errors.join('\n'))));
  });
  return { child, exit, address, ...inspector(address) };
}

test('holdfast ui shows the sessions of the store, live, and writes nothing', async () => {
  const place = project({});
  const path = join(place.home, 'sessions.db');
  const ui = await start(place, 'ui', '--port', '0', '--no-open');
  expect(await ui.get<ServerInfo>('info')).toMatchObject({ host: 'ui', store: path, canChange: false });
  expect((await ui.get<SessionList>('sessions')).sessions).toEqual([]);
  const store = await sqlite(path);
  const { id } = await store.create();
  await store.append(id, [{ type: 'message', message: { role: 'user', content: 'hello inspector' } }], 0);
  await store.close();
  expect((await ui.get<SessionList>('sessions')).sessions).toMatchObject([
    { id, title: 'hello inspector', live: true },
  ]);
  expect((await fetch(ui.page)).headers.get('content-type')).toContain('text/html');
  expect((await fetch(`${ui.page}api/sessions`)).status).toBe(401);
  const root = await fetch(new URL('/', ui.page), { redirect: 'manual' });
  expect([root.status, root.headers.get('location')]).toEqual([302, '/inspect/']);
  ui.child.kill('SIGINT');
  expect(await ui.exit).toBe(0);
});

test.skipIf(process.platform !== 'linux')(
  'on a terminal it opens the browser, and no command shows the token',
  async () => {
    const place = project({});
    place.write(
      'bin/xdg-open',
      '#!/bin/sh\necho "$*" > opened\nfile=$(echo "$1" | sed s,file://,,)\ncat "$file" > page\nls -l "$file" > mode\n',
    );
    chmodSync(join(place.workspace, 'bin/xdg-open'), 0o755);
    const terminal = openTerminal({
      command: process.execPath,
      args: [...HOLDFAST, 'ui', '--port', '0'],
      cols: 120,
      cwd: place.workspace,
      env: { ...place.env, PATH: `${join(place.workspace, 'bin')}:${place.env.PATH}` },
    });
    onTestFinished(() => terminal.kill());
    const opened = (name: string) => {
      const path = join(place.workspace, name);
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    };
    await expect.poll(() => opened('mode')).toMatch(/^-rw-------/);
    await terminal.until((screen) => screen.join().includes('#token='));
    const [address = 'none'] = /http:\S+/.exec(terminal.screen().join('\n')) ?? [];
    expect(address).toContain('#token=');
    expect(opened('page')).toContain(`url=${address}"`);
    expect(opened('opened')).not.toContain('token');
    terminal.write('\u0003');
    expect(await terminal.exit).toBe(0);
    expect(existsSync(opened('opened').trim().replace('file://', ''))).toBe(false);
  },
);

test('a store that is named must exist, and a port that is asked for must be free', async () => {
  const place = project({});
  const missing = await place.holdfast('ui', '--store', 'nowhere.db', '--no-open');
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('there are no sessions in') });
  const ui = await start(place, 'ui', '--port', '0', '--no-open');
  const { port } = new URL(ui.page);
  const taken = await place.holdfast('ui', '--port', port, '--no-open');
  expect(taken).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(`^holdfast: port ${port} is in use: .* leave out --port`),
  });
});

test('the proxy serves what it keeps, to browsers with its token only', async () => {
  const place = project({});
  const standIn = await createStandIn({ script: toolLoop({ calls: 12, command: (n) => `cat part-${n}` }) });
  onTestFinished(() => standIn.close());
  const proxy = await start(place, 'proxy', '--port', '0', '--budget', '8k', '--anthropic', standIn.url);
  const { origin } = new URL(proxy.page);
  const messages: unknown[] = [{ role: 'user', content: 'Read all parts' }];
  for (let n = 1, isOver = false; !isOver; n++) {
    const response = await fetch(`${origin}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'sk-ant-planted', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({
        model: 'claude-opus-4-6',
        max_tokens: 1_000,
        tools: [{ name: 'Bash', input_schema: { type: 'object', properties: { command: { type: 'string' } } } }],
        messages,
      }),
    });
    const { content } = (await response.json()) as { content: { type: string; id: string }[] };
    messages.push({ role: 'assistant', content });
    const calls = content.filter(({ type }) => type === 'tool_use');
    isOver = calls.length === 0;
    const output = Array.from({ length: 200 }, (_, i) => `part ${n}, line ${i}`).join('\n');
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: output }));
    if (!isOver) messages.push({ role: 'user', content: results });
  }
  const { sessions } = await proxy.get<SessionList>('sessions');
  expect(sessions).toMatchObject([{ kind: 'proxy', model: 'claude-opus-4-6', title: 'Read all parts', live: true }]);
  const path = `sessions/${sessions[0]?.id}`;
  const { calls, folds } = await proxy.get<CallList>(`${path}/calls`);
  expect(folds.length).toBeGreaterThan(0);
  expect(calls.length).toBeGreaterThan(0);
  const last = calls.at(-1);
  expect(last).toMatchObject({ budget: 8_000, requests: 1 });
  for (const { call } of calls) {
    const { body, masked } = await proxy.get<SentRequest>(`${path}/requests/${call}`);
    expect([JSON.parse(body), masked]).toEqual([standIn.requests[call - 1]?.body, false]);
    expect(body).not.toContain('planted');
  }
  expect(last?.everything).toBeGreaterThan(last?.cost ?? Number.NaN);
  const view = await proxy.get<View>(`${path}/view?call=${last?.call}`);
  expect(view.sent).toBe(last?.sent);
  expect(view.runs.some(({ type, handle }) => type === 'folded' && handle?.includes('@'))).toBe(true);
  expect((await fetch(`${proxy.page}api/sessions`)).status).toBe(401);
  const foreign = { headers: { origin: 'https://evil.example', authorization: `Bearer ${proxy.token}` } };
  expect((await fetch(`${proxy.page}api/sessions`, foreign)).status).toBe(403);
  const all = await Promise.all(['', '/calls', '/view', '/messages'].map((part) => proxy.get(path + part)));
  expect(JSON.stringify(all)).not.toContain('planted');
  proxy.child.kill('SIGINT');
  expect(await proxy.exit).toBe(0);
});

test('holdfast serve shows its crew, who spoke when, and undoes folds of its own sessions', async () => {
  const crew = { ...PAIR, strategy: 'fold' as const, max_messages_per_request: 12 };
  const served = await serving(undefined, { crew });
  onTestFinished(() => served.close());
  const ui = inspector(served.server.inspector);
  const info = await ui.get<ServerInfo>('info');
  expect(info).toMatchObject({ host: 'serve', canChange: true, crew: { entry: 'lead' } });
  expect(info.crew?.agents).toMatchObject([
    { name: 'lead', to: ['clerk'] },
    { name: 'clerk', terminal: true },
  ]);
  const { id } = (await (await served.post('/api/sessions', {})).json()) as { id: string };
  for (let i = 0; i < 8; i++)
    expect((await served.post('/api/crew', { input: `Question ${i}`, session: id })).status).toBe(200);
  const talk = await ui.get<CrewSession>(`sessions/${id}/crew`);
  expect(talk.edges).toEqual([{ from: 'lead', to: 'clerk', count: 8 }]);
  expect(talk.agents).toMatchObject([
    { name: 'lead', turns: 8, budget: { messages: 12 } },
    { name: 'clerk', turns: 8, calls: 8 },
  ]);
  expect(talk.turns.slice(0, 3).map(({ agent }) => agent)).toEqual(['user', 'lead', 'clerk']);
  const { calls, folds } = await ui.get<CallList>(`sessions/${id}/calls`);
  expect(calls).toHaveLength(8);
  expect(calls[0]?.requests).toBeGreaterThan(1);
  expect(folds.length).toBeGreaterThan(0);
  const before = await ui.get<View>(`sessions/${id}/view`);
  expect((await ui.post(`sessions/${id}/undo`)).status).toBe(200);
  expect((await ui.get<View>(`sessions/${id}/view`)).folds).toEqual(before.folds.slice(0, -1));
  expect((await ui.post(`sessions/${id}/redo`)).status).toBe(200);
  expect(await ui.get<View>(`sessions/${id}/view`)).toEqual(before);
  expect((await served.post('/api/crew', { input: 'One more', session: id })).status).toBe(200);
  const other = await served.store.create();
  expect((await ui.post(`sessions/${other.id}/undo`)).status).toBe(409);
  expect((await fetch(`${ui.page}api/sessions`)).status).toBe(401);
});

test('the newest messages are all that a crew without folds sees, and the inspector says so', async () => {
  const served = await serving(undefined, { crew: { ...PAIR, strategy: 'rolling', max_messages_per_request: 6 } });
  onTestFinished(() => served.close());
  const ui = inspector(served.server.inspector);
  const { id } = (await (await served.post('/api/sessions', {})).json()) as { id: string };
  const ask = async (input: string) =>
    expect((await served.post('/api/crew', { input, session: id })).status).toBe(200);
  await ask('Question 0');
  expect(await ui.get<View>(`sessions/${id}/view`)).toMatchObject({ runs: [{ type: 'kept', from: 0 }] });
  for (let i = 1; i < 5; i++) await ask(`Question ${i}`);
  const view = await ui.get<View>(`sessions/${id}/view`);
  expect(view.sent).toBeLessThanOrEqual(6);
  expect(view.runs.map(({ type, from, to }) => [type, from, to])).toEqual([
    ['folded', 0, view.messages - view.sent - 1],
    ['kept', view.messages - view.sent, view.messages - 1],
  ]);
  const { costs } = await ui.get<SessionDetail>(`sessions/${id}`);
  expect(costs.everything).toBeGreaterThan(costs.spent ?? Number.NaN);
});

/** Follows a session until an entry, and returns the last that each event named. */
async function follow(response: Response, last: () => number): Promise<number[]> {
  const seen: number[] = [];
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; reader && (last() === 0 || (seen.at(-1) ?? 0) < last()); ) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
    for (const [, data = ''] of text.matchAll(/^data: (.*)$/gm)) {
      const event = JSON.parse(data) as { readonly last: number };
      if (event.last > (seen.at(-1) ?? 0)) seen.push(event.last);
    }
    text = text.slice(text.lastIndexOf('\n\n') + 2);
  }
  await reader?.cancel();
  return seen;
}

test('50 readers and a browser follow a live session, and nobody asks the model once more', async () => {
  const served = await serving();
  onTestFinished(() => served.close());
  const ui = inspector(served.server.inspector);
  const talk = async () => {
    const { id } = (await (await served.post('/api/sessions', {})).json()) as { id: string };
    for (let i = 0; i < 4; i++) await served.post('/api/crew', { input: `Question ${i}`, session: id });
    return id;
  };
  await talk();
  const alone = served.standIn.requests.length;
  const { id } = (await (await served.post('/api/sessions', {})).json()) as { id: string };
  const headers = { authorization: `Bearer ${ui.token}` };
  const browser = CHROMIUM === undefined ? undefined : await launch();
  onTestFinished(() => browser?.close());
  const page = browser && (await open(browser, served.server.inspector, {}, served.url)).page;
  await page?.evaluate(`location.hash = '#/s/${id}'`);
  await page?.getByText('Nothing was said yet').waitFor();
  let last = 0;
  const streams = await Promise.all(
    Array.from({ length: 50 }, () => fetch(`${ui.page}api/events?session=${id}`, { headers })),
  );
  const readers = streams.map((stream) => follow(stream, () => last));
  for (let i = 0; i < 4; i++) {
    await served.post('/api/crew', { input: `Question ${i}`, session: id });
    await ui.get<View>(`sessions/${id}/view`);
    await page?.getByText(`Call ${i + 1} of ${i + 1}`).waitFor();
  }
  last = (await served.store.info(id))?.last ?? 0;
  // One more entry, so that readers between two looks see that it is over.
  last = await served.store.append(id, [{ type: 'title', title: 'over' }], last);
  for (const seen of await Promise.all(readers)) expect(seen.at(-1)).toBe(last);
  expect(served.standIn.requests.length).toBe(2 * alone);
});

test('if a token is configured, serve requires that one, and prints none', async () => {
  const served = await serving(undefined, { token: 'a-token-of-sixteen', isTokenGiven: true });
  onTestFinished(() => served.close());
  expect(served.server.inspector).toBe(`${served.url}/inspect/`);
  const response = await fetch(`${served.url}/inspect/api/sessions`, {
    headers: { authorization: 'Bearer a-token-of-sixteen' },
  });
  expect(response.status).toBe(200);
});
