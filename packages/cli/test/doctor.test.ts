import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { folderWith, holdfast } from './holdfast.ts';

const KEY = 'sk-ant-api03-Zx81Qabcdef1234567890';
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** The address of a server that answers in this way. */
async function serve(
  answer: (response: ServerResponse, path: string, headers: IncomingHttpHeaders) => void,
): Promise<string> {
  const server = createServer(({ url = '', headers }, response) => answer(response, url, headers));
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An address at which nothing is listening any more. */
async function goneAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

/** The findings of a doctor run, by what they are about. */
async function findings(args: readonly string[], env: Readonly<Record<string, string>>, cwd = folderWith()) {
  const { code, stdout } = await holdfast(['doctor', '--json', ...args], { cwd, env });
  expect(stdout).not.toContain('Zx81Q');
  const found: { about: string; status: string; text: string; advice?: string }[] = JSON.parse(stdout).findings;
  expect(JSON.parse(stdout).healthy).toBe(code === 0);
  return { code, of: (about: string) => found.find((one) => one.about === about) };
}

test('reports a key, a server that answers and a known model as ok', async () => {
  const paths: string[] = [];
  const base_url = await serve((response, path) => {
    paths.push(path);
    response.end(JSON.stringify({ max_input_tokens: 500_000 }));
  });
  const cwd = folderWith({ 'AGENTS.md': '# Rules', '.git/HEAD': '' });
  const { code, stdout } = await holdfast(['doctor', '--base-url', base_url], { cwd, env: { ANTHROPIC_API_KEY: KEY } });
  expect(stdout).not.toMatch(/^(?:warning|problem)/m);
  expect(stdout).not.toContain('Zx81Q');
  expect(stdout).toMatch(/^ok +key: ANTHROPIC_API_KEY is set$/m);
  expect(stdout).toMatch(/^ok +server: http:.* answers; its context window is 500k tokens$/m);
  expect(stdout).toMatch(/^ok +model: claude-opus-5-5, context window 1M tokens, \$4 input and \$20 output/m);
  expect(stdout).toMatch(new RegExp(`^ok +state folder: ${`${cwd}-home/.holdfast`} \\(will be created\\)$`, 'm'));
  expect(code).toBe(0);
  expect(paths).toEqual(['/v1/models/claude-opus-5-5']);
});

test('a missing key is a problem with advice and exit code 1', async () => {
  const base_url = await serve((response) => response.writeHead(401).end());
  const { code, of } = await findings(['--provider', 'openai-api', '--base-url', base_url], {});
  expect(code).toBe(1);
  expect(of('key')).toMatchObject({ status: 'problem', advice: expect.stringContaining('export OPENAI_API_KEY=') });
  expect(of('server')).toMatchObject({ status: 'ok' });
});

test('reports a rejected key, and a server that fails, is missing or never answers', async () => {
  const env = { ANTHROPIC_API_KEY: KEY };
  const refusing = await serve((response) => response.writeHead(401).end());
  const troubled = await serve((response) => response.writeHead(503).end());
  const silent = await serve(() => {});
  const at = (base_url: string) => findings(['--base-url', base_url], env).then(({ of }) => of('server'));
  const [refused, trouble, gone, mute] = await Promise.all([
    at(refusing),
    at(troubled),
    at(await goneAddress()),
    at(silent),
  ]);
  expect(refused).toMatchObject({ status: 'problem', text: expect.stringContaining('rejects the key (401)') });
  expect(trouble).toMatchObject({ status: 'warning', text: expect.stringContaining('503') });
  expect(gone).toMatchObject({
    status: 'problem',
    text: expect.stringContaining('does not answer: the request failed (nothing is listening there: ECONNREFUSED)'),
  });
  expect(mute).toMatchObject({ status: 'problem', text: expect.stringContaining('no answer within 3000 ms') });
});

test('a server that answers without a window is ok', async () => {
  const env = { ANTHROPIC_API_KEY: KEY };
  for (const body of ['<html>', '[]', '{"max_input_tokens":0}']) {
    const base_url = await serve((response) => response.end(body));
    const { of } = await findings(['--base-url', base_url], env);
    expect(of('server')).toEqual({ about: 'server', status: 'ok', text: `${base_url} answers` });
  }
});

test('sends an auth token as a run does, and names it when it is rejected', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const base_url = await serve((response, _, headers) => {
    seen.push(headers);
    response.writeHead(401).end();
  });
  const { of } = await findings(['--base-url', base_url], { ANTHROPIC_AUTH_TOKEN: KEY });
  expect(seen).toMatchObject([{ authorization: `Bearer ${KEY}` }]);
  expect(seen[0]).not.toHaveProperty('x-api-key');
  expect(of('server')?.advice).toContain('check ANTHROPIC_AUTH_TOKEN');
});

