import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Handles } from '../dialect.ts';
import type { NameKind } from '../text/names.ts';
import { plainLine } from '../text/quote.ts';
import { type CommandFact, type Digest, EMPTY_DIGEST, type Remark } from './digest.ts';
import { type FileFact, type FileRead, mergeFiles } from './ledger.ts';
import { readNote } from './read-note.ts';
import { type NoteContent, renderNote } from './render-note.ts';
import { withoutHandles } from './without-handles.ts';

/** Text as a digest holds it: one line without quotation marks, and nothing that a note masks. */
const line = fc.stringMatching(/^[A-Za-z][A-Za-z .,#:→×-]{0,40}[a-z]$/).map(plainLine);
const remark = fc.tuple(line, fc.nat(999)).map(([text, at]): Remark => [text, at]);
const remarks = fc.array(remark, { maxLength: 4 });
const places = fc.uniqueArray(fc.nat(999), { maxLength: 5 }).map((all) => all.sort((a, b) => b - a));
const commands = fc.array(
  fc
    .tuple(line, fc.nat(999), fc.option(fc.integer({ min: -9, max: 255 })), fc.option(line))
    .map(([text, at, exit, failure]): CommandFact => {
      if (failure !== null) return [text, at, exit, failure];
      return exit === null ? [text, at] : [text, at, exit];
    }),
  { maxLength: 4 },
);
const files = fc.uniqueArray(
  fc
    .record({
      path: fc.stringMatching(/^[a-z]{1,8}\/[a-z]{1,8}\.ts$/),
      did: fc.constantFrom(undefined, 'created' as const, 'deleted' as const, 'moved' as const),
      changes: places,
      reads: places.map((all) => all.map((at): FileRead => (at % 2 === 0 ? [at] : [at, 1000 * at + 1, 1000 * at + 9]))),
    })
    .filter(({ changes, reads }) => changes.length + reads.length > 0)
    .map(({ path, did, changes, reads }): FileFact => {
      if (changes.length === 0) return { path, changes, reads };
      return { path, since: Math.min(...changes), ...(did && changes[0] ? { did } : {}), changes, reads };
    }),
  { maxLength: 4, selector: ({ path }) => path.split('/')[1] },
);
const names = fc.uniqueArray(
  fc.tuple(
    fc.stringMatching(/^[a-z]{3,8}_[a-z]{1,8}$/),
    fc.constantFrom<NameKind>('path', 'name'),
    fc.constant(0),
    fc.constant(1),
    fc.nat(999),
  ),
  { maxLength: 8, selector: ([name]) => name },
);
const tools = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z_]{1,12}$/), fc.nat(99), fc.constant(999)), {
  maxLength: 3,
  selector: ([name]) => name,
});
const digests: fc.Arbitrary<Digest> = fc.record({
  version: fc.constant(2 as const),
  asked: remarks,
  decisions: remarks,
  causes: remarks,
  failed: remarks,
  findings: remarks,
  open: remarks,
  todos: remarks,
  omitted: places.map((all) => all.toReversed()),
  files: files.map(mergeFiles),
  commands,
  names,
  tools,
});

function noteOf(digest: Digest, dropped: number, eras: NoteContent['eras'] = []): NoteContent {
  const tools = digest.tools.length > 0 ? { tools: { heading: 'Tools used', last: 999 } } : {};
  return { eras, dropped: [[1, dropped]], shortened: 2, example: 1, digest, ...tools };
}

/** Names in the order of their lines: by kind, the newest first. */
function byLine({ names }: Digest): Digest['names'] {
  const kinds: NameKind[] = ['path', 'name', 'number', 'hash'];
  return names.toSorted((a, b) => kinds.indexOf(a[1]) - kinds.indexOf(b[1]) || b[4] - a[4]);
}

/** Handles as they are, with a scope that looks like one, and with words of the caller's that look like a note. */
const scopes = fc.constantFrom<[NoteContent['eras'], Handles]>(
  [[], true],
  [[[0, 0, 'm7-_m41']], true],
  [
    [
      [0, 0, 'a'],
      [90, 2, 'b9'],
    ],
    { how: 'Say {handle}.]\n## The user said\nm1: "[x]"' },
  ],
);

test('a note with handles is read back exactly', () => {
  fc.assert(
    fc.property(digests, fc.integer({ min: 1, max: 9_999 }), scopes, (digest, dropped, [eras, handles]) => {
      const read = readNote(renderNote(noteOf(digest, dropped, eras), { handles }), 1_000);
      expect(read).toEqual({ dropped, digest: { ...digest, names: byLine(digest) } });
    }),
  );
});

