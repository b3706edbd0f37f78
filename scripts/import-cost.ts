// Compares the CPU time of `import 'holdfast'` in this build and in another: `npm run import-cost -- <other built checkout>`.
// The builds take turns in processes of their own; the least of each counts. Exit code 1 if this one needs more than half.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const RUNS = 20;
const MOST = 0.5;
const [other] = process.argv.slice(2);
if (other === undefined) {
  console.error('import-cost: give another built checkout');
  process.exit(2);
}

/** The root entry of a checkout's engine, as its package declares it. */
function entryOf(checkout: string): string {
  const folder = join(resolve(checkout), 'packages/engine');
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return pathToFileURL(join(folder, exports['.'].default)).href;
}

/** Milliseconds of CPU that a new process spends on the import. */
function costOf(entry: string): number {
  const code = `const before = process.cpuUsage();
    await import(${JSON.stringify(entry)});
    const { user, system } = process.cpuUsage(before);
    console.log((user + system) / 1_000);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return Number(stdout);
}

const [ours, theirs] = [entryOf(dirname(import.meta.dirname)), entryOf(other)];
const least = { ours: Number.POSITIVE_INFINITY, theirs: Number.POSITIVE_INFINITY };
for (let run = 0; run < RUNS; run++) {
  least.theirs = Math.min(least.theirs, costOf(theirs));
  least.ours = Math.min(least.ours, costOf(ours));
}
const ratio = least.ours / least.theirs;
console.log(
  `other: ${least.theirs.toFixed(1)} ms, this: ${least.ours.toFixed(1)} ms, ratio ${ratio.toFixed(2)} of ${MOST}`,
);
process.exitCode = ratio <= MOST ? 0 : 1;
