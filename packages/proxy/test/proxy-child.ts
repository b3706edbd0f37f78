// Runs a proxy until it is killed: `proxy-child.ts PORT UPSTREAM BUDGET STORE`, where STORE is a file, a Postgres address or `none`.
import { postgres, type SessionStore, sqlite } from '@holdfast/sessions';
import { createProxy } from '../src/index.ts';

const [port = '0', upstream = '', budget = '', where = 'none'] = process.argv.slice(2);
const proxy = createProxy({
  upstreams: { anthropic: upstream, openai: upstream },
  port: Number(port),
  max_tokens: Number(budget),
  secret: Buffer.alloc(32, 'the same in all processes'),
  ...(await storeAt(where)),
});
await proxy.listen();
process.send?.(proxy.url);

async function storeAt(place: string): Promise<{ store?: SessionStore }> {
  if (place === 'none') return {};
  return { store: place.startsWith('postgres:') ? await postgres({ url: place }) : await sqlite(place) };
}
