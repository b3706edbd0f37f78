// Holds a conversation until it is killed: says prompts until there was a fold, and prints where it is.

import { sqlite } from '@holdfast/sessions';
import { openChat } from '../../src/chat/index.ts';
import { anthropicApi } from '../../src/index.ts';
import { look } from './look-tool.ts';

const [path = '', url = '', model = ''] = process.argv.slice(2);
const provider = anthropicApi({ base_url: url, api_key: 'none', ask_window: false, model });
const chat = await openChat({
  store: await sqlite(path),
  speaker: { provider, name: 'anthropic-api', model },
  tools: [look],
  options: { thinking: false },
});
for (let i = 0; i < 8; i++) await chat.say(`Please look ${i}`);
const { fold } = await chat.compact();
console.log(JSON.stringify({ session: chat.session, fold }));
setInterval(() => {}, 1_000);
