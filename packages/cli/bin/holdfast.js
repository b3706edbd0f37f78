#!/usr/bin/env node
// Not built: it must exist when npm links it, and run on the old Node versions that it refuses.
import { existsSync } from 'node:fs';
import { oldNode } from './node-version.js';

const program = new URL('../dist/bin.js', import.meta.url);
const why = oldNode();

if (why !== undefined) {
  refuse(why);
} else if (!existsSync(program)) {
  refuse('holdfast: is not built: run `npm run build` in its repository');
} else {
  await import(program.href);
}

function refuse(text) {
  process.stderr.write(`${text}\n`);
  process.exitCode = 2;
}
