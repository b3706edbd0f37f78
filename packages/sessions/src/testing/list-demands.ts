import type { FoldEntry, Receipt } from 'holdfast';
import { expectSame, message, refusal, type StoreDemand, sessionOf } from './demand.ts';

const FOLD = { type: 'fold', fold: {} as FoldEntry, receipt: {} as Receipt } as const;

/** Listing and finding sessions without reading them. */
export const LIST_DEMANDS: readonly StoreDemand[] = [
  {
    name: 'session info is up to date',
    fix: 'Store the head that `advance` returns in the same transaction as the entries.',
    async *check({ store }) {
      const made = await store.create({ created: 5_000 });
      yield* expectSame(['a new one', [made.last, made.messages, made.bytes, made.title], [0, 0, 0, '']]);
      const entries = [
        { type: 'model', provider: 'p', model: 'm', dialect: 'openai-chat' } as const,
        message('  Please\nmend the   parser  '),
        message('Done.', 'assistant'),
        { type: 'usage', tokens: { input: 10, output: 5, cacheRead: 100 }, cost: 0.25 } as const,
        FOLD,
        FOLD,
        { type: 'unfold' } as const,
      ];
      await store.append(made.id, entries, 0);
      const info = await store.info(made.id);
      const bytes = entries.reduce((sum, entry) => sum + Buffer.byteLength(JSON.stringify(entry)), 0);
      yield* expectSame(
        ['title', info?.title, 'Please mend the parser'],
        ['messages and folds', [info?.messages, info?.folds], [2, 1]],
        ['bytes', info?.bytes, bytes],
        ['tokens and cost', [info?.tokens, info?.cost], [115, 0.25]],
        ['who', [info?.provider, info?.model, info?.dialect], ['p', 'm', 'openai-chat']],
        ['created', info?.created, 5_000],
      );
      if ((info?.updated ?? 0) < Date.now() - 60_000) yield `updated is ${info?.updated}`;
      await store.append(made.id, [{ type: 'title', title: 'Another\ntitle' }, message('later')], 7);
      yield* expectSame(['the title that was given', (await store.info(made.id))?.title, 'Another title']);
    },
  },
  {
    name: 'ids are unique',
    fix: 'Refuse a second session with the same id with STORE_CONFLICT, and an invalid id with BAD_CONFIG.',
    async *check({ store }) {
      yield* expectSame(['id', (await store.create({ id: 'My-session.1' })).id, 'My-session.1']);
      yield* expectSame(
        ['twice', (await refusal(store.create({ id: 'My-session.1' }))).code, 'STORE_CONFLICT'],
        ['bad', (await refusal(store.create({ id: "a'; --" }))).code, 'BAD_CONFIG'],
      );
      const ids = await Promise.all(Array.from({ length: 20 }, async () => (await store.create()).id));
      yield* expectSame(['different', new Set(ids).size, 20]);
    },
  },
  {
    name: 'sessions are listed by last use, page by page',
    fix: 'Sort by `updated`, then by `id`, newest first, and start after `before`.',
    async *check({ store }) {
      const times = [3_000, 1_000, 2_000, 2_000, 5_000];
      for (const [i, created] of times.entries()) await store.create({ id: `s${i}`, created });
      await store.append('s1', [message('used')], 0, [4_000]);
      const wanted = ['s4', 's1', 's0', 's3', 's2'];
      const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);
      yield* expectSame(
        ['all', ids(await store.list()), wanted],
        ['two', ids(await store.list({ limit: 2 })), ['s4', 's1']],
      );
      const [, , third, fourth] = await store.list();
      if (third) yield* expectSame(['behind the third', ids(await store.list({ before: third })), ['s3', 's2']]);
      if (fourth) yield* expectSame(['one behind', ids(await store.list({ before: fourth, limit: 1 })), ['s2']]);
    },
  },
  {
    name: 'a session is found by the beginning of its id, and listed by its end',
    fix: 'Return the session with exactly this id, or the only one whose id starts with it; if several match, list them as candidates.',
    async *check({ store }) {
      for (const id of ['alpha', 'alpine', 'al_pine', 'beta', 'alp']) await store.create({ id });
      yield* expectSame(
        ['bet', (await store.find('bet')).id, 'beta'],
        ['alpi', (await store.find('alpi')).id, 'alpine'],
        ['al_', (await store.find('al_')).id, 'al_pine'],
        ['alp', (await store.find('alp')).id, 'alp'],
      );
      const several = await refusal(store.find('alph').then(() => store.find('al')));
      yield* expectSame(['several', several.code, 'UNKNOWN_SESSION']);
      if (!['alpha', 'alpine'].every((id) => several.message.includes(id))) yield `no candidates: ${several.message}`;
      const ending = async (suffix: string) => (await store.list({ suffix })).map(({ id }) => id).sort();
      yield* expectSame(
        ['ending', await ending('_pine'), ['al_pine']],
        ['endings', await ending('a'), ['alpha', 'beta']],
      );
      yield* expectSame(['none', (await refusal(store.find('gamma'))).code, 'UNKNOWN_SESSION']);
      yield* expectSame(['a wildcard', (await refusal(store.find('%'))).code, 'UNKNOWN_SESSION']);
    },
  },
  {
    name: 'a deleted session is gone completely',
    fix: 'Delete its entries and its search index, and nothing of other sessions.',
    async *check({ store }) {
      const gone = await sessionOf(store, [message('the zebra sleeps')]);
      const stays = await sessionOf(store, [message('the zebra runs')]);
      await store.delete(gone);
      yield* expectSame(
        ['info', await store.info(gone), undefined],
        ['read', (await refusal(store.read(gone))).code, 'UNKNOWN_SESSION'],
        ['search', (await store.search('zebra')).map(({ session }) => session), [stays]],
        ['list', (await store.list()).map(({ id }) => id), [stays]],
      );
      await store.create({ id: gone });
      yield* expectSame(['made again', (await store.read(gone)).items, []]);
    },
  },
];
