import { chainHash, NO_HASH, type SessionEntry } from '../entry.ts';
import { eachEntry, type SessionStore } from '../store.ts';
import { differs, expectSame, message, refusal, type StoreDemand, sessionOf } from './demand.ts';

/** Texts that databases often mishandle. */
const ODD_TEXTS = [
  '',
  'a\u0000b',
  '\ud800 alone \udfff',
  '👩‍👩‍👧‍👦 family',
  '漢字かな交じり文',
  'العربية',
  'e\u0301 and é',
  'quote \' " ` \\ $1 %s ?1',
  '\u2028\u2029\ufeff\ufffe',
  'line\r\nline\tline',
];

const ODD_ENTRIES: readonly SessionEntry[] = [
  ...ODD_TEXTS.map((text) => message(text)),
  { type: 'message', message: JSON.parse('{"role":"user","__proto__":{"a":1},"10":1,"2":[null,true,-0.5,1e21,""]}') },
  { type: 'title', title: 'odd\u0000 \ud800 title' },
  { type: 'result', id: 'call_1', text: 'odd\u0000 \ud800 result', failed: false },
  { type: 'usage', tokens: { input: 0.5, output: 2 ** 40 } },
];

async function all(store: SessionStore, id: string) {
  const found = [];
  for await (const stored of eachEntry(store, id)) found.push(stored);
  return found;
}

