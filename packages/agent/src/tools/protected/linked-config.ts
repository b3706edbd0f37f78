import { join } from 'node:path';
import { attempt } from '../../attempt.ts';
import { CONFIG_NAMES, isConfigName } from '../../config/files.ts';
import type { Root } from '../files/folder.ts';
import { folded } from '../files/path-rules.ts';
import { walk } from '../files/walk.ts';
import { entriesBelow } from '../search/tree.ts';
import { pathsInside } from './protected-files.ts';

/** Files that are configuration by a symlink: `sub/settings/config.yml` if `sub/.ai` leads to `sub/settings`. */
export interface LinkedConfig {
  /** Looks for such symlinks in the workspace, as it is now. */
  look(): void;
  /** True for a file that one of them leads to, and for a symlink that could make others configuration. */
  has(path: string): boolean;
}

/** The folder in some of the names. */
const FOLDER = '.ai';
const IN_FOLDER = CONFIG_NAMES.filter((name) => name.startsWith(`${FOLDER}/`)).map((name) =>
  name.slice(FOLDER.length + 1),
);

/** `most`: entries of the workspace to look at. */
export function linkedConfig(root: Root, ignored: readonly string[], most: number): LinkedConfig {
  let known: ReadonlySet<string> = new Set();
  return {
    look() {
      const found = attempt(() => walk(root, [], ({ folder }) => targets(root, entriesBelow(folder, ignored), most)));
      known = new Set(found?.map(folded));
    },
    has(path) {
      const plain = folded(path);
      return known.has(plain) || isFolderName(plain);
    },
  };
}

/** Where the symlinks among these entries lead, relative to the workspace. */
function targets(root: Root, entries: ReturnType<typeof entriesBelow>, most: number): string[] {
  const found: string[] = [];
  let count = 0;
  for (const { path, kind } of entries) {
    if (++count > most) break;
    if (kind !== 'symlink') continue;
    if (isConfigName(path)) found.push(...pathsInside(root.path, [path]));
    if (isFolderName(folded(path)))
      found.push(
        ...pathsInside(
          root.path,
          IN_FOLDER.map((name) => join(path, name)),
        ),
      );
  }
  return found;
}

function isFolderName(plain: string): boolean {
  return plain === FOLDER || plain.endsWith(`/${FOLDER}`);
}
