import { messageText } from '../recall/message-text.ts';
import { expectSame, message, type StoreDemand, sessionOf } from './demand.ts';

const LONG = Array.from({ length: 900 }, (_, i) => `${i + 1}: value of row number${i} is ${i * 7919}`).join('\n');

/** Searching passages by words. */
export const SEARCH_DEMANDS: readonly StoreDemand[] = [
  {
    name: 'search ignores case and finds the passage with the most of the words',
    fix: 'Search for `wordsIn` of the text, and rank rare words above common ones.',
    async *check({ store }) {
      const id = await sessionOf(store, [
        message('the parser fails in the lexer'),
        message('The cat sat on the mat', 'assistant'),
        message('the the the parser', 'assistant'),
        message('Der Überfall begann früh'),
      ]);
      const first = async (words: string) => (await store.search(words, { session: id }))[0]?.index;
      yield* expectSame(
        ['LEXER', await first('LEXER'), 0],
        ['cat mat', await first('the cat mat'), 1],
        ['überfall', await first('überfall'), 3],
        ['uberfall', await first('uberfall'), 3],
        ['nothing', await store.search('giraffe', { session: id }), []],
        ['no words', await store.search(' "*" ', { session: id }), []],
      );
    },
  },
  {
    name: 'identifiers, paths and scripts without spaces are found, whole or in part',
    fix: 'Index `wordsIn` of each passage, not its plain text.',
    async *check({ store }) {
      const texts = [
        'call getUserName() here',
        'use max_history_tokens',
        'see packages/agent/src/window.ts:41',
        'パーサーが失敗しました',
        'commit 3f2a9c1d7e',
        'the emoji 🎉 party',
      ];
      const id = await sessionOf(
        store,
        texts.map((text) => message(text)),
      );
      const found = async (words: string) => (await store.search(words, { session: id }))[0]?.index;
      const asked: readonly (readonly [string, number])[] = [
        ['getUserName', 0],
        ['getusername', 0],
        ['get_user_name', 0],
        ['user', 0],
        ['history tokens', 1],
        ['MAX_HISTORY_TOKENS', 1],
        ['window.ts', 2],
        ['失敗', 3],
        ['3f2a9c1d7e', 4],
        ['party', 5],
      ];
      for (const [words, index] of asked) yield* expectSame([words, await found(words), index]);
    },
  },
  {
    name: 'a hit has its location',
    fix: 'Split long texts with `passagesOf`, and set lines with `linesOf`.',
    async *check({ store }) {
      const call = {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"q":"quokka"}' } }],
      };
      const id = await sessionOf(store, [message('go'), { type: 'message', message: call }, message(LONG, 'tool')]);
      const [hit] = await store.search('number700', { session: id, limit: 3 });
      yield* expectSame(
        ['session, seq, index, handle', [hit?.session, hit?.seq, hit?.index, hit?.handle], [id, 3, 2, 'm2']],
        ['snippet', hit?.snippet, '701: value of row number700 is 5543300'],
      );
      const lines = LONG.split('\n').slice((hit?.lines.from ?? 0) - 1, hit?.lines.to);
      yield* expectSame(['lines', lines.join('\n'), hit?.text]);
      if (!hit?.text.includes('number700 ')) yield `the passage is ${hit?.text.slice(0, 80)}`;
      if ((hit?.text.length ?? 0) > 5_000) yield `the passage has ${hit?.text.length} characters, which is too many`;
      const [found] = await store.search('quokka', { session: id });
      yield* expectSame(['in a call', found?.index, 1], ['its text', found?.text, messageText(call)]);
    },
  },
  {
    name: 'search covers one session or all',
    fix: 'If a session is named, search only that one.',
    async *check({ store }) {
      const one = await sessionOf(store, [message('a heron stands')]);
      const other = await sessionOf(store, [message('a heron flies'), message('heron heron')]);
      const sessions = async (session?: string) =>
        (await store.search('heron', session === undefined ? {} : { session })).map((hit) => hit.session).sort();
      yield* expectSame(
        ['one', await sessions(one), [one]],
        ['the other', await sessions(other), [other, other]],
        ['all', await sessions(), [one, other, other].sort()],
        ['at most', (await store.search('heron', { limit: 2 })).length, 2],
      );
    },
  },
  {
    name: 'a repeated text is found once',
    fix: 'Of several passages with the same text, return only the best.',
    async *check({ store }) {
      const id = await sessionOf(store, [
        ...Array.from({ length: 6 }, () => message('the same otter')),
        message('an otter'),
      ]);
      const texts = (await store.search('same otter', { session: id, limit: 5 })).map(({ text }) => text);
      yield* expectSame(['texts', texts, ['the same otter', 'an otter']]);
    },
  },
];
