import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * Creates a folder as if a user had installed our packages: each packed by npm, with links to their dependencies and to
 * nothing else, so that no network is needed. Returns every entry point.
 */
export function makeConsumer(folder: string): string[] {
  const modules = join(folder, 'node_modules');
  const entries: string[] = [];
  const linked = new Set<string>();
  mkdirSync(modules, { recursive: true });
  for (const path of globSync('packages/*/package.json', { cwd: ROOT }).toSorted()) {
    const from = join(ROOT, dirname(path));
    const { name, exports = {} } = manifestAt(from);
    linked.add(name);
    unpack(from, join(modules, name));
    for (const key of Object.keys(exports)) if (key !== './package.json') entries.push(join(name, key));
  }
  for (const name of [...linked]) link(join(modules, name), modules, linked);
  return entries;
}

/** Packs with npm, running its scripts, and unpacks where npm would install it. */
function unpack(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const out = execFileSync('npm', ['pack', '--json', '--pack-destination', to], { cwd: from, encoding: 'utf8' });
  const [packed] = JSON.parse(out.slice(out.indexOf('['))) as { readonly filename: string }[];
  execFileSync('tar', ['-xzf', join(to, packed?.filename ?? ''), '-C', to, '--strip-components=1']);
}

/** Links the dependencies of a package, and theirs in turn. */
function link(from: string, modules: string, linked: Set<string>): void {
  const { dependencies, peerDependencies, optionalDependencies } = manifestAt(from);
  for (const name of Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })) {
    const installed = join(ROOT, 'node_modules', name);
    if (linked.has(name) || !existsSync(installed)) continue;
    linked.add(name);
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(installed, join(modules, name), 'junction');
    link(installed, modules, linked);
  }
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
