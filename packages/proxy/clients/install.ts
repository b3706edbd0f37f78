import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Client } from './client.ts';

const LIMIT = 10 * 60_000;

/** Where clients are installed and run: Holdfast's folder in the user's cache. */
export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'holdfast');
}

/**
 * Installs a client from npm unless it is installed, and returns the path of its command. Several processes may install the
 * same client: a folder appears under its final name only when it is complete. Rejects with npm's last words.
 */
export async function installClient(
  { name, package: pack, version, bin }: Pick<Client, 'name' | 'package' | 'version' | 'bin'>,
  report: (line: string) => void = console.error,
): Promise<string> {
  const parent = join(cacheFolder(), 'clients');
  const folder = join(parent, `${name}@${version}`);
  const command = join(folder, 'node_modules', '.bin', bin);
  if (existsSync(command)) return command;
  report(`installing ${pack}@${version} into ${folder} …`);
  await mkdir(parent, { recursive: true });
  const temporary = await mkdtemp(join(parent, '.installing-'));
  try {
    // Some clients put their program in place in an install script, which npm runs only where it is allowed.
    const manifest = { private: true, dependencies: { [pack]: version }, allowScripts: { [pack]: true } };
    await writeFile(join(temporary, 'package.json'), JSON.stringify(manifest));
    await npmInstall(temporary);
    if (!existsSync(join(temporary, 'node_modules', '.bin', bin)))
      throw new Error(`${pack}@${version} has no command "${bin}": correct bin in packages/proxy/clients/${name}.ts`);
    await rename(temporary, folder).catch((error: unknown) => {
      if (!existsSync(command)) throw error; // otherwise another process was faster
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  report(`installed ${pack}@${version}`);
  return command;
}

function npmInstall(folder: string): Promise<void> {
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  return new Promise((resolve, reject) => {
    const npm = spawn('npm', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT });
    let output = '';
    for (const stream of [npm.stdout, npm.stderr])
      stream.on('data', (chunk: Buffer) => {
        output = `${output}${chunk}`.slice(-4_000);
      });
    npm.on('error', reject);
    npm.on('close', (code) => {
      if (code === 0) return resolve();
      const advice = 'check the connection to the npm registry, and the version in packages/proxy/clients';
      reject(new Error(`npm ${args.join(' ')} ended with ${code}: ${advice}\n${output.trim()}`));
    });
  });
}
