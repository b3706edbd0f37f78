import { expect, test } from 'vitest';
import { handlePart } from '../quoting/quote.ts';
import { fileName, isSamePath, Ledger } from './ledger.ts';
import { fileLines } from './render-note.ts';

const place = (at: number) => handlePart(at, []);

test('a file is listed with its latest whole read and the changes since, three handles to a line', () => {
  const ledger = new Ledger([]);
  ledger.read('/repo/src/a.ts', 3, 0, 200);
  ledger.change('src/a.ts', 5);
  ledger.read('src/a.ts', 8, 0, 210);
  for (const at of [9, 11, 13]) ledger.change('/repo/src/a.ts', at);
  ledger.read('lib/a.ts', 4, 10, 20);
  const lines = ledger.finish().flatMap((file) => fileLines(file, place).map(({ text }) => text));
  expect(lines).toEqual([
    '"/repo/src/a.ts": changed m13, m11; read m8',
    '"a.ts": changed m9',
    '"lib/a.ts": read m4 (lines 10-20)',
  ]);
});

test('a read that shows nothing new does not hide an older one', () => {
  const ledger = new Ledger([]);
  ledger.read('a.ts', 3, 0, 200);
  ledger.read('a.ts', 5, 0, 1);
  ledger.read('a.ts', 7, 50, 60);
  expect(ledger.finish()).toMatchObject([
    {
      reads: [
        [7, 50, 60],
        [5, 0, 1],
        [3, 0, 200],
      ],
    },
  ]);
});

test('a path of Windows names the same file as its end with slashes', () => {
  expect(isSamePath('C:\\repo\\src\\a.ts', 'src/a.ts')).toBe(true);
  expect(isSamePath('C:\\repo\\src\\a.ts', 'a.ts')).toBe(true);
  expect(isSamePath('C:\\repo\\lib\\a.ts', 'src/a.ts')).toBe(false);
  expect(isSamePath('C:\\repo\\src\\a.ts', '/c/repo/src/a.ts')).toBe(true);
  expect(isSamePath('/mnt/c/repo/src/a.ts', 'c:/repo/src/a.ts')).toBe(true);
  expect(isSamePath('C:\\repo\\src\\a.ts', 'D:\\repo\\src\\a.ts')).toBe(false);
  expect(isSamePath('/repo/src/a.ts', './src/a.ts')).toBe(true);
  expect(fileName('C:\\repo\\src\\a.ts')).toBe('a.ts');
});

test('a file is listed by its longest path, which can be used from any folder', () => {
  const ledger = new Ledger([]);
  ledger.read('/repo/src/a.ts', 3, 0, 200);
  ledger.change('a.ts', 5);
  expect(ledger.finish().map(({ path }) => path)).toEqual(['/repo/src/a.ts']);
});
