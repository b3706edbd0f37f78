import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const HOOK = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
const ours = new Set();
registerHooks({ load: (url, context, next) => {
  const [, path] = /[/](packages[/][^/]+[/](?:src|bin)[/].*)/.exec(url) ?? [];
  if (path !== undefined) ours.add(path);
  return next(url, context);
} });
process.on('exit', () => process.stderr.write('\\n' + JSON.stringify([...ours])));
`)}`;

/** The source files of ours that the command loads, run from its sources: bundles would hide how many they hold. */
export function modulesOf(args: readonly string[]): readonly string[] {
  const command = join(ROOT, 'packages/cli/bin/holdfast.js');
  const flags = ['--conditions=@holdfast/source', '--import', HOOK, command];
  const { stderr } = spawnSync(process.execPath, [...flags, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  return JSON.parse(stderr.slice(stderr.lastIndexOf('\n') + 1)) as string[];
}
