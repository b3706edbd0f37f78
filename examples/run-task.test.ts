import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStandIn } from '@holdfast/stand-in';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tidy } from './run-task.ts';

test('the example in docs/quick-start.md completes a task', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-example-'));
  const home = mkdtempSync(join(tmpdir(), 'holdfast-example-home-'));
  const standIn = await createStandIn({
    script: ({ results, messages }) => {
      if (messages.length === 1) return { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'tidy' } }] };
      if (results.some(({ text }) => text.startsWith('Noted'))) return { text: 'Done.' };
      return { calls: [{ name: 'task_complete', input: { summary: 'a.txt is tidy' } }] };
    },
  });
  onTestFinished(async () => {
    await standIn.close();
    for (const one of [folder, home]) rmSync(one, { recursive: true });
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  vi.stubEnv('ANTHROPIC_API_KEY', 'sk-not-a-key');
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  writeFileSync(join(folder, 'TASK.md'), '## Goal\nTidy up.\n');
  expect(await tidy(folder, standIn.url, home)).toMatchObject({ status: 'completed', summary: 'a.txt is tidy' });
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('tidy');
  expect(said.mock.calls).toEqual([
    ['write_file', 'a.txt'],
    ['task_complete', 'a.txt is tidy'],
  ]);
});

test('docs/quick-start.md shows screens of completed runs in an 80-column terminal', () => {
  const page = readFileSync(new URL('../docs/quick-start.md', import.meta.url), 'utf8');
  const screen = (name: string) =>
    new RegExp(`<!-- screen: ${name} -->\\n\`\`\`\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1]?.trimEnd().split('\n') ?? [];
  const [live, end] = [screen('live'), screen('end')];
  for (const row of [...live, ...end]) expect([...row].length).toBeLessThanOrEqual(80);
  expect(live.length).toBeLessThanOrEqual(24);
  expect(live.join('\n')).toMatch(/≡ fold 4: \d+ messages → \d+/);
  expect(live.join('\n')).toMatch(/\d+\/30 messages · /);
  expect(end[0]).toMatch(/^╭─ Mark the lines that changed ─+ completed ─╮$/);
  expect(end.at(-1)).toMatch(/^152 tool calls, \d+ folds, cost saved \$/);
});
