import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testStore } from '@holdfast/sessions/testing';
import { createStandIn } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { keptTalk } from './keep-session.ts';
import { type Memory, memoryStore } from './own-store.ts';
import { sayOnce } from './resume-chat.ts';
import { newestRequest } from './show-request.ts';

test('the conversation in docs/sessions.md is stored completely, with its folds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-example-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const verified = await keptTalk(join(folder, 'sessions.db'), async () => ({
    role: 'assistant',
    content: 'An answer.',
  }));
  expect(verified).toMatchObject({ messages: 80, problems: [] });
  expect(verified.folds).toBeGreaterThan(1);
});

const places = new Map<string, Memory>();
testStore(
  'memory',
  async (place) => {
    const memory: Memory = places.get(place) ?? new Map();
    places.set(place, memory);
    return memoryStore(memory);
  },
  test,
);

test('a session continues from one process to the next', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-example-'));
  const standIn = await createStandIn({ script: ({ messages }) => ({ text: `${messages.length} messages` }) });
  onTestFinished(async () => {
    rmSync(folder, { recursive: true });
    await standIn.close();
  });
  const say = (prompt: string, session?: string) => sayOnce(join(folder, 's.db'), standIn.url, prompt, session);
  const { session, output } = await say('Hello');
  expect(output).toBe('1 messages');
  expect(await say('And again', session)).toMatchObject({ output: '3 messages', restored: { messages: 2 } });
  const body = await newestRequest(join(folder, 's.db'), session ?? '');
  expect(JSON.parse(body ?? '')).toEqual(standIn.requests.at(-1)?.body);
});
