import { anthropic } from 'holdfast';
import { expect, test } from 'vitest';
import { sessionArchive, sessionWriter, sqlite } from '../src/index.ts';
import { newStore, said } from './new-store.ts';

const dialect = anthropic<Readonly<Record<string, unknown>>>();
const of = (text: string) => said(text).message;

test('put() writes nothing for a logged message, and a later process gets the identical message', async () => {
  const { store, path } = await newStore();
  const { id } = await store.create();
  const odd = { role: 'user', content: [{ type: 'text', text: 'a\u0000b \ud800 漢字' }], extra: { deep: [1, null] } };
  await store.append(id, [said('zero'), { type: 'message', message: odd }], 0);
  const archive = sessionArchive(store, id, dialect);
  const marked = {
    ...odd,
    content: [{ type: 'text', text: 'a\u0000b \ud800 漢字', cache_control: { type: 'ephemeral' } }],
  };
  await archive.put([
    { handle: 'm0', message: of('zero') },
    { handle: 'm1', message: marked },
  ]);
  expect((await store.info(id))?.last).toBe(2);
  const later = await sqlite(path);
  expect(await sessionArchive(later, id, dialect).get('m1')).toEqual(odd);
  expect(await sessionArchive(later, id, dialect).get('m2')).toBeUndefined();
  await later.close();
});

test('a window’s handle that the store would resolve to another message is recorded, once', async () => {
  const { store } = await newStore();
  const { id } = await store.create();
  const writer = await sessionWriter(store, id);
  await writer.append([said('a'), said('b'), said('c'), { type: 'rewind', to: 1 }, said('B'), said('C')]);
  const archive = sessionArchive(store, writer, dialect);
  // The window counts revisions from its last fold on, the store from each rewind.
  const entries = [
    { handle: 'm0~1', message: of('a') },
    { handle: 'm1~1', message: of('B') },
    { handle: 'm2', message: of('c') },
  ];
  await archive.put(entries);
  await archive.put(entries);
  expect((await store.info(id))?.last).toBe(7);
  expect(writer.last).toBe(7);
  await writer.append([{ type: 'rewind', to: 0 }, said('A')]);
  expect(await Promise.all(['m0~1', 'm1~1', 'm2'].map((handle) => archive.get(handle)))).toEqual([
    of('a'),
    of('B'),
    of('c'),
  ]);
});

test('a message that is not in the log is stored with its handle, and no handle names two messages', async () => {
  const { store } = await newStore();
  const { id } = await store.create();
  await store.append(id, [said('a')], 0);
  const archive = sessionArchive(store, id, dialect);
  await archive.put([{ handle: 'm5', message: of('repaired') }]);
  expect(await archive.get('m5')).toEqual(of('repaired'));
  await expect(archive.put([{ handle: 'm5', message: of('other') }])).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
});

test('with mask_keys, the masked message counts as the same message', async () => {
  const { store } = await newStore({ mask_keys: true });
  const { id } = await store.create();
  const secret = 'the key is sk-ant-api03-1234567890abcdefghij1234567890';
  await store.append(id, [said(secret)], 0);
  const archive = sessionArchive(store, id, dialect);
  await archive.put([{ handle: 'm0', message: of(secret) }]);
  expect((await store.info(id))?.last).toBe(1);
  expect(await archive.get('m0')).toEqual(of('the key is [masked]'));
});
