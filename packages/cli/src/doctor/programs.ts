import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { type HoldfastConfig, providerOf } from '@holdfast/agent/config';
import type { Context } from '../context.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const PATIENCE_MS = 10_000;

/** Checks the programs that the configuration starts: the provider's, with its version, and MCP servers. */
export async function examinePrograms(config: HoldfastConfig, context: Context): Promise<Finding[]> {
  const known = providerOf(config.provider.type)?.program;
  const own = known ? [await examineProgram(config.provider.program ?? known.name, known.install, context)] : [];
  const servers = Object.entries(config.mcp_servers).flatMap(([name, server]): Finding[] => {
    if (!('command' in server)) return [];
    const about = `mcp server ${name}`;
    const path = findProgram(server.command, context);
    if (path !== undefined) return [ok(about, path)];
    const advice = `install it, or correct mcp_servers.${name}.command (\`holdfast config\` shows it); until then, tasks run without its tools`;
    return [warning(about, `${server.command} was not found`, advice)];
  });
  return [...own, ...servers];
}

async function examineProgram(program: string, install: string, context: Context): Promise<Finding> {
  const path = findProgram(program, context);
  const about = 'program';
  if (path === undefined) return problem(about, `${program} is not on the PATH`, `${install}, or set provider.program`);
  const said = await versionOf(path, context);
  if (said !== undefined) return ok(about, `${path}, ${said}`);
  return problem(about, `${path} does not run`, `run \`${program} --version\` to see why`);
}

/** Finds an executable by its name on the PATH, or by its path. */
export function findProgram(program: string, { cwd, env }: Pick<Context, 'cwd' | 'env'>): string | undefined {
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
