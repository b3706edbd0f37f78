// Resumes a session five times, up to where a prompt could be sent: prints the processor time of the quickest and the memory.
import { sqlite } from '@holdfast/sessions';
import { openChat } from '../../src/chat/index.ts';
import { anthropicApi } from '../../src/index.ts';

const [path = '', session = ''] = process.argv.slice(2);
const model = 'claude-sonnet-5';
const provider = anthropicApi({ base_url: 'http://127.0.0.1:9', api_key: 'none', ask_window: false, model });
let ms = Number.POSITIVE_INFINITY;
let seen: { readonly rss?: number; readonly [key: string]: unknown } = {};
for (let i = 0; i < 5; i++) {
  const start = process.cpuUsage();
  const store = await sqlite(path);
  const chat = await openChat({
    store,
    session,
    speaker: { provider, name: 'anthropic-api', model },
    conversation: { max_messages: 0, max_tokens: 40_000 },
  });
  const { user, system } = process.cpuUsage(start);
  ms = Math.min(ms, (user + system) / 1_000);
  // Five of them, one after the other, hold more than one does.
  seen = { rss: seen.rss ?? process.memoryUsage().rss, restored: chat.restored, folds: (await chat.context()).folds };
  await store.close();
}
console.log(JSON.stringify({ ms, ...seen }));
