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
  const store = await sqlite(join(home, 'sessions.db'));
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
  expect((await recall())[1]).toBe(TEXT);
});

test('a store that is named, and missing, is refused', async () => {
  const place = project({});
  const { code, stderr } = await place.holdfast('mcp', '--store', 'gone.db');
  expect(code).toBe(2);
  expect(stderr).toContain('gone.db');
  expect(existsSync(join(place.workspace, 'gone.db'))).toBe(false);
});
