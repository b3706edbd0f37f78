import { expect, test } from 'vitest';
import { openaiChat } from '../index.ts';
import { isSamePath } from '../note/ledger.ts';
import { readingsOf, recordsAt } from './records.ts';

type Wire = Parameters<ReturnType<typeof openaiChat>['read']>[0];

const call = (id: string, name: string, input: object) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
});
const result = (id: string, content: string): Wire => ({ role: 'tool', tool_call_id: id, content });
const file = (name: string) => Array.from({ length: 8 }, (_, i) => `line ${i} of ${name}`).join('\n');

const HISTORY: Wire[] = [
  { role: 'user', content: 'Look.' },
  {
    role: 'assistant',
    content: null,
    tool_calls: Array.from({ length: 9 }, (_, i) => call(`r${i}`, 'Read', { file_path: `src/${i}/index.ts` })),
  },
  ...Array.from({ length: 9 }, (_, i) => result(`r${i}`, file(`${i}`))),
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      call('e1', 'Edit', { file_path: 'src/8/index.ts', old_string: 'line 1 of 8', new_string: 'line one' }),
      call('e2', 'Edit', { file_path: 'src/8/index.ts', old_string: 'no such line', new_string: 'never written' }),
    ],
  },
  result('e1', 'The file was changed.'),
  result('e2', 'Error: String to replace not found in file.'),
];

const reads: number[] = [];
const readingAt = () =>
  readingsOf(openaiChat(), async (index) => {
    reads.push(index);
    return HISTORY[index];
  });

test('the result of one of many parallel calls is found with two reads of the archive', async () => {
  reads.length = 0;
  const records = await recordsAt('src/8/index.ts', 1, readingAt());
  expect(records).toMatchObject([{ at: 10, written: false, text: file('8'), whole: true }]);
  expect(reads).toEqual([1, 10]);
});

test('the index of the result itself will do, too', async () => {
  expect(await recordsAt('8/index.ts', 10, readingAt())).toMatchObject([{ at: 10, text: file('8') }]);
});

test('an edit counts with what it put and replaced, unless it failed', async () => {
  const records = await recordsAt('src/8/index.ts', 11, readingAt());
  expect(records).toMatchObject([{ at: 11, written: true, text: 'line one', replaced: 'line 1 of 8', whole: false }]);
});

test('nothing comes from messages that are lost', async () => {
  const lost = readingsOf<Wire>(openaiChat(), async () => undefined);
  expect(await recordsAt('src/8/index.ts', 1, lost)).toEqual([]);
});

test('files of the same name in other folders are others', () => {
  expect(isSamePath('/repo/src/a/index.ts', 'a/index.ts')).toBe(true);
  expect(isSamePath('src/a/index.ts', 'src/b/index.ts')).toBe(false);
  expect(isSamePath('src/index.ts', 'dex.ts')).toBe(false);
});
