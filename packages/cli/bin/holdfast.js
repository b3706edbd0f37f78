#!/usr/bin/env node
// Not built: it must exist when npm links it, and run on the old Node versions that it refuses.
import { existsSync } from 'node:fs';
import { oldNode } from './node-version.js';

/** In a checkout of the repository, what starts the program without a build and on any Node; an installed package has none. */
const checkout = new URL('../../../scripts/from-checkout.js', import.meta.url);
const built = new URL('../dist/bin.js', import.meta.url);
const why = oldNode();
const isSource = process.execArgv.includes('--conditions=@holdfast/source');

if (why === undefined && isSource) {
  await import(new URL('../src/bin.ts', import.meta.url).href);
} else if (why === undefined && existsSync(built)) {
  await import(built.href);
} else if (existsSync(checkout)) {
  const { startFromCheckout } = await import(checkout.href);
  startFromCheckout(existsSync(built), why, refuse);
} else {
  refuse(why ?? 'holdfast: its program is missing: install it again with `npm install -g @holdfast/cli`');
}

function refuse(text) {
  process.stderr.write(`${text}\n`);
  process.exitCode = 2;
}
