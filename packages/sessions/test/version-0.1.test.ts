import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anthropic, type Dialect } from 'holdfast';
import { expect, test } from 'vitest';
import {
  exportSession,
  importSessions,
  restoreConversation,
  type SessionInfo,
  sqlite,
  verifySession,
} from '../src/index.ts';
import { collect, newFolder, newStore } from './new-store.ts';

/** Written by version 0.1: a chat with six tool calls, folds, a prompt taken back, and a fold undone and redone. */
const FIXTURES = fileURLToPath(new URL('fixtures/version-0.1', import.meta.url));
const exported = readFileSync(join(FIXTURES, 'export.jsonl'), 'utf8').trimEnd().split('\n');
const { id } = JSON.parse(exported[0] ?? '') as { id: string };

test('sessions.db of version 0.1 opens: every entry, fold and handle is sound and reads as it was exported', async () => {
  const path = join(newFolder(), 'sessions.db');
  copyFileSync(join(FIXTURES, 'sessions.db'), path);
  await expect(sqlite(path, { read_only: true })).rejects.toThrow('`holdfast sessions list` updates it');
  const store = await sqlite(path);
  try {
    expect((await store.list()).map((info) => info.id)).toEqual([id]);
    expect(await verifySession(store, id)).toMatchObject({ problems: [], messages: 28 });
    expect(await collect(exportSession(store, id))).toEqual(exported);
    expect(JSON.stringify(await store.message(id, 'm2'))).toContain('Page 1: src/page-1.ts has port 8001.');
    expect(await store.search('port 8004')).not.toEqual([]);
  } finally {
    await store.close();
  }
});

test('an export of version 0.1 is imported, and continues where it ended', async () => {
  const { store } = await newStore();
  expect(await importSessions(store, exported)).toEqual([id]);
  expect(await verifySession(store, id)).toMatchObject({ problems: [], messages: 28 });
  expect(await collect(exportSession(store, id))).toEqual(exported);
  const info = await store.info(id);
  const conversation = await restoreConversation(store, info as SessionInfo, anthropic() as Dialect<never>);
  expect(conversation).toMatchObject({ pending: [{ role: 'assistant' }], historyTokens: expect.any(Number) });
  expect(conversation.window.log.length).toBeGreaterThan(0);
});
