// Measures a session store: appends at the start and after many messages, and reopening.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MemorySession } from '@openai/agents-core';
import { sqlite } from '../packages/sessions/dist/index.js';

const MESSAGES = 20_000;
const SAMPLES = 25;
const SESSIONS = 5_000;

const text = (i) =>
  Array.from(
    { length: 60 },
    (_, line) => `${i}.${line}: function part${(i * 31 + line) % 997}() { return "value"; }`,
  ).join('\n');
const message = (i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: text(i) });

/** Session stores: `add` returns once its last message is on disk; `open` reads what the next request needs. */
const KEEPERS = {
  async 'Holdfast, sqlite'(folder) {
    const store = await sqlite(join(folder, 'sessions.db'));
    const { id } = await store.create();
    let last = 0;
    return {
      async add(messages) {
        for (let i = 0; i < messages.length; i += 500) {
          const entries = messages.slice(i, i + 500).map((one) => ({ type: 'message', message: one }));
          last = await store.append(id, entries, last);
        }
      },
      async open() {
        const again = await sqlite(join(folder, 'sessions.db'));
        const { messages } = await again.info(id);
        await again.history(id, { from: messages - 100 });
        await again.close();
      },
      close: () => store.close(),
    };
  },
  async 'one JSON text a session, in SQLite'(folder) {
    const path = join(folder, 'blob.db');
    const db = new DatabaseSync(path);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    db.exec('CREATE TABLE sessions (id TEXT PRIMARY KEY, created_at TEXT, updated_at TEXT, title TEXT, messages JSON)');
    db.exec(`INSERT INTO sessions VALUES ('one', '', '', 'One', '[]')`);
    const write = db.prepare(`UPDATE sessions SET messages = ? WHERE id = 'one'`);
    const all = [];
    return {
      async add(messages) {
        all.push(...messages);
        write.run(JSON.stringify(all));
      },
      async open() {
        const again = new DatabaseSync(path);
        JSON.parse(again.prepare(`SELECT messages FROM sessions WHERE id = 'one'`).get().messages);
        again.close();
      },
      close: () => db.close(),
    };
  },
  async 'OpenAI Agents MemorySession (gone with the process)'() {
    const session = new MemorySession();
    return {
      async add(messages) {
        await session.addItems(messages);
      },
      open: async () => void (await session.getItems()),
      close() {},
    };
  },
};

const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];

async function timed(count, doing) {
  const times = [];
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    await doing(i);
    times.push(performance.now() - start);
  }
  return median(times);
}

/** Milliseconds to list a store of many sessions. */
async function measureList() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  const store = await sqlite(join(folder, 'sessions.db'));
  try {
    for (let i = 0; i < SESSIONS; i++) await store.create({ title: `Session ${i}` });
    return await timed(5, () => store.list());
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

export async function measureSessions() {
  const rows = [];
  for (const [name, make] of Object.entries(KEEPERS)) {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
    try {
      const keeper = await make(folder);
      const first = await timed(SAMPLES, (i) => keeper.add([message(i)]));
      await keeper.add(Array.from({ length: MESSAGES - 2 * SAMPLES }, (_, i) => message(SAMPLES + i)));
      const last = await timed(SAMPLES, (i) => keeper.add([message(MESSAGES - SAMPLES + i)]));
      const open = await timed(3, () => keeper.open());
      await keeper.close();
      rows.push({ name, first, last, open });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  return { rows, messages: MESSAGES, sessions: SESSIONS, list: await measureList() };
}
