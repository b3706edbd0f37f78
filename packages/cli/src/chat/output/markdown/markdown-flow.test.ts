import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainStyle, terminalStyle } from '../../../view/style.ts';
import { columnsOf } from '../../../view/text.ts';
import { type Highlight, loadHighlight } from './highlight.ts';
import { createMarkdownFlow } from './markdown-flow.ts';

const style = terminalStyle({});
const ANSWER = `# The plan

Read \`src/a.ts\` and **fix** the _flaky_ test, see [the docs](https://example.com/a).
A second line.

- one
- two, which is rather long and has to wrap on a narrow terminal
  - nested
- [x] done

1. first
2. second

| name | count | about |
|---|--:|---|
| parser | 12 | reads \`x\` |
| 漢字 | 3 | wide characters |

\`\`\`ts
const a = 1; // a comment

export { a };
\`\`\`

> quoted

---

The end.`;

function rowsOf(text: string, columns: number, sizes: readonly number[], how = style, highlight?: Highlight): string[] {
  const flow = createMarkdownFlow(how, () => highlight);
  const rows: string[] = [];
  let from = 0;
  for (const size of [...sizes, text.length]) {
    flow.add(text.slice(from, from + size));
    from += size;
    rows.push(...flow.rows(columns));
    for (const row of flow.rest(columns)) expect(columnsOf(row)).toBeLessThanOrEqual(columns);
  }
  rows.push(...flow.end(columns));
  return rows;
}

const plain = (rows: readonly string[]) => rows.map((row) => stripVTControlCharacters(row));

test('headings, lists, tables and code, in a terminal without colours', () => {
  expect(rowsOf(ANSWER, 44, [], plainStyle)).toEqual([
    '# The plan',
    '',
    'Read `src/a.ts` and fix the flaky test, see',
    'the docs (https://example.com/a).',
    'A second line.',
    '',
    '- one',
    '- two, which is rather long and has to wrap',
    '  on a narrow terminal',
    '  - nested',
    '- [x] done',
    '',
    '1. first',
    '2. second',
    '',
    'name   | count | about',
    '--------------------------------',
    'parser |    12 | reads `x`',
    '漢字   |     3 | wide characters',
    '',
    '  const a = 1; // a comment',
    '',
    '  export { a };',
    '',
    '| quoted',
    '',
    '----------------------------------------',
    '',
    'The end.',
  ]);
});

test('streamed, an answer gives the rows of the whole answer', async () => {
  const highlight = await loadHighlight();
  const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 300 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 12, max: 100 }), (parts, columns) => {
      const whole = createMarkdownFlow(style, () => highlight);
      whole.add(ANSWER);
      expect(rowsOf(ANSWER, columns, parts, style, highlight)).toEqual(whole.end(columns));
    }),
    { numRuns: 60 },
  );
  expect(
    rowsOf(
      ANSWER,
      60,
      Array.from(ANSWER, () => 1),
      style,
      highlight,
    ),
  ).toEqual(rowsOf(ANSWER, 60, [], style, highlight));
});

test('no word is lost, no row is too wide, and nothing can control the terminal', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      'word',
      '**',
      '*',
      '_',
      '`',
      '```',
      '```ts',
      '\n',
      '\n\n',
      ' ',
      '- ',
      '1. ',
      '| ',
      '|',
      '|---|',
      '#',
      '> ',
      '[x](y)',
    ],
    ...['\u001b[2J', '\u001b]8;;http://e\u0007', '\u202e', '漢字', '<b>', '&lt;', '    ', '---', '\\', '\t'],
  );
  const text = fc.array(piece, { maxLength: 80 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(
      text,
      fc.array(fc.integer({ min: 1, max: 9 })),
      fc.integer({ min: 8, max: 60 }),
      (whole, parts, columns) => {
        const rows = rowsOf(whole, columns, parts);
        for (const row of rows) {
          expect(columnsOf(row), JSON.stringify(row)).toBeLessThanOrEqual(columns);
          expect(stripVTControlCharacters(row)).not.toMatch(/\p{Cc}/u);
        }
        const shown = rows.map((row) => stripVTControlCharacters(row)).join('');
        // The name of a language is not shown, nor a cell beyond the head of its table.
        if (!/```|--\|/.test(whole)) expect(shown.split('漢').length).toBeGreaterThanOrEqual(whole.split('漢').length);
      },
    ),
    { numRuns: 300 },
  );
});

test('long text, lists and code do not wait for their end', () => {
  const early = (text: string) => {
    const flow = createMarkdownFlow(style, () => undefined);
    flow.add(text);
    return plain(flow.rows(40));
  };
  expect(early('word '.repeat(40)).length).toBeGreaterThan(3);
  expect(early('line\n'.repeat(40)).length).toBeGreaterThan(30);
  expect(early(`A **bold** word and ${'more words '.repeat(40)}`).length).toBeGreaterThan(3);
  expect(early('- item\n'.repeat(20))).toHaveLength(19);
  expect(early(`\`\`\`\n${'code\n'.repeat(20)}`).length).toBeGreaterThan(15);
  expect(early('| a | b |\n|---|---|\n| 1 | 2 |\n')).toEqual([]);
});

test('live rows have the same blank rows between blocks as final ones', () => {
  const flow = createMarkdownFlow(plainStyle, () => undefined);
  flow.add('## Part\n\nSome words');
  expect(flow.rest(40)).toEqual(['## Part', '', 'Some words']);
});

test('a task has one box, in tight and loose lists', () => {
  expect(rowsOf('- [x] a\n- [ ] b\n', 40, [], plainStyle)).toEqual(['- [x] a', '- [ ] b']);
  expect(rowsOf('- [x] a\n\n- [ ] b\n', 40, [], plainStyle)).toEqual(['- [x] a', '- [ ] b']);
});

test('streamed in single characters, a list whose items are all 1. counts, and CRLF is one line end', () => {
  const single = (text: string) =>
    plain(
      rowsOf(
        text,
        40,
        Array.from(text, () => 1),
        plainStyle,
      ),
    );
  const list = ['1. a', '2. b', '3. c'];
  expect(single('1. a\n1. b\n1. c\n\nText.\n\n1. a\n1. b\n1. c')).toEqual([...list, '', 'Text.', '', ...list]);
  expect(single('```\r\na\r\nb\r\n```\r\nend')).toEqual(['  a', '  b', '', 'end']);
});

test('an address that a link shows already is not repeated', () => {
  expect(rowsOf('www.example.com and a@example.com', 60, [], plainStyle)).toEqual([
    'www.example.com and a@example.com',
  ]);
});

test('a narrow terminal shows a table as a list; code has colours', async () => {
  const table = '| name | first | second | third |\n|---|---|---|---|\n| a | b | c | d |\n';
  expect(plain(rowsOf(table, 20, []))).toEqual(['name: a', 'first: b', 'second: c', 'third: d']);
  const highlight = await loadHighlight();
  const [row = ''] = rowsOf('```js\nconst a = "x";\n```', 40, [], style, highlight);
  expect(row).toContain(style.colours.magenta('const'));
  expect(row).toContain(style.colours.green('"x"'));
});
