import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testStore } from '@holdfast/agent/testing';
import { expect, onTestFinished, test } from 'vitest';
import { keptTalk } from './keep-session.ts';
import { type Memory, memoryStore } from './own-store.ts';

test('the talk of docs/sessions.md is kept whole, with its folds', async () => {
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
