import { ConversationWindow, openaiChat } from 'holdfast';
import type { WireMessage } from '../entry.ts';
import { sessionWriter } from '../log/writer.ts';
import { sessionArchive } from '../recall/session-archive.ts';
import { eachMessage, type SessionStore } from '../store.ts';
import { verifySession } from '../verify/verify.ts';
import { expectSame, message, type StoreDemand, sessionOf } from './demand.ts';

const numbered = (from: number, to: number, tag: string) =>
  Array.from({ length: to - from }, (_, i) => message(`${tag} ${from + i}`));

/** A history of 10, rewound to 6, then to 8 of 9, then to 3. */
async function rewound(store: SessionStore): Promise<string> {
  return await sessionOf(store, [
    ...numbered(0, 10, 'first'),
    { type: 'rewind', to: 6 },
    ...numbered(6, 9, 'second'),
    { type: 'rewind', to: 8 },
    ...numbered(8, 10, 'third'),
    { type: 'rewind', to: 3 },
    ...numbered(3, 5, 'fourth'),
  ]);
}

async function contents(store: SessionStore, id: string, from = 0): Promise<unknown[]> {
  const found = [];
  for await (const { message: one } of eachMessage(store, id, from)) found.push(one.content);
  return found;
}

/** Which messages are in the history, and the handles of those that were removed from it. */
export const HISTORY_DEMANDS: readonly StoreDemand[] = [
  {
    name: 'a rewind removes messages from the history but not from the log',
    fix: 'Return the last message written at each place, and none at or beyond `messages` of the session.',
    async *check({ store }) {
      const id = await rewound(store);
      const wanted = ['first 0', 'first 1', 'first 2', 'fourth 3', 'fourth 4'];
      yield* expectSame(
        ['the history', await contents(store, id), wanted],
        ['from place 2', await contents(store, id, 2), wanted.slice(2)],
        ['messages', (await store.info(id))?.messages, 5],
        ['entries', (await store.info(id))?.last, 20],
        ['message 4', (await store.message(id, 4))?.message.content, 'fourth 4'],
        ['message 5', await store.message(id, 5), undefined],
      );
      const { items, next } = await store.history(id, { limit: 2 });
      yield* expectSame(['a page', [items.map(({ index }) => index), next], [[0, 1], 2]]);
    },
  },
  {
    name: 'the history can be read as it was before a rewind',
    fix: 'With `at`, return the last message written at each place up to its entry, and none at or beyond its messages.',
    async *check({ store }) {
      const id = await rewound(store);
      const then = async (last: number, messages: number) => {
        const found = [];
        for await (const { message: one } of eachMessage(store, id, 5, { last, messages })) found.push(one.content);
        return found;
      };
      yield* expectSame(
        ['before the first rewind', await then(10, 10), ['first 5', 'first 6', 'first 7', 'first 8', 'first 9']],
        ['after it', await then(14, 9), ['first 5', 'second 6', 'second 7', 'second 8']],
        ['after the second', await then(16, 9), ['first 5', 'second 6', 'second 7', 'third 8']],
        ['right after the last', await then(18, 3), []],
      );
    },
  },
  {
    name: 'a rewound message is still found by its handle',
    fix: 'Store the place and revision of each message; see `advance`.',
    async *check({ store }) {
      const id = await rewound(store);
      const said = async (handle: string) => (await store.message(id, handle))?.message.content;
      yield* expectSame(
        ['m2', await said('m2'), 'first 2'],
        ['m7', await said('m7'), 'first 7'],
        ['m7~1', await said('m7~1'), 'second 7'],
        ['m9~2', await said('m9~2'), 'third 9'],
        ['m4~3', await said('m4~3'), 'fourth 4'],
        ['m7~2', await said('m7~2'), undefined],
        ['m50', await said('m50'), undefined],
        ['nonsense', await said('nonsense'), undefined],
        ['#1', await said('#1'), 'first 0'],
      );
      for await (const { handle, message: one } of eachMessage(store, id))
        yield* expectSame([`handle ${handle}`, await said(handle), one.content]);
    },
  },
  {
    name: 'a recorded handle resolves to its recorded target',
    fix: 'Look up recorded handles first; refer to the message whose name is taken by its entry number.',
    async *check({ store }) {
      const id = await rewound(store);
      const last = (await store.info(id))?.last ?? 0;
      await store.append(id, [{ type: 'handle', handle: 'm4', seq: 20 }], last);
      await store.append(
        id,
        [{ type: 'handle', handle: 'm8~7', message: { role: 'user', content: 'kept aside' } }],
        last + 1,
      );
      const said = async (handle: string) => (await store.message(id, handle))?.message.content;
      yield* expectSame(['m4', await said('m4'), 'fourth 4'], ['m8~7', await said('m8~7'), 'kept aside']);
      const [older] = await store.search('first 4', { session: id, limit: 1 });
      yield* expectSame(['the other message', await said(older?.handle ?? ''), 'first 4']);
    },
  },
  {
    name: 'folds that were undone and redone are restored without problems, and every handle resolves',
    fix: 'Fix the other demands first: this one combines them.',
    async *check({ store, another }) {
      const { id } = await store.create();
      const writer = await sessionWriter(store, id);
      await writer.append([{ type: 'model', provider: 'test', model: 'test', dialect: 'openai-chat' }]);
      const dialect = openaiChat<WireMessage>();
      const archive = sessionArchive<WireMessage>(store, writer, dialect);
      const window = new ConversationWindow<WireMessage>({ max_tokens: 600, max_messages: 0 }, { dialect, archive });
      let history: WireMessage[] = [];
      const say = async (from: number, to: number, tag: string) => {
        for (let i = from; i < to; i++) {
          const content = `${tag} ${i} ${'and more words of it '.repeat(8)}`;
          const one = { role: i % 2 === 0 ? 'user' : 'assistant', content };
          await writer.append([{ type: 'message', message: one }]);
          history.push(one);
          const { receipt } = await window.fit(history);
          const { log, revisions } = window.state();
          const fold = log.at(-1);
          if (receipt && fold) await writer.append([{ type: 'fold', fold, receipt, revisions }]);
        }
      };
      await say(0, 30, 'one');
      if (await window.undo()) await writer.append([{ type: 'unfold' }]);
      if (await window.redo()) await writer.append([{ type: 'refold' }]);
      await writer.append([{ type: 'rewind', to: 24 }]);
      const before = history;
      history = history.slice(0, 24);
      await say(24, 60, 'two');
      const fresh = await another();
      const verified = await verifySession(fresh, id);
      yield* verified.problems;
      if (verified.folds < 3) yield `only ${verified.folds} folds were made`;
      if (verified.handles < 10) yield `only ${verified.handles} handles were followed`;
      const later = sessionArchive<WireMessage>(fresh, id, dialect);
      const again = new ConversationWindow<WireMessage>({}, { dialect, archive: later, state: window.state() });
      for (const [i, one] of history.entries()) {
        const { messages } = await again.recall(`m${i}`).catch(() => ({ messages: [] }));
        const isIt = [one, before[i]].some((wanted) => JSON.stringify(messages[0]) === JSON.stringify(wanted));
        if (!isIt) yield `m${i} gives ${JSON.stringify(messages[0])?.slice(0, 80)}`;
      }
    },
  },
];
