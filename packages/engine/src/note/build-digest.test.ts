import { expect, test } from 'vitest';
import { openaiChat } from '../dialects/openai-chat/dialect.ts';
import { UNCALIBRATED } from '../size/tokens.ts';
import { previewWords, viewTurnOf } from '../view/view-turn.ts';
import { DigestBuilder } from './build-digest.ts';
import { EMPTY_DIGEST, upgradeDigest } from './digest.ts';

test('words enter the digest verbatim when a fold shortens them, and not again when they are dropped', () => {
  const dialect = openaiChat();
  const message = { role: 'user', content: `Keep parseHandle as it is. ${'And test it. '.repeat(60)}` };
  const whole = viewTurnOf({ from: 4, messages: [message], readings: [dialect.read(message)] });
  const shortened = previewWords({ dialect, revisions: [], calibration: UNCALIBRATED }, whole);
  expect(shortened).not.toBe(whole);

  const builder = new DigestBuilder(dialect, EMPTY_DIGEST);
  builder.add(whole, shortened);
  const before = builder.finish(5);
  expect(before.asked[0]?.slice(0, 2)).toEqual([expect.stringMatching(/^Keep parseHandle as it is\./), 4]);
  expect(JSON.stringify(before.asked)).not.toContain('recall');

  for (const take of ['add', 'skim'] as const) {
    const later = new DigestBuilder(dialect, before);
    if (take === 'add') later.add(shortened, undefined);
    else later.skim(shortened);
    expect(later.finish(5)).toEqual(before);
  }
});

/** The digest of a read of a file with this text. */
function digestOfRead(text: string, before = EMPTY_DIGEST) {
  const dialect = openaiChat();
  const call = {
    id: 'c1',
    type: 'function',
    function: { name: 'read_file', arguments: '{"path":"src/used_file.ts"}' },
  };
  const messages = [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: text },
  ];
  const builder = new DigestBuilder(dialect, before);
  builder.add(
    viewTurnOf({ from: 10, messages, readings: messages.map((message) => dialect.read(message)) }),
    undefined,
  );
  return builder.finish(12);
}

test('a name last used by a call ranks before one last seen in a result', () => {
  const { names } = digestOfRead('src/other_file.ts');
  expect(names.map(([name, , , , , argued]) => [name, argued])).toEqual([
    ['src/used_file.ts', 1],
    ['src/other_file.ts', 0],
  ]);
});

test('digests of earlier versions are merged like any other', () => {
  for (const version of [undefined, 1]) {
    const before = upgradeDigest({
      ...(version === undefined ? {} : { version }),
      asked: [['Use tabs.', 1]],
      said: [['I use tabs.', 2]],
      changed: [['src/used_file.ts', 5]],
      read: [['src/used_file.ts', 3]],
      errors: [['no such file', 4]],
      names: [['old_name', 'name', 1, 1, 3]],
    });
    const { names, asked, findings, files, commands } = digestOfRead('class Anything {\n'.repeat(9), before);
    expect(names.find(([name]) => name === 'old_name')).toEqual(['old_name', 'name', 1, 1, 3, 0]);
    expect([asked, findings]).toEqual([[['Use tabs.', 1]], [['I use tabs.', 2]]]);
    expect(commands).toEqual([['', 4, null, 'no such file']]);
    expect(files).toEqual([{ path: 'src/used_file.ts', since: 5, changes: [], reads: [[11, 0, 10], [3]] }]);
  }
});
