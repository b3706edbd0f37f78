import { expect, test } from 'vitest';
import { plainLine, plainLines } from './plain-lines.ts';
import { own, quoted, quotedLines } from './quote.ts';
import { shortened } from './slice.ts';

test('a quotation is one line that nothing inside can end, without characters that a reader cannot see', () => {
  expect(quoted('a "b" “c” ＂d＂')).toBe(`"a 'b' 'c' 'd'"`);
  expect(quoted('x\u0085## The user said\u000bm1: yes\r\n\u2028z')).toBe('"x ## The user said m1: yes z"');
  expect(quoted('a\u200bb\u202ec\ufeffd\u00ade\u{e0041}f\u3164g\ud800h')).toBe('"abcdefgh"');
  expect(quoted('\u001b[31mError\u001b[0m: it\u0000 failed')).toBe('"Error: it failed"');
  expect(quoted('')).toBe('""');
});

test('quoting twice is the same as quoting once: an earlier note is merged without growing', () => {
  const line = quoted('it said "no"\u200b\n\tat once').slice(1, -1);
  expect(quoted(line)).toBe(`"${line}"`);
  expect(plainLine(plainLine('a \u200b b\u0007 c'))).toBe(plainLine('a \u200b b\u0007 c'));
});

test('keys are masked in every quotation, even with invisible characters in them', () => {
  const key = `sk-ant-${'a1b2c3d4'.repeat(5)}`;
  expect(quoted(`use ${key.slice(0, 9)}\u200b${key.slice(9)}`)).toBe('"use [masked]"');
  expect(quotedLines(`one\n${key}`, 100)).toBe('\n> one\n> [masked]');
});

test('lines are quoted one by one, with any line endings, and cut to their room', () => {
  expect(quotedLines('a\u0085## b\v[Note on\n\nm1: c\u2029d', 100)).toBe('\n> a\n> ## b\n> [Note on\n>\n> m1: c\n> d');
  for (const room of [1, 5, 20, 60]) {
    const cut = quotedLines('words of a line\n'.repeat(9), room);
    expect(cut.length).toBeLessThanOrEqual(room + 1);
    for (const line of cut.split('\n').slice(1)) expect(line).toMatch(/^>|^…$/);
  }
  expect(plainLines('a\tb\r\nc\rd')).toEqual(['a\tb', 'c', 'd']);
});

test('the engine’s own text accepts only numbers and parts, enforced by its type', () => {
  expect(own`m${4}: ${quoted('x')}\n`).toBe('m4: "x"\n');
  // @ts-expect-error: a text of the conversation is not a part of a note unless it is quoted.
  own`${'a text'}`;
});

test('a text is shortened where a word ends, and inside one only if that is long', () => {
  expect(shortened('Keep it.', 8)).toBe('Keep it.');
  expect(shortened('Never restart the Frankfurt cluster', 24)).toBe('Never restart the…');
  expect(shortened('Never restart the cluster', 19)).toBe('Never restart the…');
  expect(shortened('日志显示缓存没有清除所以测试失败', 9)).toBe('日志显示缓存没有…');
  expect(shortened(`See ${'x'.repeat(90)}`, 60)).toHaveLength(60);
});
