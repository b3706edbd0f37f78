import type { WriteStream } from 'node:tty';
import { expect, test } from 'vitest';
import { createProgress, halfOf } from './replay-all.ts';

test('a conversation and its parts are always in the same half, wherever the file is', () => {
  for (let n = 0; n < 20; n++) {
    const half = halfOf(`logs/talk-${n}.jsonl`);
    for (const name of [`talk-${n}.jsonl`, `C:\\logs\\talk-${n}.jsonl`, `talk-${n}-seg3.jsonl`, `talk-${n}.jsonl#2`])
      expect(halfOf(name), name).toBe(half);
    expect(halfOf(`talk-${n}.jsonl#4 (side chain)`)).toBe(half);
  }
});

test('the halves are about the same size', () => {
  const first = Array.from({ length: 1000 }, (_, n) => halfOf(`${n}.jsonl`)).filter((half) => half === 1);
  expect(first.length).toBeGreaterThan(450);
  expect(first.length).toBeLessThan(550);
});

function stream(isTTY: boolean, columns = 80): { readonly out: WriteStream; readonly written: string[] } {
  const written: string[] = [];
  const out = { isTTY, columns, write: (text: string) => written.push(text) } as unknown as WriteStream;
  return { out, written };
}

test('the progress bar shows the share read in one row, and disappears when done', () => {
  const { out, written } = stream(true, 40);
  const progress = createProgress(out, 200);
  progress.read(50);
  progress.end();
  expect(written).toHaveLength(2);
  expect(written[0]).toContain('██████░░░░░░░░░░░░░░░░░░ 25% read');
  expect(written[0]?.replace('\r\x1b[2K', '').length).toBeLessThan(40);
  expect(written[1]).toBe('\r\x1b[2K');
});

test('progress redraws are throttled, and omitted without a terminal', () => {
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
