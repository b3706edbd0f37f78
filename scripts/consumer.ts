import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * Creates a folder as if a user had installed these packages, by default all of ours: ours packed by npm, with links to
 * their dependencies and to nothing else, so that no network is needed. `packed`: another such folder, with ours packed
 * already. Returns every entry point of ours.
 */
export function makeConsumer(folder: string, installed?: readonly string[], packed?: string): string[] {
  const modules = join(folder, 'node_modules');
  const entries: string[] = [];
  const linked = new Set<string>();
  mkdirSync(modules, { recursive: true });
  const paths = globSync('packages/*/package.json', { cwd: ROOT }).map((path) => join(ROOT, dirname(path)));
  const ours = new Map(paths.toSorted().map((path) => [manifestAt(path).name, path]));
  const install = (name: string) => {
    if (linked.has(name)) return;
    linked.add(name);
    const own = ours.get(name);
    const to = join(modules, name);
    if (own) {
      if (packed === undefined) unpack(own, to);
      else cpSync(join(packed, 'node_modules', name), to, { recursive: true });
      const keys = Object.keys(manifestAt(own).exports ?? {});
      entries.push(...keys.filter((key) => key !== './package.json').map((key) => join(name, key)));
    } else {
      const from = join(ROOT, 'node_modules', name);
      if (!existsSync(from)) return;
      mkdirSync(dirname(to), { recursive: true });
      symlinkSync(from, to, 'junction');
    }
    for (const needed of neededBy(manifestAt(to))) install(needed);
  };
  for (const name of installed ?? ours.keys()) install(name);
  return entries;
}

/** What npm installs with a package. */
function neededBy(manifest: Manifest): string[] {
  const { dependencies, peerDependencies, peerDependenciesMeta, optionalDependencies } = manifest;
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/** Packs with npm, running its scripts, and unpacks where npm would install it. */
function unpack(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const out = execFileSync('npm', ['pack', '--json', '--pack-destination', to], { cwd: from, encoding: 'utf8' });
  const [packed] = JSON.parse(out.slice(out.indexOf('['))) as { readonly filename: string }[];
  execFileSync('tar', ['-xzf', join(to, packed?.filename ?? ''), '-C', to, '--strip-components=1']);
}

function manifestAt(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Compiles imports of all entries under the strictest options. Returns the compiler's output, empty on success. */
export function compile(
  folder: string,
  entries: readonly string[],
  options: Readonly<Record<string, unknown>>,
): string {
  const lines = entries.map((entry, i) => `import * as entry${i} from '${entry}';\nexport { entry${i} };`);
  writeFileSync(join(folder, 'consumer.mts'), `${lines.join('\n')}\n`);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2024',
    preserveSymlinks: true,
    ...options,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.mts'] }));
  try {
    return execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
