import { expect, test } from 'vitest';
import { noteLines } from './note-lines.ts';

test('lines of a note name the messages they speak for, quotations and summaries name none', () => {
  const note = [
    '[Note on the earlier conversation: 4 messages (m1-m4@k3) were taken out.]',
    '## The user said',
    'm3: "look at m9 and m10"',
    '## Files, with what left the view',
    '"src/m7.ts": changed m5~1; read m2 (lines 3-9)',
    '> m8 said a model',
  ].join('\n');
  const lines = noteLines(note);
  expect(lines.map(({ section, handles }) => [section, handles.map(({ handle }) => handle)])).toEqual([
    [undefined, ['m1-m4@k3']],
    ['The user said', ['m3']],
    ['Files, with what left the view', ['m5~1', 'm2']],
    ['Files, with what left the view', []],
  ]);
  for (const { text, handles } of lines)
    for (const { handle, at } of handles) expect(text.slice(at, at + handle.length)).toBe(handle);
});
