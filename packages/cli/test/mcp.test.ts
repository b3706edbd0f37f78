import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sqlite } from '@holdfast/sessions';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { HOLDFAST, project } from './project.ts';

const ID = 'k3v9abcdefghj';
const TEXT = 'odd\u202e \u2028 characters\u001b[2J';

test('holdfast mcp starts before there is a store, and serves what is stored later, byte for byte', async () => {
  const { workspace, home, env } = project({});
  const client = new Client({ name: 'test', version: '1' });
  const args = [...HOLDFAST, 'mcp'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: workspace, env }));
  onTestFinished(() => client.close());
  const recall = async () => {
    const { content } = await client.callTool({ name: 'recall', arguments: { handle: `m0@${ID}` } });
    return (content as { text: string }[]).map(({ text }) => text);
  };
  expect(await recall()).toEqual([expect.stringContaining('is not stored here')]);
  await fill(join(home, 'sessions.db'));
  expect((await recall())[1]).toBe(TEXT);
  const listed = await client.callTool({ name: 'list', arguments: {} });
  expect(JSON.stringify(listed.content)).toContain(ID);
  const found = await client.callTool({ name: 'search', arguments: { words: 'odd', conversation: ID } });
  expect(JSON.stringify(found.content)).toContain(`m0@${ID}`);
});

test('what is not a request gets no answer or an error, and no answer can control a terminal', async () => {
  const { workspace, home, env } = project({});
  await fill(join(home, 'sessions.db'));
  const server = spawn(process.execPath, [...HOLDFAST, 'mcp'], { cwd: workspace, env });
  const ask = (id: number, method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const tool = (id: number, name: string, given: unknown) => ask(id, 'tools/call', { name, arguments: given });
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const lines = [
    ask(1, 'initialize', client),
    'not JSON \u001b[2J',
    '{"jsonrpc":"2.0"}',
    tool(2, 'recall', 'm0'),
    tool(3, 'recall', { handle: '\u001b[2J\u009b2J\u202e' }),
    tool(4, 'list', {}),
    tool(5, 'search', { words: 'odd', conversation: ID }),
    tool(6, 'recall', { handle: `m0@${ID}` }),
  ];
  server.stdin.write(lines.join('\n').concat('\n'));
  let [out, problems] = ['', ''];
  server.stderr.on('data', (chunk) => {
    problems += chunk;
  });
  for await (const chunk of server.stdout.setEncoding('utf8')) {
    out += chunk;
    if (out.includes('"id":6')) server.stdin.end();
  }
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
  expect(answers.find(({ id }) => id === 2).error.message).toContain('arguments');
  expect(answers.find(({ id }) => id === 3).result.isError).toBe(true);
  expect(answers.find(({ id }) => id === 6).result.content[1].text).toBe(TEXT);
  expect(out.replaceAll('\n', '') + problems.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
});

test('a store that is named, and missing, is refused', async () => {
  const place = project({});
  const { code, stderr } = await place.holdfast('mcp', '--store', 'gone.db');
  expect(code).toBe(2);
  expect(stderr).toContain('gone.db');
  expect(existsSync(join(place.workspace, 'gone.db'))).toBe(false);
});

/** A store with one conversation. */
async function fill(path: string): Promise<void> {
  const store = await sqlite(path);
  await store.create({ id: `0123456789abcdef-${ID}` });
  await store.append(
    `0123456789abcdef-${ID}`,
    [
      { type: 'model', provider: 'proxy', model: 'm', dialect: 'anthropic' },
      { type: 'message', message: { role: 'user', content: TEXT } },
    ],
    0,
  );
  await store.close();
}
