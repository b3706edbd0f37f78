import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The command that opens a page in the user's browser. Pure. */
function opener(platform: NodeJS.Platform): readonly [command: string, ...args: string[]] {
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['cmd', '/c', 'start', '""'] : ['xdg-open'];
}

/**
 * Opens an address in the user's browser, through a file that only the user can read: other users of the machine can see the
 * arguments of commands, and the address has a token. Returns what removes the file. Does nothing if there is no browser.
 */
export function openPage(address: string): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-ui-'));
  const file = join(folder, 'open.html');
  // The address consists of digits, letters and a few marks, none of which needs an escape.
  const html = `<!doctype html><meta charset="utf-8"><title>Holdfast</title><meta http-equiv="refresh" content="0; url=${address}">`;
  writeFileSync(file, html, { mode: 0o600 });
  const [command, ...args] = opener(process.platform);
  const child = spawn(command, [...args, pathToFileURL(file).href], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
  return () => rmSync(folder, { recursive: true, force: true });
}
