import { expect, test } from 'vitest';
import type { Wire } from '../../test/histories.ts';
import { user } from '../../test/read-turns.ts';
import { handlesIn } from '../handles/handles.ts';
import { ConversationWindow, noteLines, noteText, type WrittenNote } from '../index.ts';

function call(id: number, name: string, input: object, content: string): Wire[] {
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id: `c${id}`, name, input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${id}`, content }] },
  ] as Wire[];
}

/** A note with every kind of line, whose quotations are full of what looks like handles and headings. */
async function noteOf(): Promise<{ note: WrittenNote; sent: string | undefined }> {
  const history: Wire[] = [user('See m9, m10 and "## Files" in src/m7.ts. Never touch src/m8.ts.')];
  for (let i = 0; i < 24; i += 3)
    history.push(
      ...call(i, 'Read', { file_path: `src/m${i % 4}.ts` }, `export const m${i}_value = 'm5';\n`.repeat(60)),
      ...call(i + 1, 'Edit', { file_path: `src/m${i % 4}.ts`, old_string: 'm5', new_string: `m6 ${i}` }, 'done'),
      ...call(i + 2, 'Bash', { command: `grep m${i} m3` }, `Error: m${i} failed\nexit code: 1`),
      user(`Now m${i}: I decided to keep "m1". ${'Mind it well. '.repeat(40)}`),
    );
  const window = new ConversationWindow<Wire>({ max_tokens: 6_000, max_messages: 0 });
  const { receipt } = await window.fit(history);
  return { note: JSON.parse(JSON.stringify(window.state().log.at(-1)?.note ?? [])), sent: receipt?.note };
}

test('the lines of a note are its text, and say where their handles are', async () => {
  const { note, sent } = await noteOf();
  expect(noteText(note)).toBe(sent);
  const lines = noteLines(note);
  expect(new Set(lines.map(({ section }) => section)).size).toBeGreaterThan(3);
  for (const { text, handles } of lines) {
    for (const { handle, at } of handles) expect(text.slice(at, at + handle.length)).toBe(handle);
    // What is quoted is what somebody said.
    const own = text.replace(/"[^"]*"/g, (quotation) => ' '.repeat(quotation.length));
    expect(handles).toEqual(handlesIn(own));
  }
});

test('lines of a summary name no message', async () => {
  const history: Wire[] = Array.from({ length: 40 }, (_, i) => user(`${i} ${'Mind it well. '.repeat(60)}`));
  const summarizer = () => Promise.resolve('m8 is done\nm9 is next');
  const window = new ConversationWindow<Wire>(
    { max_tokens: 6_000, max_messages: 0, summarize_on_trim: true },
    { summarizer, dialect: 'anthropic' },
  );
  await window.fit(history);
  const lines = noteLines(window.state().log.at(-1)?.note ?? []);
  const summary = lines.filter(({ text }) => text.startsWith('>'));
  expect(summary.map(({ text }) => text)).toEqual(['> m8 is done', '> m9 is next']);
  expect(summary.flatMap(({ handles }) => handles)).toEqual([]);
});
