#!/usr/bin/env node
// Not built: it must exist when npm links it, and run on the old Node versions that it refuses.
import { existsSync } from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);
const program = new URL('../dist/bin.js', import.meta.url);

if (major < 22 || (major === 22 && minor < 16)) {
  refuse(
    `needs Node 22.16 or newer, but this is ${process.versions.node} (${process.execPath}): install a newer version`,
  );
} else if (!existsSync(program)) {
  refuse('is not built: run `npm run build` in its repository');
} else {
  await import(program.href);
}

function refuse(why) {
  process.stderr.write(`holdfast: ${why}\n`);
  process.exitCode = 2;
}
