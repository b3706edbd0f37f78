// Appends messages to a session that others write to, and records each in a file: `writer-child.ts STORE SESSION NAME COUNT ACKS`.
import { appendFileSync } from 'node:fs';
import { isHoldfastError } from 'holdfast';
import { postgres, type SessionStore, sqlite } from '../src/index.ts';

const [where = '', session = '', name = '', count = '0', acks = ''] = process.argv.slice(2);
const store: SessionStore = where.startsWith('postgres:')
  ? await postgres({ url: where, connections: 1 })
  : await sqlite(where);

let after = (await store.info(session))?.last ?? 0;
for (let i = 0; i < Number(count); i++) {
  const content = `${name}:${i} ${'some words of a result\n'.repeat(1 + ((i * 7) % 40))}`;
  for (let done = false; !done; ) {
    try {
      after = await store.append(session, [{ type: 'message', message: { role: 'user', content } }], after);
      done = true;
    } catch (error) {
      if (!isHoldfastError(error) || typeof error.details.last !== 'number') throw error;
      after = error.details.last;
    }
  }
  appendFileSync(acks, `${name}:${i}\n`);
}
await store.close();
