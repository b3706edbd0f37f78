import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { HoldfastError } from 'holdfast';
import { stateFolder, userFolder } from '../../config/own-folder.ts';
import { isInside } from '../../executor/inside.ts';
import { realPath } from '../files/real-path.ts';

/** Where well-known programs keep keys and tokens, from the home folder. Whoever works there should not send them to a model. */
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

/**
 * The absolute paths of what no tool for files reaches: Holdfast's own folder, the user's credentials, and these. Throws BAD_CONFIG for a workspace that
 * lies in one of them.
 */
export function unreachablePaths(root: string, more: readonly string[]): string[] {
  const own = [stateFolder(process.env, process.cwd()), userFolder(process.env)];
  const home = process.env.HOME || homedir();
  const paths = [...own, ...CREDENTIALS.map((name) => join(home, name)), ...more].map((path) => resolve(root, path));
  const around = paths.find((path) => isInside(root, path));
  if (around !== undefined) {
    const text = `workspace ${root}: it lies in ${around}, which tools do not reach; name a folder of a project`;
    throw new HoldfastError('BAD_CONFIG', text);
  }
  return [...new Set(paths.flatMap((path) => [path, realPath(path)]))];
}
