import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HoldfastError } from 'holdfast';
import { afterAll, expect, test } from 'vitest';
import { type SessionStore, sqlite } from '../src/index.ts';
import { checkStore, testStore } from '../src/testing/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-mutations-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Change = (sound: SessionStore) => Partial<SessionStore>;

const DEMANDS = {
  written: 'entries read back exactly as written',
  large: 'large entries are stored in full',
  numbered: 'entries are numbered from 1, with a time and a chained hash',
  times: 'copies keep their times',
  refused: 'a writer that is behind is refused with both numbers, and nothing is lost',
  whole: 'an append is atomic',
  pages: 'pages follow each other without gaps',
  short: 'a page with large entries is shorter',
  unknown: 'an unknown session is an error',
  rewind: 'a rewind removes messages from the history but not from the log',
  past: 'the history can be read as it was before a rewind',
  handles: 'a rewound message is still found by its handle',
  recorded: 'a recorded handle resolves to its recorded target',
  folds: 'folds that were undone and redone are restored without problems, and every handle resolves',
  told: 'session info is up to date',
  ids: 'ids are unique',
  list: 'sessions are listed by last use, page by page',
  find: 'a session is found by the beginning of its id, and listed by its end',
  gone: 'a deleted session is gone completely',
  words: 'search ignores case and finds the passage with the most of the words',
  names: 'identifiers, paths and scripts without spaces are found, whole or in part',
  where: 'a hit has its location',
  scope: 'search covers one session or all',
  once: 'a repeated text is found once',
  order: 'concurrent writers share one order, and nothing is lost or duplicated',
  moment: 'a snapshot, if supported, never changes and is read-only',
  later: 'what one store wrote, others see, now and after reopening',
} as const;

