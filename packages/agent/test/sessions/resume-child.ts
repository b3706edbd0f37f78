// Opens a store and reads the last 100 messages of a session, as a chat that resumes: prints milliseconds and memory.
import { sqlite } from '../../src/sessions/index.ts';

const start = performance.now();
const [path = '', session = ''] = process.argv.slice(2);
const store = await sqlite(path);
const info = await store.info(session);
const { items } = await store.history(session, { from: (info?.messages ?? 0) - 100 });
const folds = await store.read(session, { types: ['fold'], reverse: true, limit: 8 });
const ms = performance.now() - start;
console.log(JSON.stringify({ ms, rss: process.memoryUsage().rss, items: items.length, folds: folds.items.length }));
await store.close();
