import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { HoldfastError } from 'holdfast';
import { stateFolder, userFolder } from '../../config/files.ts';
import { isInside } from '../../executor/inside.ts';
import { realPath } from '../files/real-path.ts';

/** Where well-known programs keep keys and tokens, relative to the home folder. They must not reach a model. */
const CREDENTIALS: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.git-credentials',
  '.docker/config.json',
  '.cargo/credentials.toml',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.config/gh',
  '.config/gcloud',
];

/** What file tools may not reach: our own folder, credentials, `more`. Throws BAD_CONFIG for a workspace inside it. */
export function unreachablePaths(root: string, more: readonly string[]): string[] {
  const own = [stateFolder(process.env, process.cwd()), userFolder(process.env)];
  const home = process.env.HOME || homedir();
  const paths = [...own, ...CREDENTIALS.map((name) => join(home, name)), ...more].map((path) => resolve(root, path));
  const around = paths.find((path) => isInside(root, path));
  if (around !== undefined) {
    const text = `workspace ${root} is inside ${around}, which tools may not reach; choose a project folder`;
    throw new HoldfastError('BAD_CONFIG', text);
  }
  return [...new Set(paths.flatMap((path) => [path, realPath(path)]))];
}
