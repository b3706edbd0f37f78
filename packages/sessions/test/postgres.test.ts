import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { postgres, type SessionStore, verifySession } from '../src/index.ts';
import { said } from './new-store.ts';
import { startPostgres } from './postgres-server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());
const url = server?.url ?? '';

test('an unreachable server is reported quickly, without the password', async () => {
  const failure = await postgres('postgres://me:topsecret1@127.0.0.1:1/none').catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'BAD_STATE' });
  expect(String(failure)).toMatch(/ECONNREFUSED.*is the server running, and is the address right\?/);
  expect(String(failure)).not.toContain('topsecret1');
});

test('an invalid schema name is refused', async () => {
  await expect(postgres({ url, schema: 'a; drop' })).rejects.toMatchObject({ code: 'BAD_CONFIG' });
});

describe.skipIf(!server)('on a server', () => {
  test('if many open it concurrently, its tables are created once', async () => {
    const stores = await Promise.all(
      Array.from({ length: 6 }, () => postgres({ url, schema: 'together', connections: 1 })),
    );
    for (const store of stores) await store.create();
    expect(await stores[0]?.list()).toHaveLength(6);
    for (const store of stores) await store.close();
  });

  test('tables of another version are refused and left unchanged', async () => {
    await (await postgres({ url, schema: 'newer' })).close();
    const client = new pg.Client(url);
    await client.connect();
    await client.query('UPDATE newer.version SET version = 7');
    await client.end();
    await expect(postgres({ url, schema: 'newer' })).rejects.toMatchObject({
      code: 'BAD_STATE',
      details: { version: 7, known: 1 },
    });
  });

  test.each(['serializable', 'repeatable read'])(
    'whatever the isolation of the server, writers only ever conflict by number: %s',
    async (isolation) => {
      const strict = new URL(url);
      strict.searchParams.set('options', `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`);
      const schema = isolation.replace(' ', '_');
      const stores = await Promise.all(
        Array.from({ length: 6 }, () => postgres({ url: strict.href, schema, connections: 2 })),
      );
      const [first] = stores;
      const { id } = (await first?.create()) ?? { id: '' };
      const write = async (store: SessionStore, words: string) => {
        for (;;) {
          const last = (await store.info(id))?.last ?? 0;
          const failure = await store.append(id, [said(words)], last).catch((error: unknown) => error);
          if (typeof failure === 'number') return;
          expect(failure).toMatchObject({ code: 'STORE_CONFLICT', details: { after: last } });
        }
      };
      const writers = stores.map(async (store, writer) => {
        for (let n = 0; n < 15; n++) {
          await write(store, `writer ${writer} said ${n}`);
          // What only touches other rows, or none, goes on meanwhile.
          const other = `other-${n}`;
          await store.create({ id: other }).catch((error) => expect(error).toMatchObject({ code: 'STORE_CONFLICT' }));
          await store.search('writer said');
          await store.delete(other).catch((error) => expect(error).toMatchObject({ code: 'UNKNOWN_SESSION' }));
        }
      });
      await Promise.all(writers);
      expect((await first?.info(id))?.messages).toBe(90);
      if (first) expect((await verifySession(first, id)).problems).toEqual([]);
      for (const store of stores) await store.close();
    },
  );

  test('keys are masked before they are sent', async () => {
    const store = await postgres({ url, schema: 'masked', mask_keys: true });
    const { id } = await store.create();
    await store.append(id, [said('use sk-ant-api03-1234567890abcdefghij1234567890 please')], 0);
    expect((await store.message(id, 0))?.message.content).toBe('use [masked] please');
    await store.close();
  });

  test('a store that was idle while the server was down continues, and a call waits for the server', async () => {
    const store = await postgres({ url, schema: 'away' });
    const { id } = await store.create();
    await store.append(id, [said('before')], 0);
    await server?.order('stop-server');
    const waiting = store.append(id, [said('meanwhile')], 1);
    await server?.order('start-server');
    expect(await waiting).toBe(2);
    expect((await verifySession(store, id)).problems).toEqual([]);
    await store.close();
  });
});
