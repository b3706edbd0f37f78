import { expect, test } from 'vitest';
import { blocksOf } from './blocks.ts';
import { inlineOf } from './inline.ts';

test('reads what models write: headings, lists, code, tables, quotes', () => {
  const text =
    '# Plan\nFirst\n\n- a\n  - b\n- c\n\n1. one\n2. two\n\n```ts\nlet a = 1;\n```\n> said\n\n| x | y |\n|---|---|\n| 1 | 2 |';
  expect(blocksOf(text)).toEqual([
    { type: 'heading', text: 'Plan' },
    { type: 'text', text: 'First' },
    {
      type: 'list',
      items: [
        [
          { type: 'text', text: 'a' },
          { type: 'list', items: [[{ type: 'text', text: 'b' }]] },
        ],
        [{ type: 'text', text: 'c' }],
      ],
    },
    { type: 'list', start: 1, items: [[{ type: 'text', text: 'one' }], [{ type: 'text', text: 'two' }]] },
    { type: 'code', text: 'let a = 1;' },
    { type: 'quote', inside: [{ type: 'text', text: 'said' }] },
    { type: 'table', head: ['x', 'y'], rows: [['1', '2']] },
  ]);
});

test('an open fence takes the rest, and HTML stays text', () => {
  expect(blocksOf('```\n<b>')).toEqual([{ type: 'code', text: '<b>' }]);
  expect(blocksOf('<script>alert(1)</script>')).toEqual([{ type: 'text', text: '<script>alert(1)</script>' }]);
});

test('reads emphasis, code and links, but no names with underscores', () => {
  expect(inlineOf('**a** `b_c` snake_case_name')).toEqual([
    { type: 'strong', inside: [{ type: 'text', text: 'a' }] },
    { type: 'text', text: ' ' },
    { type: 'code', text: 'b_c' },
    { type: 'text', text: ' snake_case_name' },
  ]);
  expect(inlineOf('see https://a.example/x.')).toEqual([
    { type: 'text', text: 'see ' },
    { type: 'link', url: 'https://a.example/x', inside: [{ type: 'text', text: 'https://a.example/x' }] },
    { type: 'text', text: '.' },
  ]);
});

test('only http links are links', () => {
  const isLink = (text: string) => JSON.stringify(inlineOf(text)).includes('"link"');
  expect(isLink('[a](https://a.example)')).toBe(true);
  for (const url of [
    'javascript:alert(1)',
    'JaVaScRiPt:1',
    'data:text/html,x',
    'vbscript:x',
    '//a.example',
    '/a',
    'file:///etc',
    ' javascript:1',
  ])
    expect(isLink(`[a](${url})`), url).toBe(false);
});

test('long hostile texts take time in proportion to their length', () => {
  const hostile = ['*', '_', '`', '[', '](', '**a', '> ', '- ', '|', '~~'];
  for (const sign of hostile) {
    const text = sign.repeat(20_000 / sign.length);
    expect(JSON.stringify(blocksOf(text)).length, sign).toBeGreaterThan(0);
    expect(JSON.stringify(inlineOf(text)).length, sign).toBeGreaterThan(0);
  }
});
