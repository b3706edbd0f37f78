// Counts what a reader has to walk through: `npm run walk`, or `npm run walk -- --files` to list the files as well.
//
// The packages' sources are bundled with a call at the start of every function (walk/instrument.ts). A walk is what is
// entered between its start and its end: the distinct source files in which a function was entered, and the hops, which
// are the entries into another file than the one entered before. A module's top level is no function, so how files are
// bundled or loaded changes nothing. `fit()` and the proxied request are counted in a conversation under way, one call
// each (walk/scenes.ts); `chat -p`, which reads one file, and `--help` from start to end of their process.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createStandIn, toolLoop } from '@holdfast/stand-in';
import { build } from 'esbuild';
import { BANNER, instrumentSources } from './walk/instrument.ts';
import { modulesOf } from './walk/modules-of.ts';

const ROOT = dirname(import.meta.dirname);
const folder = mkdtempSync(join(tmpdir(), 'holdfast-walk-'));
const listsFiles = process.argv.includes('--files');

async function bundle(): Promise<void> {
  await build({
    entryPoints: { bin: join(ROOT, 'packages/cli/src/bin.ts'), scenes: join(ROOT, 'scripts/walk/scenes.ts') },
    outdir: join(folder, 'dist'),
    plugins: [instrumentSources(ROOT)],
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@holdfast/source'],
    external: ['pg', 'react-devtools-core'],
    banner: {
      js: `import { createRequire as requireOf$ } from 'node:module'; const require = requireOf$(import.meta.url);${BANNER}`,
    },
    logLevel: 'error',
  });
  writeFileSync(join(folder, 'package.json'), readFileSync(join(ROOT, 'packages/cli/package.json')));
}

/** Runs a program in an empty folder with a home of its own; returns what it printed. */
function runIn(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const place = mkdtempSync(join(folder, 'place-'));
  const [cwd, home] = [join(place, 'project'), join(place, 'home')];
  for (const made of [cwd, home]) mkdirSync(made);
  writeFileSync(join(cwd, 'README.md'), '# A project\n');
  const { PATH } = process.env;
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH, HOME: home, HOLDFAST_HOME: join(home, 'holdfast'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  child.stderr.on('data', (chunk) => {
    text += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('close', (code) =>
      code === 0 ? resolve(text) : reject(new Error(`${args.join(' ')}: ${code}\n${text}`)),
    );
  });
}

async function walk(
  name: string,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const to = join(folder, 'walk.json');
  await runIn([join(folder, 'dist', program), ...args], { ...env, HOLDFAST_WALK: to });
  const { hops, files } = JSON.parse(readFileSync(to, 'utf8')) as { hops: number; files: string[] };
  console.log(`${name.padEnd(38)}${String(files.length).padStart(6)}${hops.toLocaleString('en').padStart(9)}`);
  if (listsFiles) for (const file of files) console.log(`  ${file}`);
}

try {
  await bundle();
  console.log(`at ${execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' })}`);
  console.log(`${'walk'.padEnd(38)}${'files'.padStart(6)}${'hops'.padStart(9)}`);
  await walk('fit()', 'scenes.js', ['fit']);
  await walk('fit() that folds', 'scenes.js', ['fit-fold']);
  await walk('proxied request', 'scenes.js', ['proxied']);
  await walk('proxied request that is folded', 'scenes.js', ['proxied-fold']);
  const script = toolLoop({ calls: 1, command: () => ({ name: 'read_file', input: { path: 'README.md' } }) });
  const standIn = await createStandIn({ script });
  const flags = ['--provider', 'anthropic-api', '--model', 'claude-sonnet-5', '--base-url', standIn.url];
  await walk('chat -p with a tool call', 'bin.js', ['chat', ...flags, '-p', 'Read it.'], { ANTHROPIC_API_KEY: 'none' });
  await standIn.close();
  await walk('holdfast --help', 'bin.js', ['--help']);
  console.log(`modules that holdfast --help loads: ${modulesOf(['--help']).length}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
