import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives a test run its own temporary folder, for all workers and the programs they start, and removes it at the end. */
export default function setUp(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-tests-'));
  // Like the system's: some tests start programs as another user.
  chmodSync(folder, 0o1777);
  // The first is read on Unix, the others on Windows.
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
