import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { type HoldfastConfig, providerOf } from '@holdfast/agent/config';
import type { Context } from '../context.ts';
import type { Finding } from './examine.ts';

const PATIENCE_MS = 10_000;

/** Checks the programs that the configuration starts: the provider's, with its version, and MCP servers. */
export async function examinePrograms(config: HoldfastConfig, context: Context): Promise<Finding[]> {
  const known = providerOf(config.provider.type)?.program;
  const own = known ? [await examineProgram(config.provider.program ?? known.name, known.install, context)] : [];
  const servers = Object.entries(config.mcp_servers).flatMap(([name, server]): Finding[] => {
    if (!('command' in server)) return [];
    const about = `mcp server ${name}`;
    const path = findProgram(server.command, context);
    if (path !== undefined) return [{ about, status: 'ok', text: path }];
    const advice = `install it, or correct mcp_servers.${name}.command (\`holdfast config\` shows it); until then, tasks run without its tools`;
    return [{ about, status: 'warning', text: `${server.command} was not found`, advice }];
  });
  return [...own, ...servers];
}

async function examineProgram(program: string, install: string, context: Context): Promise<Finding> {
  const path = findProgram(program, context);
  if (path === undefined) {
    const advice = `${install}, or set provider.program`;
    return { about: 'program', status: 'problem', text: `${program} is not on the PATH`, advice };
  }
  const said = await versionOf(path, context);
  if (said === undefined) {
    const advice = `run \`${program} --version\` to see why`;
    return { about: 'program', status: 'problem', text: `${path} does not run`, advice };
  }
  return { about: 'program', status: 'ok', text: `${path}, ${said}` };
}

/** Finds an executable by its name on the PATH, or by its path. */
function findProgram(program: string, { cwd, env }: Pick<Context, 'cwd' | 'env'>): string | undefined {
  const folders = /[/\\]/.test(program) ? [''] : (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  const paths = folders.flatMap((folder) => endings.map((ending) => join(folder, program) + ending));
  return paths.map((path) => (isAbsolute(path) ? path : resolve(cwd, path))).find(mayRun);
}

function mayRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function versionOf(path: string, { cwd, env }: Context): Promise<string | undefined> {
  const options = { cwd, env: { ...env }, timeout: PATIENCE_MS, maxBuffer: 65_536, killSignal: 'SIGKILL' as const };
  return new Promise((done) => {
    const child = execFile(path, ['--version'], options, (error, stdout) => {
      const [first = ''] = stdout.trim().split('\n');
      done(error ? undefined : first.slice(0, 80) || 'version unknown');
    });
    child.stdin?.end();
  });
}
