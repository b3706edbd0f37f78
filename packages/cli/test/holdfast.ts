import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { COMPILE_CACHE, programOf } from '../../../scripts/test-programs.ts';
import { type Context, wantsColour } from '../src/context.ts';
import { EXIT } from '../src/exit-codes.ts';
import { createColours } from '../src/view/colours.ts';
import { printable } from '../src/view/guard-output.ts';
import { harmless } from '../src/view/harmless.ts';

export { COMPILE_CACHE };

/** The program's first file, bundled from its sources. */
export const BIN: string = programOf('bin');

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and how it is started. */
export interface Start {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  /** Its standard input. Default: empty. */
  readonly input?: string;
}

/** A new folder with these files; those that end with `.sh` can be run. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
    if (name.endsWith('.sh')) chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

/** Tests write their folders themselves, and vouch for them as a person in a script would; `HOLDFAST_TRUST: ''` is a stranger's. */
export const VOUCHED = { HOLDFAST_TRUST: '1' } as const;

/** Runs a command, with no variable of this process but the PATH, and a home of its own. */
export function holdfast(args: readonly string[], start: Start = { cwd: folderWith() }): Promise<Ended> {
  const env = { ...COMPILE_CACHE, ...VOUCHED, PATH: process.env.PATH ?? '', HOME: `${start.cwd}-home`, ...start.env };
  return runCommand(args, { ...start, env });
}

/** Commands that know nothing of their process but what is in their context. */
const IN_CONTEXT = ['config', 'doctor', 'init', 'recall', 'sessions', 'trust'];

/**
 * Runs a command to its end: in this process where that makes no difference, because a new one takes ten times as long. The
 * program itself is started for the other commands, and for each in terminal-controls.test.ts.
 */
export async function runCommand(args: readonly string[], start: Required<Pick<Start, 'env'>> & Start): Promise<Ended> {
  if (!IN_CONTEXT.includes(args[0] ?? '') || start.uid !== undefined || start.input !== undefined)
    return run(process.execPath, [BIN, ...args], start);
  const { main } = await import('../src/program.ts');
  let [stdout, stderr, code]: [string, string, number] = ['', '', EXIT.done];
  const colours = wantsColour(start.env, false);
  const context: Context = {
    cwd: start.cwd,
    env: start.env,
    paint: createColours(colours),
    print: (text) => {
      stdout += printable(text.endsWith('\n') ? text : `${text}\n`, colours);
    },
    say: (sentence) => {
      stdout += `${printable(sentence, colours)}\n`;
    },
    printExactly: (text) => {
      stdout += text;
    },
    tell: (line) => {
      stderr += `holdfast: ${harmless(line)}\n`;
    },
    end: (ending) => {
      code = ending;
    },
    code: () => code,
    onOutputClosed: () => {},
  };
  return { code: await main(args, context), stdout, stderr };
}

/** Runs any program to its end. */
export function run(program: string, args: readonly string[], { cwd, env = {}, uid, input }: Start): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...(uid ? { uid, gid: uid } : {}),
    });
    let [stdout, stderr] = ['', ''];
    child.stdin?.on('error', () => {}).end(input);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
