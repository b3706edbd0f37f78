import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import { createColours } from './colours.ts';
import { forDrawing, guardOutput, printable } from './guard-output.ts';
import { harmless, harmlessJson } from './harmless.ts';

const PARTS = [
  '\u001b',
  '\u001b[',
  '\u001b]52;c;eA==\u0007',
  '\u009b2J',
  '\u009d0;x\u009c',
  '\u202e',
  '\u2066',
  '\r',
  '\r\n',
  '\u0085',
];
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PARTS, '\u001b[31m', '\u001b[8m', '2J', 'm', '\u{e0041}', '漢', '👩‍🚀', '\n\t'),
      fc.string({ unit: 'binary' }),
    ),
  )
  .map((parts) => parts.join(''));
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const OURS = /\u001b\[\d{1,3}m/g;
const { bold, red, dim } = createColours(true);
const plain = picocolors.createColors(true);

test('no text can affect a terminal beyond our colours', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(harmless(text)).not.toMatch(CONTROLS);
      expect(harmless(harmless(text))).toBe(harmless(text));
      expect(printable(text, false)).not.toMatch(CONTROLS);
      expect(printable(bold(text), true).replace(OURS, '')).not.toMatch(CONTROLS);
      expect(JSON.parse(harmlessJson(JSON.stringify({ text })))).toEqual({ text });
      expect(harmlessJson(JSON.stringify({ text }, null, 2))).not.toMatch(CONTROLS);
    }),
    { seed: 17, numRuns: 1_000 },
  );
});

test('keeps our colours, and words in every script', () => {
  const text = (colours: typeof plain) =>
    colours.bold(`läuft: ${colours.red('2 Fehler')} ${colours.dim('in')} src/設定.ts 👩‍🚀 می‌خواهم\n\tnext`);
  expect(printable(text({ ...plain, bold, red, dim }), true)).toBe(text(plain));
  expect(printable(text({ ...plain, bold, red, dim }), false)).toBe(text(picocolors.createColors(false)));
});

test('removes all foreign colours', () => {
  const painted = `\u001b[8mhidden\u001b[5m \u001b[31mred\u001b[0m \u001b[30;40mblack\u001b[39;1234;5678m`;
  expect(printable(red(painted), true)).toBe(plain.red('hidden red black'));
});

test('cleans everything written, even in pieces; drawing may also move the cursor', () => {
  const out = new PassThrough().setEncoding('utf8');
  const stream = Object.assign(out, { isTTY: true }) as unknown as NodeJS.WriteStream;
  guardOutput({ stdout: stream, stderr: new PassThrough() as unknown as NodeJS.WriteStream, env: {} });
  for (const part of ['\u001b', ']52;c;eA==', '\u0007', red('red')]) stream.write(part);
  stream.write(Buffer.from('\u009b2J bytes\n'));
  forDrawing(stream).write('\u001b[2K\r\u001b[3A\u001b[?25l\u001b]0;title\u0007\u009d0;x\u009c\u001bc\u001b[6n');
  expect(out.read()).toBe(`]52;c;eA==${plain.red('red')} bytes\n\u001b[2K\r\u001b[3A\u001b[?25l0;x`);
});
