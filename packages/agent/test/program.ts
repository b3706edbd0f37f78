import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own, and an executable program in it that runs this JavaScript (`say` writes an event, `line` bytes). */
export function writeProgram(script: string): { readonly folder: string; readonly program: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-cli-')));
  const program = join(folder, 'program');
  const head = `#!${process.execPath}
const { writeFileSync, readFileSync } = require('node:fs');
const { spawn } = require('node:child_process');
const { join } = require('node:path');
const folder = __dirname;
const line = (text) => writeFileSync(1, text);
const say = (event) => line(JSON.stringify(event) + '\\n');
const input = () => readFileSync(0, 'utf8');
writeFileSync(join(folder, 'ran.json'), JSON.stringify({ args: process.argv.slice(2), pid: process.pid, cwd: process.cwd() }));
`;
  writeFileSync(program, head + script);
  chmodSync(program, 0o755);
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
  return { folder, program };
}

/** What the program noted when it was started; undefined if it never was. */
export function ranWith(folder: string): { args: string[]; pid: number; cwd: string } | undefined {
  const file = join(folder, 'ran.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** Whether a process still runs; one that has ended and waits for its parent does not. */
export function isRunning(pid: number): boolean {
  try {
    if (process.platform !== 'linux') return process.kill(pid, 0);
    const [, state] = /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return state !== 'Z';
  } catch {
    return false;
  }
}
