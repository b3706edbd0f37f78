import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '@holdfast/sessions';
import { expect, onTestFinished, test } from 'vitest';
import { serveInspector } from './inspector.ts';

test('the inspector in a server of your own answers to its token', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-example-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'sessions.db');
  await (await sqlite(path)).close();
  const server = await serveInspector(path, 'a-token', 0);
  onTestFinished(() => void server.close());
  if (!server.listening) await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const ask = (token: string) =>
    fetch(`http://127.0.0.1:${port}/inspect/api/sessions`, { headers: { authorization: `Bearer ${token}` } });
  expect((await ask('another')).status).toBe(401);
  expect(await (await ask('a-token')).json()).toEqual({ sessions: [] });
});
