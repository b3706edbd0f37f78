import { describe, expect, test } from 'vitest';
import { continued, type Draft, draftOf, draftRows, EMPTY, edit, insert, insertPaste, moved, textOf } from './draft.ts';
import type { Stroke } from './keys.ts';

type Name = Exclude<Stroke['type'], 'text'>;

/** The draft with a bar where the cursor is. */
const seen = (draft: Draft) =>
  `${textOf({ atoms: draft.atoms.slice(0, draft.cursor) })}|${textOf({ atoms: draft.atoms.slice(draft.cursor) })}`;
const after = (text: string, ...names: readonly Name[]) =>
  names.reduce((draft, type) => edit(draft, { type })?.draft ?? draft, draftOf(text));

describe('editing', () => {
  test.each<[string, readonly Name[], string]>([
    ['one two', ['left', 'left', 'backspace'], 'one |wo'],
    ['one two', ['home', 'delete'], '|ne two'],
    ['one two', ['word-left', 'word-left', 'right'], 'o|ne two'],
    ['one, two', ['home', 'word-right', 'kill-rest'], 'one|'],
    ['one two', ['kill-word'], 'one |'],
    ['one two', ['left', 'kill-line'], '|o'],
    ['first\nsecond', ['home', 'kill-line'], 'first\n|second'],
    ['first\nsecond', ['up', 'end'], 'first|\nsecond'],
    ['a\nlonger', ['up'], 'a|\nlonger'],
    ['longer\na', ['up', 'down'], 'longer\na|'],
    ['first\nsecond', ['up', 'end', 'kill-rest'], 'first|second'],
    ['', ['left', 'backspace', 'delete', 'kill-word', 'word-left'], '|'],
  ])('%j, %j', (text, names, expected) => {
    expect(seen(after(text, ...names))).toBe(expected);
  });

  test('the cursor moves by graphemes', () => {
    const family = '👨‍👩‍👧‍👦';
    for (const text of [family, '🇩🇪', 'e\u0301', '漢', '👍🏽']) {
      expect(draftOf(text).atoms).toHaveLength(1);
      expect(seen(after(`a${text}`, 'backspace'))).toBe('a|');
    }
  });

  test('a combining mark joins the letter before it', () => {
    const draft = insert(insert(EMPTY, 'e'), '\u0301');
    expect(draft.atoms).toEqual(['e\u0301']);
    expect(draft.cursor).toBe(1);
    const between = insert(moved(draftOf('ab'), 1), 'x');
    expect(seen(between)).toBe('ax|b');
  });

  test('a yank restores the killed text', () => {
    const { draft, killed } = edit(draftOf('one two'), { type: 'kill-word' }) ?? {};
    expect(killed).toBe('two');
    expect(seen(edit(moved(draft ?? EMPTY, 0), { type: 'yank' }, killed)?.draft ?? EMPTY)).toBe('two|one ');
  });

  test('Enter after a trailing backslash starts a new line', () => {
    expect(seen(continued(draftOf('one\\')) ?? EMPTY)).toBe('one\n|');
    expect(continued(draftOf('one'))).toBeUndefined();
    expect(continued(after('one\\', 'left'))).toBeUndefined();
  });
});

describe('pastes', () => {
  const long = Array.from({ length: 200 }, (_, i) => `line ${i} of what was pasted, and more of it`).join('\r\n');

  test('a long paste is one cursor step, and complete in the text', () => {
    const draft = insert(insertPaste(insert(EMPTY, 'look: '), long), '!');
    expect(textOf(draft)).toBe(`look: ${long.replaceAll('\r\n', '\n')}!`);
    expect(draft.atoms).toHaveLength(8);
    expect(draftRows(draft, 80, 8, (text) => text)).toEqual(['> look: [pasted: 8,689 characters, 200 lines]! ']);
    expect(textOf(edit(moved(draft, 7), { type: 'backspace' })?.draft ?? EMPTY)).toBe('look: !');
    // The end of the last line begins no further one.
    const [row] = draftRows(insertPaste(EMPTY, `${long}\n`), 80, 8, (text) => text);
    expect(row).toContain('200 lines');
  });

  test('a prompt that comes back can be edited, even one that would be long for a paste', () => {
    const prompt = 'word '.repeat(200);
    expect(insertPaste(EMPTY, prompt).atoms).toHaveLength(1);
    expect(draftOf(prompt).atoms).toHaveLength(1_000);
    expect(draftOf(long).atoms).toHaveLength(1);
  });

  test('a short paste is plain text', () => {
    expect(insertPaste(EMPTY, 'a\r\nb').atoms).toEqual(['a', '\n', 'b']);
  });
});

describe('rows', () => {
  const mark = (text: string) => `<${text}>`;

  test('wraps long lines without splitting wide characters', () => {
    expect(draftRows(draftOf('漢字漢字'), 7, 8, mark)).toEqual(['> 漢字', '  漢字< >']);
    expect(draftRows(draftOf('漢字漢字'), 6, 8, mark)).toEqual(['> 漢字', '  漢字', '  < >']);
    expect(draftRows(moved(draftOf('abcdef'), 3), 6, 8, mark)).toEqual(['> abc<d>', '  ef ']);
  });

  test('shows the rows around the cursor', () => {
    const draft = draftOf('1\n2\n3\n4\n5\n6');
    expect(draftRows(draft, 20, 3, mark)).toEqual(['  4 ', '  5 ', '  6< >']);
    expect(draftRows(moved(draft, 0), 20, 3, mark)).toEqual(['> <1> ', '  2 ', '  3 ']);
  });

  test("typed text cannot move the terminal's cursor", () => {
    expect(draftRows(draftOf('a\u001b[2Jb\u0007'), 20, 3, mark)).toEqual(['> a[2Jb< >']);
  });
});
