import type { WriteStream } from 'node:tty';
import { expect, test } from 'vitest';
import { createProgress } from './progress.ts';

function stream(isTTY: boolean, columns = 80): { readonly out: WriteStream; readonly written: string[] } {
  const written: string[] = [];
  const out = { isTTY, columns, write: (text: string) => written.push(text) } as unknown as WriteStream;
  return { out, written };
}

test('a bar on a terminal says how much is read, on one row, and goes when it is done', () => {
  const { out, written } = stream(true, 40);
  const progress = createProgress(out, 200);
  progress.read(50);
  progress.end();
  expect(written).toHaveLength(2);
  expect(written[0]).toContain('██████░░░░░░░░░░░░░░░░░░ 25% read');
  expect(written[0]?.replace('\r\x1b[2K', '').length).toBeLessThan(40);
  expect(written[1]).toBe('\r\x1b[2K');
});

test('it is not drawn again at once, nor where nobody looks', () => {
  const { out, written } = stream(true);
  const progress = createProgress(out, 100);
  for (let n = 0; n < 100; n++) progress.read(1);
  expect(written.length).toBeLessThan(10);
  const file = stream(false);
  const silent = createProgress(file.out, 100);
  silent.read(50);
  silent.replayed(3);
  silent.end();
  expect(file.written).toEqual([]);
});
