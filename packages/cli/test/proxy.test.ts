import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createStandIn, type StandIn, toolLoop } from '@holdfast/stand-in';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../sessions/test/postgres-server.ts';
import { BIN, run } from './holdfast.ts';
import { HOLDFAST, project } from './project.ts';
import { openTerminal } from './terminal.ts';

const OUTPUT = (n: number) => Array.from({ length: 200 }, (_, i) => `part ${n}, line ${i}`).join('\n');
const TOOLS = [
  {
    name: 'Bash',
    description: 'Runs a command',
    input_schema: { type: 'object', properties: { command: { type: 'string' } } },
  },
];

let standIn: StandIn;
beforeAll(async () => {
  standIn = await createStandIn({ script: toolLoop({ calls: 12, command: (n) => `cat part-${n}` }) });
});
afterAll(() => standIn.close());

type Message = { readonly role: string; readonly content: unknown };

/** Closes its connection with the last answer, as a client that ends. */
const ENDING = { connection: 'close' };

/** A conversation of an agent with one tool, through the API at `url`, or where `url` says each time. Returns the last text. */
async function converse(url: string | (() => string)): Promise<string> {
  const messages: Message[] = [{ role: 'user', content: 'Read all parts' }];
  for (let n = 1; ; n++) {
    const response = await fetch(`${typeof url === 'string' ? url : url()}/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': 'sk-ant-planted',
        'anthropic-version': '2023-06-01',
        ...ENDING,
      },
      body: JSON.stringify({ model: 'claude-opus-4-6', max_tokens: 1_000, tools: TOOLS, messages }),
    });
    const answer = (await response.json()) as { content: { type: string; id: string; text: string }[] };
    expect(response.status, JSON.stringify(answer)).toBe(200);
    messages.push({ role: 'assistant', content: answer.content });
    const calls = answer.content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) return answer.content.map(({ text }) => text).join('');
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: OUTPUT(n) }));
    messages.push({ role: 'user', content: results });
  }
}

const close = (value: number) => expect.closeTo(value, 10);

/** A proxy in a process of its own, and the lines that it prints. */
async function startProxy(place: ReturnType<typeof project>, ...args: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, [...HOLDFAST, 'proxy', '--port', '0', ...args], {
    cwd: place.workspace,
    env: place.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = once(child, 'close').then(([code]) => code as number | null);
  const [lines, errors]: [string[], string[]] = [[], []];
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('no pipes');
  createInterface(stderr).on('line', (line) => errors.push(line));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(stdout).on('line', (line) => {
      lines.push(line);
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
      if (found) resolve(found);
    });
    void exit.then(() => reject(new Error(errors.join('\n'))));
  });
  return { child, exit, url, port: new URL(url).port, lines, errors };
}

test('a conversation is folded, recalled in a shell, shown by status, and summed up on Ctrl-C', async () => {
  const place = project({});
  const proxy = await startProxy(place, '--budget', '8k', '--anthropic', standIn.url);
  expect(proxy.lines[0]).toBe(`The proxy listens on ${proxy.url} and keeps prompts within 8k tokens. Start a client:`);
  expect(await converse(proxy.url)).toContain('all 12 calls were answered');
  const status = JSON.parse((await place.holdfast('proxy', 'status', '--port', proxy.port, '--json')).stdout);
  expect(status.totals.folds).toBeGreaterThan(0);
  const [, conversation = ''] = /^holdfast: folded ([0-9a-z]{13}) /.exec(proxy.errors[0] ?? '') ?? [];
  // Whoever knows the whole id may recall.
  const start = conversation.slice(0, 5);
  expect(status.conversations).toMatchObject([{ conversation: start }]);
  const shown = await place.holdfast('proxy', 'status', '--port', proxy.port);
  expect(shown.stdout).toMatch(new RegExp(`^${start} +claude-opus-4-6 +13 `, 'm'));
  const [, token] = /#token=(\S+)/.exec(proxy.lines.join('\n')) ?? [];
  const inspector = `${proxy.url}/inspect/api/sessions`;
  const ask = async (path: string) =>
    (await (await fetch(inspector + path, { headers: { authorization: `Bearer ${token}` } })).json()) as {
      readonly sessions: readonly [{ readonly id: string; readonly cost: number; readonly live: boolean }];
      readonly calls: number;
      readonly costs: { readonly spent: number; readonly everything: number };
    };
  const [{ id, cost, live }] = (await ask('')).sessions;
  expect(live, 'its client has ended').toBe(false);
  const { calls, costs } = await ask(`/${id}`);
  const { proxied, direct } = status.totals.dollars;
  expect([calls, costs.spent, costs.everything, cost]).toEqual([13, ...[proxied, direct, proxied].map(close)]);
  const recalled = await run(process.execPath, [BIN, 'recall', `m2.0@${conversation}`], {
    cwd: place.workspace,
    env: place.env,
  });
  expect(recalled).toEqual({ code: 0, stdout: OUTPUT(1), stderr: '' });
  proxy.child.kill('SIGINT');
  expect(await proxy.exit).toBe(0);
  expect(proxy.errors.filter((line) => line.startsWith(`holdfast: folded ${conversation} `))).toHaveLength(
    status.totals.folds,
  );
  expect(proxy.errors.at(-1)).toMatch(/^holdfast: 13 requests, \d+ folds? in 1 conversation; \$.* instead of \$/);
  const [, spent = ''] = /; (\$[\d.]+) instead of/.exec(proxy.errors.at(-1) ?? '') ?? [];
  expect((await place.holdfast('sessions', 'list')).stdout).toMatch(new RegExp(`^${id} .*\\${spent} `, 'm'));
  expect((await place.holdfast('sessions', 'show', id)).stdout).toMatch(new RegExp(`tokens, \\${spent}$`, 'm'));
  expect(`${proxy.lines}${proxy.errors}`).not.toContain('planted');
  expect((statSync(join(place.home, 'proxy-secret')).mode & 0o777).toString(8)).toBe('600');
});

test('requests that failed are counted by status at the end, with what to do', async () => {
  const place = project({});
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(request.url === '/v1/messages' ? 401 : 404, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const proxy = await startProxy(place, '--anthropic', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const body = JSON.stringify({ model: 'claude-opus-4-6', messages: [{ role: 'user', content: 'Hello' }] });
  for (const path of ['/v1/messages', '/v1/messages', '/v1/messages/batches?key=planted'])
    await (await fetch(proxy.url + path, { method: 'POST', body })).text();
  await (await fetch(`${proxy.url}/v1/messages/unknown`)).text();
  proxy.child.kill('SIGINT');
  expect(await proxy.exit).toBe(0);
  const [first, second, third, ...end] = proxy.errors;
  expect(first).toBe(second);
  expect(first).toMatch(/^holdfast: anthropic answered \/v1\/messages with 401: .*key/);
  expect(third).toMatch(/^holdfast: anthropic answered \/v1\/messages\/batches with 404: /);
  expect(end).toEqual([
    'holdfast: 0 requests answered, 3 failed, 0 folds in 0 conversations',
    expect.stringMatching(/^holdfast: 2 requests failed with 401: .*check the client's key/),
    expect.stringMatching(/^holdfast: 1 request failed with 404: .*base URL/),
  ]);
});

test('--json prints events as lines; --no-store writes nothing', async () => {
  const place = project({});
  const proxy = await startProxy(place, '--json', '--no-store', '--budget', '8k', '--anthropic', standIn.url);
  await converse(proxy.url);
  proxy.child.kill('SIGTERM');
  expect(await proxy.exit).toBe(0);
  const events = proxy.lines.map((line) => JSON.parse(line));
  expect(events[0]).toMatchObject({ type: 'proxy-start', url: proxy.url, max_tokens: 8_000 });
  expect(events.filter(({ type }) => type === 'fold-end').length).toBeGreaterThan(0);
  expect(events.at(-1)).toMatchObject({ type: 'proxy-end', totals: { requests: 13 } });
  expect(proxy.errors).toEqual([]);
  expect((await place.holdfast('sessions', 'list')).stdout).toBe('No sessions yet.\n');
});

test('proxies with one Postgres continue and recall the same conversation; models never see its address', async ({
  skip,
}) => {
  const server = await startPostgres();
  if (!server) return skip('no Postgres can be started here');
  onTestFinished(() => server.stop());
  const place = project({});
  const flags = ['--store', server.url, '--budget', '8k', '--anthropic', standIn.url];
  const proxies = [await startProxy(place, ...flags), await startProxy(place, ...flags)];
  let turn = 0;
  const before = standIn.requests.length;
  expect(await converse(() => proxies[turn++ % 2]?.url ?? '')).toContain('all 12 calls were answered');
  const { sessions } = JSON.parse((await place.holdfast('sessions', 'list', '--json', '--store', server.url)).stdout);
  expect(sessions).toHaveLength(1);
  const handle = `m2.0@${sessions[0].id.split('-')[1]}`;
  const recalled = await place.holdfast('recall', handle, '--store', server.url);
  expect(recalled).toMatchObject({ code: 0, stdout: OUTPUT(1) });
  const sent = JSON.stringify(standIn.requests.slice(before).map(({ body }) => body));
  expect(sent).toContain('tool_result');
  expect(sent).not.toContain('postgres:');
});

test("upstreams come from flags and the user's own configuration, never from a folder's", async () => {
  const place = project({
    'holdfast.yml':
      'proxy:\n  anthropic: http://evil.example\n  openai: http://evil.example\n  gemini: http://evil.example\n',
  });
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, 'config.yml'), 'proxy:\n  openai: http://127.0.0.1:9/v1\n', { mode: 0o600 });
  const { port } = await startProxy(place);
  const { stdout } = await place.holdfast('proxy', 'status', '--port', port, '--json');
  expect(JSON.parse(stdout).upstreams).toEqual({
    anthropic: 'https://api.anthropic.com',
    openai: 'http://127.0.0.1:9/v1',
    gemini: 'https://generativelanguage.googleapis.com',
  });
});

test('a client starts with its base URL, and its exit code is passed on', async () => {
  const place = project({});
  place.write('bin/codex', '#!/bin/sh\nprintf "%s\\n" "$@"\n');
  place.write('bin/pi', '#!/bin/sh\nprintf "%s " "$1" "$3"; cat "$2"\n');
  const env = { ...place.env, PATH: `${place.workspace}/bin:${place.env.PATH}` };
  const start = async (...args: readonly string[]) =>
    run(process.execPath, [BIN, 'proxy', '--no-store', ...args], { cwd: place.workspace, env });
  await run('chmod', ['+x', 'bin/codex', 'bin/pi'], { cwd: place.workspace, env });
  const any = await start('--', 'sh', '-c', 'echo "$ANTHROPIC_BASE_URL $OPENAI_BASE_URL"; exit 7');
  expect(any.code).toBe(7);
  expect(any.stdout).toMatch(/^(http:\/\/127\.0\.0\.1:\d+) \1\/v1\n$/);
  expect(any.stderr).toMatch(
    /^holdfast: sh is not a client that holdfast knows: it gets ANTHROPIC_BASE_URL, OPENAI_BASE_URL, GOOGLE_GEMINI_BASE_URL\nholdfast: 0 requests/,
  );
  const codex = await start('--', 'codex', 'exec', '--json', 'a b');
  expect(codex.stdout).toMatch(/^-c\nopenai_base_url="http:\/\/127\.0\.0\.1:\d+\/v1"\nexec\n--json\na b\n$/);
  expect((await start('--', 'pi', 'hello')).stdout).toMatch(/^-e hello export default function \(pi\)/);
  expect((await start('--', 'sh', '-c', 'kill -TERM $$')).code).toBe(143);
});

test('invalid settings are refused before anything starts', async () => {
  const place = project({});
  const env = { ...place.env, ANTHROPIC_BASE_URL: 'http://gateway.example' };
  const refusal = async (...args: readonly string[]) => {
    const { code, stderr } = await run(process.execPath, [BIN, 'proxy', ...args], { cwd: place.workspace, env });
    expect(code).toBe(2);
    return stderr;
  };
  expect(await refusal('--', 'claude')).toMatch(/ANTHROPIC_BASE_URL is already set: pass --anthropic/);
  expect(await refusal('--', 'cline', 'x')).toMatch(/Cline takes its base URL only from its settings/);
  expect(await refusal('--anthropic', 'http://x', '--', 'no-such-program')).toMatch(/cannot start no-such-program/);
  expect(await refusal('stauts')).toBe(
    "holdfast: unknown command 'stauts' (Did you mean status?); see holdfast proxy --help\n",
  );
  // As a script passes an unset variable: the keys must not go to another address than the one it should have named.
  expect(await refusal('--openai', '')).toMatch(/invalid upstream for openai: expected a URL/);
  expect(await refusal('--budget', 'much')).toMatch(/invalid --budget "much": expected .* 40k/);
  const taken = createTcpServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  expect(await refusal('--port', String(port))).toMatch(`port ${port} is in use, perhaps by another proxy`);
  const none = await place.holdfast('proxy', 'status', '--port', '9');
  expect(none).toMatchObject({ code: 1, stdout: '' });
  expect(none.stderr).toMatch(/no proxy is running on port 9: start one with holdfast proxy/);
});

test('on a terminal a client gets all keys and the screen, and the status is live', async () => {
  const place = project({});
  const options = { command: process.execPath, cwd: place.workspace, env: place.env, cols: 100 };
  const script = 'trap "echo caught" INT; echo ready; until read line; do :; done; echo "got $line"; exit 3';
  const client = openTerminal({ ...options, args: [...HOLDFAST, 'proxy', '--', 'sh', '-c', script] });
  onTestFinished(() => client.kill());
  await client.until((screen) => screen.includes('ready'));
  client.write('\u0003');
  await client.until((screen) => screen.some((row) => row.endsWith('caught')));
  client.write('hello\r');
  expect(await client.exit, client.raw()).toBe(3);
  expect(client.screen()).toContain('got hello');
  expect(client.screen().find((row) => row.startsWith('holdfast: 0 requests, 0 folds'))).toBeDefined();

  const proxy = await startProxy(place, '--budget', '8k', '--anthropic', standIn.url);
  const status = openTerminal({ ...options, args: [...HOLDFAST, 'proxy', 'status', '--port', proxy.port] });
  onTestFinished(() => status.kill());
  await status.until((screen) => screen.includes('no conversations yet'));
  await converse(proxy.url);
  await status.until((screen) => screen.some((row) => /^\w{5} +claude-opus-4-6 +13 /.test(row)));
  status.write('q');
  expect(await status.exit).toBe(0);
  expect(status.cursorVisible()).toBe(true);
});

test('an upstream that could not be reached is named after a client that owned the terminal', async () => {
  const place = project({});
  const ask = 'fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", body: "{}" })';
  const args = ['proxy', '--anthropic', 'http://127.0.0.1:9', '--', process.execPath, '-e', ask];
  const options = { command: process.execPath, cwd: place.workspace, env: place.env, cols: 200 };
  const client = openTerminal({ ...options, args: [...HOLDFAST, ...args] });
  onTestFinished(() => client.kill());
  expect(await client.exit, client.raw()).toBe(0);
  expect(
    client.screen().filter((row) => row.includes('http://127.0.0.1:9 did not answer (ECONNREFUSED)')),
  ).toHaveLength(1);
});

test('something other than a proxy has no status', async () => {
  const other = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  expect((await project({}).holdfast('proxy', 'status', '--port', String(port))).code).toBe(1);
});
