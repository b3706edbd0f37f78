import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isHoldfastError } from 'holdfast';
import { type LoadOptions, loadConfig } from '../../src/config/load-config.ts';

/** A new folder with these files. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-config-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** What a `holdfast.yml` gives. */
export function load(text: string | Uint8Array, options: Partial<LoadOptions> = {}, name = 'holdfast.yml') {
  return loadConfig({ cwd: folderWith({ [name]: text }), ...options });
}

/** The lines of the error that a file gives. */
export function problems(
  text: string | Uint8Array,
  options: Partial<LoadOptions> = {},
  name = 'holdfast.yml',
): string[] {
  try {
    load(text, options, name);
  } catch (error) {
    if (!isHoldfastError(error) || error.code !== 'BAD_CONFIG') throw error;
    return error.message.split('\n');
  }
  return [];
}