/** The log contains exactly what was written, in order. */
export const LOG_DEMANDS: readonly StoreDemand[] = [
  {
    name: 'entries read back exactly as written',
    fix: 'Store the JSON text of each entry byte for byte.',
    async *check({ store }) {
      const id = await sessionOf(store, ODD_ENTRIES);
      const found = await all(store, id);
      for (const [i, entry] of ODD_ENTRIES.entries()) yield* expectSame([`entry ${i + 1}`, found[i]?.entry, entry]);
    },
  },
  {
    name: 'large entries are stored in full',
    fix: 'Do not limit the size of an entry: tool results can be megabytes long.',
    async *check({ store }) {
      const big = message(Array.from({ length: 60_000 }, (_, i) => `line ${i} of a long result`).join('\n'), 'tool');
      const id = await sessionOf(store, [big, message('x'.repeat(2_000_000))]);
      const [first, second] = await all(store, id);
      yield* expectSame(
        ['the first', first?.entry, big],
        ['the second', second?.entry, message('x'.repeat(2_000_000))],
      );
    },
  },
  {
    name: 'entries are numbered from 1, with a time and a chained hash',
    fix: 'Write what `advance` returns: seq, time and hash of each row.',
    async *check({ store }) {
      const { id } = await store.create();
      const before = Date.now();
      const first = await store.append(id, [message('a'), message('b')], 0);
      const last = await store.append(id, [message('c')], first);
      yield* expectSame(['append gives', [first, last], [2, 3]]);
      let hash = NO_HASH;
      let seq = 0;
      for (const stored of await all(store, id)) {
        hash = chainHash(hash, ++seq, stored.time, JSON.stringify(stored.entry));
        yield* expectSame([`number of entry ${seq}`, stored.seq, seq], [`hash of entry ${seq}`, stored.hash, hash]);
        if (stored.time < before - 1_000 || stored.time > Date.now() + 1_000)
          yield `entry ${seq} has time ${stored.time}`;
      }
      yield* expectSame(['hash in info', (await store.info(id))?.hash, hash]);
    },
  },
  {
    name: 'copies keep their times',
    fix: 'Use `times` if they are passed.',
    async *check({ store }) {
      const { id } = await store.create({ created: 1_000 });
      await store.append(id, [message('a'), message('b')], 0, [2_000, 3_000]);
      yield* expectSame(
        ['times', (await all(store, id)).map(({ time }) => time), [2_000, 3_000]],
        ['updated', (await store.info(id))?.updated, 3_000],
      );
    },
  },
  {
    name: 'a writer that is behind is refused with both numbers, and nothing is lost',
    fix: 'Compare `after` with the last number in the writing transaction, and throw `conflict` if they differ.',
    async *check({ store }) {
      const id = await sessionOf(store, [message('first')]);
      await store.append(id, [message('of one writer')], 1);
      for (const after of [1, 0, 3]) {
        const { code, details, message: text } = await refusal(store.append(id, [message('of another')], after));
        yield* expectSame([`code for after ${after}`, code, 'STORE_CONFLICT']);
        yield* expectSame(['details', [details.after, details.last], [after, 2]]);
        if (!text.includes(String(after)) || !text.includes('2'))
          yield `the message does not say both numbers: ${text}`;
      }
      yield* expectSame(['entries', (await all(store, id)).length, 2]);
      yield* expectSame(['append again', await store.append(id, [message('of another')], 2), 3]);
    },
  },
  {
    name: 'an append is atomic',
    fix: 'Write all rows and the head of the session in one transaction.',
    async *check({ store }) {
      const id = await sessionOf(store, [message('a')]);
      const bad = [message('b'), { type: 'rewind', to: 99 } as const];
      const { code } = await refusal(store.append(id, bad, 1));
      yield* expectSame(['code', code, 'INVALID_HISTORY'], ['entries', (await all(store, id)).length, 1]);
      yield* expectSame(['info', (await store.info(id))?.messages, 1], ['nothing', await store.append(id, [], 1), 1]);
    },
  },
  {
    name: 'pages follow each other without gaps',
    fix: 'Start a page at `from`, return at most `limit` entries, and set `next` to where the rest starts.',
    async *check({ store }) {
      const entries = Array.from(
        { length: 23 },
        (_, i): SessionEntry => (i % 5 === 4 ? { type: 'pin', index: i } : message(`number ${i}`)),
      );
      const id = await sessionOf(store, entries);
      const numbers = Array.from({ length: 23 }, (_, i) => i + 1);
      const pins = numbers.filter((seq) => seq % 5 === 0);
      const read = async (options: object) => {
        const found = [];
        for await (const { seq } of eachEntry(store, id, options)) found.push(seq);
        return found;
      };
      yield* expectSame(
        ['all', await read({ limit: 4 }), numbers],
        ['from 9', await read({ from: 9, limit: 5 }), numbers.slice(8)],
        ['backwards', await read({ reverse: true, limit: 7 }), numbers.toReversed()],
        ['backwards from 6', await read({ reverse: true, from: 6, limit: 2 }), [6, 5, 4, 3, 2, 1]],
        ['pins', await read({ types: ['pin'], limit: 2 }), pins],
        ['pins and messages', await read({ types: ['pin', 'message'], limit: 3 }), numbers],
        ['pins backwards', await read({ types: ['pin'], reverse: true, limit: 3 }), pins.toReversed()],
        ['none of a type', await read({ types: ['fold'] }), []],
      );
      const page = await store.read(id, { limit: 4 });
      yield* expectSame(['a page', [page.items.length, page.next], [4, 5]]);
      yield* expectSame(['the last page', (await store.read(id, { from: 20, limit: 4 })).next, undefined]);
    },
  },
  {
    name: 'a page with large entries is shorter',
    fix: 'End a page at about 4 MB, even below its limit.',
    async *check({ store }) {
      const big = Array.from({ length: 8 }, (_, i) => message(`${i} ${'large '.repeat(300_000)}`));
      const id = await sessionOf(store, big);
      const { items, next } = await store.read(id);
      if (items.length > 4 || next === undefined) yield `a page holds ${items.length} entries of 1.8 MB`;
      yield* expectSame(['all pages', (await all(store, id)).length, 8]);
      const { items: said } = await store.history(id);
      if (said.length > 4) yield `a page of the history holds ${said.length} messages of 1.8 MB`;
    },
  },
  {
    name: 'an unknown session is an error',
    fix: 'Throw `unknownSession` everywhere except in `info`.',
    async *check({ store }) {
      const problems = await Promise.all([
        refusal(store.append('nobody', [message('a')], 0)),
        refusal(store.read('nobody')),
        refusal(store.history('nobody')),
        refusal(store.message('nobody', 0)),
        refusal(store.delete('nobody')),
        refusal(store.search('word', { session: 'nobody' })),
      ]);
      yield* expectSame(['codes', problems.map(({ code }) => code), problems.map(() => 'UNKNOWN_SESSION')]);
      const problem = differs('info', await store.info('nobody'), undefined);
      if (problem) yield problem;
    },
  },
];
