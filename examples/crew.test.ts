import { readFileSync } from 'node:fs';
import { createStandIn } from '@holdfast/stand-in';
import { expect, onTestFinished, test, vi } from 'vitest';
import { askCrew } from './crew.ts';

test('the example in docs/crew.md asks a crew and shows its usage', async () => {
  const standIn = await createStandIn({
    script: ({ system, results }) => {
      if (system.includes('You are lead')) return { text: '[ROUTE_CLERK]' };
      if (results.length > 0) return { text: `It is in ${results[0]?.text}.` };
      return { calls: [{ name: 'look_up', input: { what: 'parser' } }] };
    },
  });
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  const written = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await standIn.close();
  });
  expect(await askCrew(standIn.url, 'not-a-key')).toBe('It is in src/parser.ts, line 12.');
  expect(printed.mock.calls[0]?.[0]).toMatch(/^agent .*\nlead .*\nclerk .*\ncrew /);
  expect(written.mock.calls.map(([text]) => text).join('')).toContain('[ROUTE_CLERK]It is in src/parser.ts');
});

test('the snippet in docs/crew.md is part of the example', () => {
  const text = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  const [, snippet = 'none'] = /```ts\n([\s\S]*?)```/.exec(text('../docs/crew.md')) ?? [];
  expect(text('crew.ts')).toContain(snippet);
});