/** A store broken in one way, and the demands that must notice: each of them by itself. */
const MUTATIONS: readonly {
  readonly name: string;
  readonly noticed: readonly (keyof typeof DEMANDS)[];
  readonly change: Change;
}[] = [
  {
    name: 'texts lose unusual characters',
    noticed: ['written'],
    change: (sound) => ({
      async read(id, options) {
        const page = await sound.read(id, options);
        const plain = (text: string) => JSON.parse(text.replace(/\\u0000|\\ud[89a-f]../g, ''));
        return { ...page, items: page.items.map((one) => ({ ...one, entry: plain(JSON.stringify(one.entry)) })) };
      },
    }),
  },
  {
    name: 'long texts are cut',
    noticed: ['large'],
    change: (sound) => ({
      append: (id, entries, after, times) =>
        sound.append(
          id,
          entries.map((entry) =>
            entry.type === 'message'
              ? { ...entry, message: { ...entry.message, content: String(entry.message.content).slice(0, 65_536) } }
              : entry,
          ),
          after,
          times,
        ),
    }),
  },
  {
    name: 'hashes are not chained',
    noticed: ['numbered', 'folds', 'order'],
    change: (sound) => ({
      async read(id, options) {
        const page = await sound.read(id, options);
        return { ...page, items: page.items.map((one) => ({ ...one, hash: 'ffff' })) };
      },
    }),
  },
  {
    name: 'times are replaced by the time of the append',
    noticed: ['times', 'list'],
    change: (sound) => ({ append: (id, entries, after) => sound.append(id, entries, after) }),
  },
  {
    name: 'the last writer wins',
    noticed: ['refused'],
    change: (sound) => ({
      append: async (id, entries, _, times) => sound.append(id, entries, (await sound.info(id))?.last ?? 0, times),
    }),
  },
  {
    name: 'a conflict does not name the numbers',
    noticed: ['refused'],
    change: (sound) => ({
      append: (id, entries, after, times) =>
        sound.append(id, entries, after, times).catch((error) => {
          throw error.code === 'STORE_CONFLICT' ? new HoldfastError('STORE_CONFLICT', 'no') : error;
        }),
    }),
  },
  {
    name: 'entries are written one by one',
    noticed: ['whole'],
    change: (sound) => ({
      async append(id, entries, after, times) {
        let last = after;
        for (const [i, entry] of entries.entries())
          last = await sound.append(id, [entry], last, times && [times[i] ?? 0]);
        return entries.length === 0 ? sound.append(id, [], after) : last;
      },
    }),
  },
  {
    name: 'a page repeats the last entry of the one before',
    noticed: ['pages'],
    change: (sound) => ({
      async read(id, options) {
        const { items, next } = await sound.read(id, options);
        return { items, ...(next === undefined ? {} : { next: options?.reverse ? next + 1 : next - 1 }) };
      },
    }),
  },
  {
    name: 'the history is always that of today',
    noticed: ['past'],
    change: (sound) => ({ history: (id, { at: _, ...options } = {}) => sound.history(id, options) }),
  },
  {
    name: 'types do not matter',
    noticed: ['pages'],
    change: (sound) => ({ read: (id, { types: _, ...options } = {}) => sound.read(id, options) }),
  },
  {
    name: 'pages contain everything',
    noticed: ['short', 'pages'],
    change: (sound) => ({
      async read(id, options) {
        const items = [];
        for (let from = options?.from, more = true; more; ) {
          const page = await sound.read(id, { ...options, ...(from === undefined ? {} : { from }) });
          items.push(...page.items);
          from = page.next;
          more = from !== undefined;
        }
        return { items };
      },
    }),
  },
  {
    name: 'an unknown session is empty',
    noticed: ['unknown', 'gone'],
    change: (sound) => ({ read: (id, options) => sound.read(id, options).catch(() => ({ items: [] })) }),
  },
  {
    name: 'a rewind has no effect',
    noticed: ['rewind', 'handles'],
    change: (sound) => ({
      append: (id, entries, after, times) =>
        sound.append(
          id,
          entries.map((entry) => (entry.type === 'rewind' ? { type: 'pin', index: 0 } : entry)),
          after,
          times,
        ),
    }),
  },
  {
    name: 'a message is found only by its place',
    noticed: ['handles'],
    change: (sound) => ({
      message: (id, place) =>
        sound.message(id, typeof place === 'string' ? Number(/\d+/.exec(place)?.[0] ?? 0) : place),
    }),
  },
  {
    name: 'rewound messages cannot be found',
    noticed: ['handles'],
    change: (sound) => ({
      async message(id, place) {
        const found = await sound.message(id, place);
        return found && (await sound.message(id, found.index))?.seq === found.seq ? found : undefined;
      },
    }),
  },
  {
    name: 'recorded handles are not looked up',
    noticed: ['recorded'],
    change: (sound) => ({
      append: (id, entries, after, times) =>
        sound.append(
          id,
          entries.map((entry) => (entry.type === 'handle' ? { type: 'pin', index: 0 } : entry)),
          after,
          times,
        ),
    }),
  },
  {
    name: 'folds are not counted',
    noticed: ['told', 'folds'],
    change: (sound) => ({
      async info(id) {
        const info = await sound.info(id);
        return info && { ...info, folds: 0 };
      },
    }),
  },
  {
    name: 'a title is never set',
    noticed: ['told', 'later'],
    change: (sound) => ({
      async info(id) {
        const info = await sound.info(id);
        return info && { ...info, title: '' };
      },
    }),
  },
  {
    name: 'a second session replaces the first',
    noticed: ['ids'],
    change: (sound) => ({
      create: (session) =>
        sound.create(session).catch(async (error) => {
          const info = await sound.info(session?.id ?? '');
          if (info) return info;
          throw error;
        }),
    }),
  },
  {
    name: 'sessions are listed by id',
    noticed: ['list'],
    change: (sound) => ({
      list: async (options) => (await sound.list(options)).sort((a, b) => a.id.localeCompare(b.id)),
    }),
  },
  {
    name: 'the first of several is found',
    noticed: ['find'],
    change: (sound) => ({
      find: (prefix) =>
        sound.find(prefix).catch(async (error) => {
          const [first] = (error.details.candidates ?? []) as string[];
          const info = first === undefined ? undefined : await sound.info(first);
          if (info) return info;
          throw error;
        }),
    }),
  },
  {
    name: 'deleted sessions are only emptied',
    noticed: ['gone'],
    change: (sound) => ({
      async delete(id) {
        await sound.delete(id);
        await sound.create({ id });
      },
    }),
  },
  {
    name: 'hits come in the order of the messages',
    noticed: ['words'],
    change: (sound) => ({
      search: async (words, options) => (await sound.search(words, options)).sort((a, b) => b.seq - a.seq),
    }),
  },
  {
    name: 'only whole words between spaces are found',
    noticed: ['names'],
    change: (sound) => ({
      async search(words, options) {
        const hits = await sound.search(words, options);
        const asked = words.toLowerCase().split(' ');
        return hits.filter(({ text }) => asked.some((word) => text.toLowerCase().split(/\s/).includes(word)));
      },
    }),
  },
  {
    name: 'lines are counted from 0',
    noticed: ['where'],
    change: (sound) => ({
      search: async (words, options) =>
        (await sound.search(words, options)).map((hit) => ({
          ...hit,
          lines: { from: hit.lines.from - 1, to: hit.lines.to - 1 },
        })),
    }),
  },
  {
    name: 'all sessions are searched',
    noticed: ['scope'],
    change: (sound) => ({ search: (words, { session: _, ...options } = {}) => sound.search(words, options) }),
  },
  {
    name: 'a repeated text gives repeated hits',
    noticed: ['once'],
    change: (sound) => ({
      search: async (words, options) => (await sound.search(words, options)).flatMap((hit) => [hit, hit]),
    }),
  },
  {
    name: 'an append is acknowledged twice and written once in ten',
    noticed: ['order'],
    change: (sound) => {
      let count = 0;
      return {
        append: (id, entries, after, times) =>
          ++count % 10 === 0 ? Promise.resolve(after) : sound.append(id, entries, after, times),
      };
    },
  },
  {
    name: 'a snapshot changes',
    noticed: ['moment'],
    change: (sound) => ({ snapshot: (work) => work(sound) }),
  },
  {
    name: 'a wrapper returns the snapshot of the store it wraps',
    noticed: ['moment'],
    change: (sound) => ({
      async read(id, options) {
        const page = await sound.read(id, options);
        return { ...page, items: page.items.map((one) => ({ ...one, time: one.time + 1 })) };
      },
      ...(sound.snapshot ? { snapshot: sound.snapshot } : {}),
    }),
  },
  {
    name: 'entries are kept in memory first',
    noticed: ['later'],
    change: (sound) => ({
      append: async (_, entries, after) => after + entries.length,
      info: (id) => sound.info(id),
    }),
  },
];

