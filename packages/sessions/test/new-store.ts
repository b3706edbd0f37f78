import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type SessionStore, type StoreOptions, sqlite } from '../src/index.ts';

/** A new folder that goes with the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-sessions-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A store in such a folder, closed with the test. */
export async function newStore(options: StoreOptions = {}): Promise<{ store: SessionStore; path: string }> {
  const path = join(newFolder(), 'state', 'sessions.db');
  const store = await sqlite(path, options);
  onTestFinished(() => store.close());
  return { store, path };
}

export function said(text: string, role = 'user') {
  return { type: 'message', message: { role, content: text } } as const;
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