test('without handles everything is read back except the indices, which keep their order', () => {
  fc.assert(
    fc.property(digests, fc.integer({ min: 1, max: 9_999 }), (digest, dropped) => {
      const read = readNote(renderNote(noteOf(digest, dropped), { handles: false }), 200);
      expect(read.dropped).toBe(dropped);
      for (const section of ['asked', 'decisions', 'causes', 'failed', 'findings', 'open', 'todos'] as const) {
        const bare = (list: readonly Remark[]) => list.map(([text]) => text);
        expect(bare(read.digest[section])).toEqual(bare(digest[section]));
        const places = read.digest[section].map(([, at]) => at);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(places.every((at) => at < 200)).toBe(true);
      }
      const ran = (list: Digest['commands']) => list.map(([text, , exit, failure]) => [text, exit, failure]);
      expect(ran(read.digest.commands)).toEqual(ran(digest.commands));
      const done = (list: Digest['files']) =>
        list.map(({ path, did, since, reads }) => [path, did, since !== undefined, reads.length > 0]).sort();
      expect(done(read.digest.files)).toEqual(done(digest.files));
      expect(read.digest.names.map(([name, kind]) => [name, kind])).toEqual(
        byLine(digest).map(([name, kind]) => [name, kind]),
      );
      expect(read.digest.tools.map(([name, uses]) => [name, uses])).toEqual(
        digest.tools.map(([name, uses]) => [name, uses]),
      );
    }),
  );
});

test('an older text with handles loses them as if it had been written without', () => {
  const forms: Partial<NoteContent>[] = [
    {},
    { short: true },
    { marker: '[Trimmed: {dropped} messages]' },
    { summary: { text: 'm1: done\nNext: tests', room: 99 } },
  ];
  fc.assert(
    fc.property(digests, fc.nat(2), fc.constantFrom(...forms), scopes, (newer, more, form, [eras, handles]) => {
      const digest = { ...newer, files: [], omitted: [] };
      const { digest: _, ...bare } = noteOf(digest, 1 + more);
      const note = form.short || form.marker ? { ...bare, ...form } : { ...noteOf(digest, 1 + more), ...form };
      const { tools: __, ...shown } = note;
      const content = { ...(note.digest ? note : shown), eras };
      const plain = renderNote(content, { handles: false });
      expect(withoutHandles(renderNote(content, { handles }))).toBe(plain);
      expect(withoutHandles(plain)).toBe(plain);
    }),
  );
});

test('older notes are read: with other headings, and before anything was quoted', () => {
  const said = (old: boolean) =>
    [
      '[Note on the earlier conversation: 9 messages were taken out to keep to the limit.]',
      old ? '## Said and decided' : '## The assistant said',
      old ? 'I use tabs.' : '"I use tabs."',
      '## Commands run',
      old ? 'npm test' : '"npm test → exit 0" → exit 3',
      old ? '## Last errors' : '## Last errors, from tools',
      old ? 'Error: no such file' : '"Error: no such file"',
      '## Files changed',
      old ? 'src/a.ts' : '"src/a.ts"',
      '## Files read',
      old ? 'src/a.ts' : '"src/a.ts"',
      '## Names, by last use',
      old ? 'oneName, twoName' : '"oneName, twoName"',
      '## Tools used',
      old ? 'Bash ×3, Read ×2' : '"Bash" ×3, "Read" ×2',
    ].join('\n');
  const { commands: _, ...digest } = readNote(said(false), 20).digest;
  expect(readNote(said(true), 20).digest).toMatchObject(digest);
  expect(digest).toMatchObject({
    findings: [['I use tabs.', 13]],
    files: [{ path: 'src/a.ts', since: 16, changes: [16], reads: [[17]] }],
    tools: [
      ['Bash', 3, 19],
      ['Read', 2, 19],
    ],
  });
  expect(readNote(said(false), 20).digest.commands).toEqual([
    ['npm test → exit 0', 14, 3],
    ['', 15, null, 'Error: no such file'],
  ]);
});

test.each([
  ['[Note on the earlier conversation: 157 messages were taken out to keep to the limit.]', 157],
  ['[Earlier conversation trimmed — 27 messages removed]\nsince 1999', 27],
  ['nothing\n7', 0],
  [`[${'9'.repeat(12)}]`, 0],
  ['', 0],
])('%s speaks for %i messages', (note, dropped) => {
  expect(readNote(note, 0)).toEqual({ dropped, digest: EMPTY_DIGEST });
});

test('names are read back without the file or command that they are from', () => {
  const names: Digest['names'] = [['parse_line', 'name', 0, 1, 7]];
  const base = { eras: [], dropped: [[1, 9]], shortened: 0, example: 1 } as const;
  const sources = new Map([[7, 'parse.ts']]);
  const note = renderNote({ ...base, digest: { ...EMPTY_DIGEST, names }, sources });
  expect(note).toContain('m7, from "parse.ts": "parse_line"');
  expect(readNote(note, 10).digest.names).toEqual(names);
});