let places = 0;
function opened(change: Change) {
  const own = `m${places++}`;
  const changed = (sound: SessionStore): SessionStore => ({
    ...sound,
    snapshot: (work) => sound.snapshot?.((moment) => work(changed(moment))) ?? work(changed(sound)),
    ...change(sound),
  });
  return async (place: string): Promise<SessionStore> => changed(await sqlite(join(folder, `${own}-${place}.db`)));
}

test.each(MUTATIONS)('the suite notices that $name', async ({ noticed, change }) => {
  const tests = new Map<string, () => Promise<void>>();
  testStore('broken', opened(change), (name, run) => tests.set(name.slice('broken: '.length), run));
  for (const key of noticed) {
    const demand = DEMANDS[key];
    await expect(tests.get(demand)?.(), demand).rejects.toThrow(`broken: ${demand}. `);
  }
});

test('each demand catches at least one of them', () => {
  const demands: string[] = [];
  testStore(
    'any',
    opened(() => ({})),
    (name) => demands.push(name.slice('any: '.length)),
  );
  const noticed = new Set<string>(MUTATIONS.flatMap((mutation) => mutation.noticed.map((key) => DEMANDS[key])));
  expect(demands.filter((demand) => !noticed.has(demand))).toEqual([]);
});

test('a failed demand names the problem and the fix', async () => {
  const findings = await checkStore(opened(() => ({ list: async () => [] })));
  expect(findings.map(({ demand }) => demand)).toEqual([DEMANDS.list, DEMANDS.find, DEMANDS.gone]);
  expect(findings[0]?.problems[0]).toBe('all: [], not ["s4","s1","s0","s3","s2"]');
  expect(findings[0]?.fix).toMatch(/^Sort by `updated`/);
});
