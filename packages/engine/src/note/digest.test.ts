import { expect, test } from 'vitest';
import { timeRatio } from '../../../../scripts/time-ratio.ts';
import { openaiChat } from '../dialects/openai-chat/dialect.ts';
import { UNCALIBRATED } from '../size/tokens.ts';
import { previewWords, viewTurnOf } from '../view/view-turn.ts';
import { DigestBuilder, EMPTY_DIGEST, upgradeDigest } from './digest.ts';

test('words enter the digest verbatim when a fold shortens them, and not again when they are dropped', () => {
  const dialect = openaiChat();
  const message = { role: 'user', content: `Keep parseHandle as it is. ${'And test it. '.repeat(60)}` };
  const whole = viewTurnOf({ from: 4, messages: [message], readings: [dialect.read(message)] });
  const shortened = previewWords({ dialect, revisions: [], calibration: UNCALIBRATED }, whole);
  expect(shortened).not.toBe(whole);

  const builder = new DigestBuilder(dialect, EMPTY_DIGEST);
  builder.add(whole, shortened);
  const before = builder.finish(5);
  expect(before.asked).toEqual([[expect.stringMatching(/^Keep parseHandle as it is\. And test it/), 4]]);
  expect(before.asked[0]?.[0]).not.toContain('recall');

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

test('declarations in a file that was read are outlined, without line numbers, the first lines of each read', () => {
  const lines = [
    '  1\timport x',
    '  2\texport async function openStore(path) {',
    '  3→class Reader extends Base {',
    'say: "type x"',
  ];
  const many = Array.from({ length: 30 }, (_, i) => `func Number${i}(ctx) error {`);
  const { outline } = digestOfRead([...lines, '## How to start it', '# a comment', ...many].join('\n'));
  expect(outline.slice(0, 3).map(([line]) => line)).toEqual([
    'export async function openStore(path) {',
    'class Reader extends Base {',
    'func Number0(ctx) error {',
  ]);
  expect(outline).toHaveLength(12);
});

test('hostile text does not slow down the outline', async () => {
  const plain = 'x\n'.repeat(20_000);
  for (const text of [
    `1${'\t'.repeat(60_000)}`,
    ' '.repeat(60_000),
    '1 '.repeat(30_000),
    'async '.repeat(10_000),
    '#'.repeat(60_000),
  ])
    expect(
      await timeRatio(
        () => digestOfRead(text),
        () => digestOfRead(plain),
        { enough: 40 },
      ),
      text.slice(0, 20),
    ).toBeLessThan(40);
});

test('a name last used by a call ranks before one last seen in a result', () => {
  const { names } = digestOfRead('src/other_file.ts');
  expect(names.map(([name, , , , , argued]) => [name, argued])).toEqual([
    ['src/used_file.ts', 1],
    ['src/other_file.ts', 0],
  ]);
});

test('a digest of 0.1, without version and outline, is merged like any other', () => {
  const { outline: _, version, ...sections } = EMPTY_DIGEST;
  const before = upgradeDigest({ ...sections, names: [['old_name', 'name', 1, 1, 3]] });
  const { names, outline, version: now } = digestOfRead('class Anything {', before);
  expect([before.version, now]).toEqual([version, version]);
  expect(names.find(([name]) => name === 'old_name')).toEqual(['old_name', 'name', 1, 1, 3, 0]);
  expect(outline).toEqual([['class Anything {', 11]]);
});
