// Starts `holdfast` in a checkout as it is after `npm ci`: with the Node that the repository brings if this one is too old, and
// from its sources if it is not built. Plain, because it must run on old Node versions.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const INSPECTOR = join(ROOT, 'packages/inspector');
const isWindows = process.platform === 'win32';
const NODE = `${ROOT}node_modules/node-${isWindows ? 'win' : process.platform}-${process.arch}/bin/node${isWindows ? '.exe' : ''}`;

/** Starts this program again, so that it can run. `why`: what is wrong with this Node, if something is. */
export function startFromCheckout(isBuilt, why, refuse) {
  const node = existsSync(NODE) ? NODE : process.execPath;
  if (!existsSync(join(ROOT, 'node_modules'))) return refuse(`holdfast: run \`npm ci\` in ${ROOT} first`);
  if (why !== undefined && node === process.execPath) return refuse(why);
  if (!isBuilt) buildPage(node);
  const flags = isBuilt ? [] : ['--conditions=@holdfast/source'];
  const child = spawn(node, [...flags, ...process.argv.slice(1)], { stdio: 'inherit' });
  // The terminal sends Ctrl-C to both.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => refuse(`holdfast: cannot start ${node} (${error.code}): run \`npm ci\` in ${ROOT}`));
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}

/** Bundles the page of the inspector, if its sources are newer. */
function buildPage(node) {
  const page = join(INSPECTOR, 'dist/app/app.js');
  const built = existsSync(page) ? statSync(page).mtimeMs : 0;
  const sources = ['app', 'src'].flatMap((folder) => filesIn(join(INSPECTOR, folder)));
  if (sources.some((file) => statSync(file).mtimeMs > built))
    spawnSync(node, [join(ROOT, 'scripts/build-app.ts')], { stdio: ['ignore', 'ignore', 'inherit'] });
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}
