import { dirname, join } from 'node:path';
import { folded } from '../tools/files/path-rules.ts';

/** The names of a configuration in a folder; the first that exists wins. This list is their only owner. */
export const CONFIG_NAMES: readonly string[] = ['holdfast.yml', 'holdfast.yaml', '.ai/config.yml', '.ai/config.yaml'];

/** Whether a path, with `/` between its parts, names a configuration in any folder and in any spelling. Pure. */
export function isConfigName(path: string): boolean {
  const plain = `/${folded(path)}`;
  return CONFIG_NAMES.some((name) => plain.endsWith(`/${name}`));
}

/** Every place where a run in this folder, or in one below it, could find a configuration: here and in all parents. Pure. */
export function configPlaces(folder: string): string[] {
  const parent = dirname(folder);
  const here = CONFIG_NAMES.map((name) => join(folder, name));
  return parent === folder ? here : [...here, ...configPlaces(parent)];
}