test('an unknown model is a warning until the configuration describes it', async () => {
  const base_url = await serve((response) => response.writeHead(404).end());
  const args = ['--provider', 'openai-api', '--model', 'my-own', '--base-url', base_url];
  const env = { OPENAI_API_KEY: 'x' };
  const unknown = await findings(args, env);
  expect(unknown.of('model')).toMatchObject({
    status: 'warning',
    text: 'my-own is unknown: assuming a context window of 128k tokens',
    advice: expect.stringContaining('models:'),
  });
  expect(unknown.code).toBe(0);
  const cwd = folderWith({ 'holdfast.yml': 'models: { my-own: { window: 9000, prices: { input: 1, output: 2 } } }' });
  expect((await findings(args, env, cwd)).of('model')).toMatchObject({
    status: 'ok',
    text: expect.stringContaining('context window 9k tokens, $1 input and $2 output'),
  });
});

test('reports a program with its version, a missing one and a broken one', async () => {
  const cwd = folderWith({
    'bin/agent.sh': '#!/bin/sh\necho "agent 2.1 (fine)"\n',
    'bin/broken.sh': '#!/bin/sh\nexit 3\n',
    'a.yml': 'provider: { type: claude-cli, program: bin/agent.sh }\nmcp_servers: { tools: { command: gone-forever } }',
    'b.yml': 'provider: { type: cursor-cli, program: agent.sh }',
    'c.yml': 'provider: { type: claude-cli, program: ./bin/broken.sh }',
    'd.yml': 'provider: { type: cursor-cli, program: gone-forever }',
  });
  const env = { PATH: `${join(cwd, 'bin')}:/bin:/usr/bin` };
  const [a, b, c, d] = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => findings(['--config', `${name}.yml`], env, cwd)),
  );
  expect(a?.of('program')).toEqual({ about: 'program', status: 'ok', text: `${cwd}/bin/agent.sh, agent 2.1 (fine)` });
  expect(a?.of('mcp server tools')).toMatchObject({ status: 'warning', text: 'gone-forever was not found' });
  expect(a?.code).toBe(0);
  expect(b?.of('program')).toMatchObject({ status: 'ok' });
  expect(c?.of('program')).toMatchObject({ status: 'problem', text: expect.stringContaining('does not run') });
  expect(d?.of('program')).toMatchObject({
    status: 'problem',
    advice: expect.stringContaining("install Cursor's CLI"),
  });
  expect(d?.of('key')).toBeUndefined();
});

test('an invalid configuration is a problem with its location, and other checks still run', async () => {
  const cwd = folderWith({ 'holdfast.yml': 'execution:\n  max_cost: -1\n' });
  const { code, of } = await findings([], {}, cwd);
  expect(code).toBe(1);
  expect(of('configuration')).toMatchObject({ status: 'problem', text: expect.stringContaining('holdfast.yml:2:13') });
  expect(of('rules')).toMatchObject({ status: 'warning' });
  expect(of('git')).toMatchObject({ status: 'warning' });
});

test('the stand-in needs nothing; HOLDFAST_HOME moves the state folder', async () => {
  const cwd = folderWith();
  const other = folderWith({ state: 'a file' });
  const good = await findings(['--provider', 'stand-in'], { HOLDFAST_HOME: `${cwd}-runs` }, cwd);
  expect(good.of('state folder')).toMatchObject({ status: 'ok', text: `${cwd}-runs (will be created)` });
  expect(good.code).toBe(0);
  const within = await findings(['--provider', 'stand-in'], { HOLDFAST_HOME: 'runs' }, cwd);
  expect(within.of('state folder')).toMatchObject({
    status: 'problem',
    advice: expect.stringContaining('outside the workspace: `export HOLDFAST_HOME='),
  });
  const bad = await findings(['--provider', 'stand-in'], { HOLDFAST_HOME: `${other}/state` }, cwd);
  expect(bad.of('state folder')).toMatchObject({ status: 'problem', text: expect.stringContaining('is not a folder') });
});

test('every warning and problem says how to fix it', async () => {
  const base_url = await goneAddress();
  const cwd = folderWith({
    'holdfast.yml': `provider:\n  type: openai-api\n  model: nobody-1\nmcp_servers:\n  x: { command: no-such-program }\n`,
    'wrong.yml': 'provider: { type: nobody }\n',
  });
  const home = `${cwd}-home/.holdfast`;
  for (const args of [
    ['--base-url', base_url],
    ['--provider', 'claude-cli'],
    ['--config', 'wrong.yml'],
  ]) {
    const { stdout } = await holdfast(['doctor', '--json', ...args], { cwd, env: { PATH: '/nowhere' } });
    const found: { about: string; status: string; advice?: string }[] = JSON.parse(stdout).findings;
    const fixes = found.filter(({ status }) => status !== 'ok');
    expect(fixes.length).toBeGreaterThan(0);
    for (const { about, advice } of fixes) expect(advice, about).toMatch(/`\S.*`|install/);
  }
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'credentials'), 'OPENAI_API_KEY=sk-proj-abc123\n', { mode: 0o644 });
  const { of } = await findings(['--base-url', base_url], {}, cwd);
  expect(of('key')).toMatchObject({
    status: 'problem',
    text: expect.stringContaining(`run \`chmod 600 ${home}/credentials\``),
  });
});
