import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readTranscript } from './read-transcript.ts';
import type { Recording, TranscriptRemark } from './recording.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-claude-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
async function read(...lines: unknown[]): Promise<{ recordings: Recording[]; remarks: string[] }> {
  const path = join(folder, `${made++}.jsonl`);
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  const recordings: Recording[] = [];
  const remarks: TranscriptRemark[] = [];
  for await (const one of readTranscript(path, { name: 'log', onRemark: (remark) => void remarks.push(remark) }))
    recordings.push(one);
  return { recordings, remarks: remarks.map(({ line, reason }) => `${line}: ${reason}`) };
}

const line = (uuid: string, parentUuid: string | null, type: string, rest: object) => ({
  uuid,
  parentUuid,
  type,
  sessionId: 's',
  isSidechain: false,
  timestamp: '2026-01-02T03:04:05.000Z',
  ...rest,
});
const user = (uuid: string, parent: string | null, content: unknown, rest: object = {}) =>
  line(uuid, parent, 'user', { message: { role: 'user', content }, ...rest });
const answer = (uuid: string, parent: string, id: string, block: object, rest: object = {}) =>
  line(uuid, parent, 'assistant', {
    message: {
      id,
      role: 'assistant',
      model: 'claude-opus-5-5',
      content: [block],
      usage: { input_tokens: 2, cache_read_input_tokens: 40 },
    },
    ...rest,
  });
const text = (words: string) => ({ type: 'text', text: words });
const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: { file_path: `${id}.ts` } });
const result = (id: string) => [{ type: 'tool_result', tool_use_id: id, content: `of ${id}` }];
const said = ({ messages }: Recording) =>
  messages.map(({ role, content, tool_calls: calls }) => `${role}: ${calls?.map(({ id }) => id).join(' ') ?? content}`);

test('several lines make one response, and parallel results on different lines all count', async () => {
  const { recordings, remarks } = await read(
    { type: 'summary', summary: 'Looking', leafUuid: 'z' },
    { type: 'file-history-snapshot', messageId: 'm', snapshot: {} },
    user('1', null, 'Look.'),
    answer('2', '1', 'r1', { type: 'thinking', thinking: 'Hm.', signature: 'x' }),
    answer('3', '2', 'r1', call('a')),
    user('4', '3', result('a'), { toolUseResult: { file: 'a copy' } }),
    answer('5', '3', 'r1', call('b')),
    user('6', '5', result('b')),
    line('7', '6', 'progress', { data: {} }),
    answer('8', '7', 'r2', text('Both seen.')),
  );
  expect(remarks).toEqual([]);
  expect(recordings).toHaveLength(1);
  const [one] = recordings;
  expect(one && said(one)).toEqual([
    'user: Look.',
    'assistant: a b',
    'tool: of a',
    'tool: of b',
    'assistant: Both seen.',
  ]);
  expect(one).toMatchObject({ form: 'claude-code', model: 'claude-opus-5-5' });
  expect(one?.messages[1]?.content).toBe('Hm.');
  expect(one?.prompts).toEqual([
    { answer: 1, tokens: 42 },
    { answer: 4, tokens: 42 },
  ]);
  expect(one?.times[0]).toBe(Date.parse('2026-01-02T03:04:05.000Z'));
});

test('a branch that the user left is skipped, with a remark', async () => {
  const { recordings, remarks } = await read(
    user('1', null, 'Go.'),
    answer('2', '1', 'r1', text('One way.')),
    user('3', '2', 'Not that.'),
    answer('4', '3', 'r2', text('Sorry.')),
    user('5', '2', 'Better so.'),
    answer('6', '5', 'r3', text('Yes.')),
  );
  expect(recordings.map(said)).toEqual([['user: Go.', 'assistant: One way.', 'user: Better so.', 'assistant: Yes.']]);
  expect(remarks).toEqual(['3: skipped a branch that the user left']);
});

test('side chains are separate conversations, wherever their lines are', async () => {
  const side = { isSidechain: true, agentId: 'x' };
  const { recordings } = await read(
    user('1', null, 'Ask another.'),
    answer('2', '1', 'r1', call('task')),
    user('s1', null, 'You are asked.', side),
    answer('s2', 's1', 'q1', text('The answer.'), { isSidechain: true }),
    user('3', '2', result('task')),
    answer('4', '3', 'r2', text('It says so.')),
  );
  expect(recordings.map(({ name }) => name)).toEqual(['log#2 (side chain)', 'log']);
  expect(recordings.map(said)).toEqual([
    ['user: You are asked.', 'assistant: The answer.'],
    ['user: Ask another.', 'assistant: task', 'tool: of task', 'assistant: It says so.'],
  ]);
});

test('a compaction ends a conversation; the next begins with its summary', async () => {
  const { recordings, remarks } = await read(
    user('1', null, 'Go.'),
    answer('2', '1', 'r1', text('Going.')),
    line('b', null, 'system', {
      subtype: 'compact_boundary',
      logicalParentUuid: '2',
      content: 'Conversation compacted',
    }),
    user('3', 'b', 'This session is being continued. Summary: going.', { isCompactSummary: true }),
    answer('4', '3', 'r2', text('On.')),
    // Kept across the compaction: its line comes before it.
    user('5', '2', 'And now?'),
    answer('6', '5', 'r3', text('Now this.')),
  );
  expect(remarks).toEqual([]);
  expect(recordings.map(said)).toEqual([
    ['user: Go.', 'assistant: Going.'],
    [
      'user: This session is being continued. Summary: going.',
      'assistant: On.',
      'user: And now?',
      'assistant: Now this.',
    ],
  ]);
});

test('messages that were not sent are skipped, and gaps and duplicates are reported', async () => {
  const { recordings, remarks } = await read(
    user('1', null, 'Go.'),
    answer('2', '1', 'r1', text('Going.')),
    user('1', null, 'Go.'),
    user('3', 'gone', 'On.'),
    line('4', '3', 'assistant', {
      isApiErrorMessage: true,
      message: { id: 'e', role: 'assistant', model: '<synthetic>', content: [text('API Error')] },
    }),
    answer('5', '4', 'r2', text('Gone on.')),
  );
  expect(recordings.map(said)).toEqual([['user: Go.', 'assistant: Going.', 'user: On.', 'assistant: Gone on.']]);
  expect(remarks).toEqual([
    '3: skipped duplicate lines',
    '4: a previous line is missing (no line has this parentUuid): assumed to follow the line above',
    '5: skipped messages that Claude Code wrote in place of an answer',
  ]);
});
