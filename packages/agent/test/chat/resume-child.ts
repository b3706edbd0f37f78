// Opens a session as a chat that resumes does, up to where a prompt could be said: prints milliseconds and memory.

import { sqlite } from '@holdfast/sessions';
import { openChat } from '../../src/chat/index.ts';
import { anthropicApi } from '../../src/index.ts';

const start = performance.now();
const [path = '', session = ''] = process.argv.slice(2);
const store = await sqlite(path);
const model = 'claude-sonnet-5';
const provider = anthropicApi({ base_url: 'http://127.0.0.1:9', api_key: 'none', ask_window: false, model });
const chat = await openChat({
  store,
  session,
  speaker: { provider, name: 'anthropic-api', model },
  conversation: { max_messages: 0, max_tokens: 40_000 },
});
const ms = performance.now() - start;
console.log(
  JSON.stringify({ ms, rss: process.memoryUsage().rss, restored: chat.restored, folds: (await chat.context()).folds }),
);
await store.close();
