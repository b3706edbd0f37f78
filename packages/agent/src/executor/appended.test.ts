import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileArchive } from './file-archive.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'holdfast-appended-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

test('an archive outlives its process, and half a line of a killed one is forgotten', () => {
  const path = join(folder(), 'archive.jsonl');
  const first = fileArchive(path);
  first.put([
    { handle: 'm1', message: { role: 'user', content: 'Zeile eins\u2028 und \ud83d\ude00' } },
    { handle: 'm2', message: [1, null, 'x'] },
  ]);
  first.close();
  appendFileSync(path, '{"handle":"m3","mess');
  const second = fileArchive(path);
  expect(second.get('m1')).toEqual({ role: 'user', content: 'Zeile eins\u2028 und \ud83d\ude00' });
  expect(second.get('m3')).toBeUndefined();
  second.put([{ handle: 'm3', message: 3 }]);
  second.put([{ handle: 'm3', message: 3 }]);
  expect(() => second.put([{ handle: 'm3', message: 4 }])).toThrow('another message as m3');
  second.close();
  const third = fileArchive(path);
  expect([third.get('m2'), third.get('m3')]).toEqual([[1, null, 'x'], 3]);
  third.close();
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(4);
  writeFileSync(path, 'no JSON\n');
  expect(() => fileArchive(path)).toThrow('is damaged');
});

const isRoot = process.getuid?.() === 0;

test.skipIf(!isRoot || process.platform !== 'linux')(
  'a disk that was full for a moment leaves the archive whole (needs root, to mount a small disk)',
  (context) => {
    const disk = folder();
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
    if (mounted.status !== 0) return context.skip('no disk can be mounted here');
    try {
      const archive = fileArchive(join(disk, 'archive.jsonl'));
      archive.put([{ handle: 'm1', message: 'one' }]);
      expect(() => archive.put([{ handle: 'm2', message: 'x'.repeat(400_000) }])).toThrow('ENOSPC');
      archive.put([{ handle: 'm3', message: 'three' }]);
      expect([archive.get('m1'), archive.get('m2'), archive.get('m3')]).toEqual(['one', undefined, 'three']);
      archive.close();
      const again = fileArchive(join(disk, 'archive.jsonl'));
      expect([again.get('m1'), again.get('m3')]).toEqual(['one', 'three']);
      again.close();
    } finally {
      spawnSync('umount', [disk]);
    }
  },
);
