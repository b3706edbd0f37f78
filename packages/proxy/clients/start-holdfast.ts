import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ProxyEvent } from '../src/index.ts';
import type { StartProxy } from './open-run.ts';

/** The `holdfast` command, from source. */
export const COMMAND: readonly [string, ...string[]] = [
  process.execPath,
  '--conditions=@holdfast/source',
  fileURLToPath(new URL('../../cli/src/bin.ts', import.meta.url)),
];

/**
 * Starts `holdfast proxy` as a process of its own, as a user does, and puts the command on the path of the clients' shells.
 * Closing kills it.
 */
export function startHoldfast(budget: number): StartProxy {
  return async (upstream, home) => {
    await writeCommand(home);
    const upstreams = ['--anthropic', upstream, '--openai', upstream];
    const [node = '', ...args] = [...COMMAND, 'proxy', '--port', '0', '--json', '--budget', `${budget}`, ...upstreams];
    const PATH = [join(home, 'bin'), process.env.PATH ?? ''].join(delimiter);
    const child = spawn(node, args, { env: { HOME: home, PATH }, stdio: ['ignore', 'pipe', 'inherit'] });
    const events: ProxyEvent[] = [];
    const url = await new Promise<string>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code) => reject(new Error(`holdfast proxy ended with ${code}`)));
      createInterface(child.stdout).on('line', (line) => {
        const event = JSON.parse(line) as ProxyEvent | { readonly type: 'proxy-start'; readonly url: string };
        if (event.type === 'proxy-start') resolve(event.url);
        else events.push(event);
      });
    });
    return {
      url,
      events,
      async close() {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill('SIGKILL');
        await once(child, 'exit');
      },
    };
  };
}

/** Login shells set their own path, so they get the command from a profile. */
async function writeCommand(home: string): Promise<void> {
  const file = join(home, 'bin', 'holdfast');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\nexec ${COMMAND.map((word) => `'${word}'`).join(' ')} "$@"\n`);
  await chmod(file, 0o755);
  await writeFile(join(home, '.profile'), `PATH='${dirname(file)}':"$PATH"\n`);
}
