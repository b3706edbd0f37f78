import { expect, test } from 'vitest';
import { openaiChat } from '../dialects/openai-chat/dialect.ts';
import { readMessages } from '../turns/read-turns.ts';
import { viewTurnsOf } from '../view/view-turn.ts';
import { EMPTY_DIGEST } from './digest.ts';
import { fileFacts } from './files.ts';

const call = (id: string, args: object) => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'edit', arguments: JSON.stringify(args) } }],
  },
  { role: 'tool', tool_call_id: id, content: 'ok' },
];

const messages = [
  { role: 'user', content: 'Look at src/parse.ts first.' },
  ...call('a', { path: '/repo/src/scan.ts', old_string: 'x', new_string: 'y' }),
];
const dialect = openaiChat();
const turns = viewTurnsOf(dialect, readMessages(dialect, messages, 0, 0));
const facts = fileFacts(dialect, turns, {
  ...EMPTY_DIGEST,
  files: [{ path: 'lib/old.ts', since: 2, changes: [2], reads: [] }],
});

test('a file counts as changed from its first change on, even if only the digest knows it', () => {
  expect(facts.edited(['src/scan.ts'], 3)).toBe(true);
  expect(facts.edited(['src/scan.ts'], 1)).toBe(false);
  expect(facts.edited(['old.ts'], 3)).toBe(true);
  expect(facts.edited(['parse.ts'], 3)).toBe(false);
  expect(facts.edited(['/repo/test/scan.ts'], 3)).toBe(false);
});

test('a file counts as named once the user mentions it', () => {
  expect(facts.named(['/repo/src/parse.ts'], 1)).toBe(true);
  expect(facts.named(['/repo/src/parse.ts'], 0)).toBe(false);
  expect(facts.named(['/repo/src/scan.ts'], 3)).toBe(false);
});
