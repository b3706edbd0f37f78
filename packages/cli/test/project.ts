import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The command from its sources, so that tests need no build. */
export const HOLDFAST: readonly string[] = [
  '--conditions=@holdfast/source',
  '--disable-warning=ExperimentalWarning',
  fileURLToPath(new URL('../src/bin.ts', import.meta.url)),
];

/** A folder to run tasks in, with a state folder beside it; both go when the test does. */
export interface Project {
  readonly workspace: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  write(path: string, text: string): void;
  /** Runs the command there, without a terminal. */
  holdfast(...args: readonly string[]): Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Sources whose lines differ, a task and rules. */
export const FILES: Readonly<Record<string, string>> = {
  'AGENTS.md': '# Rules\n\nRule 7: never delete a line.\n',
  'TASK.md': '# TASK: Tidy the sources\n\n## Goal\nImprove the sources.\n\n## Scope\n### Allowed\n- src/**\n',
  ...Object.fromEntries(
    Array.from({ length: 10 }, (_, file) => [
      `src/part-${file}.ts`,
      Array.from({ length: 60 }, (_, line) => `export const value_${file}_${line} = ${file * line};`).join('\n'),
    ]),
  ),
};

export function project(files: Readonly<Record<string, string>> = FILES): Project {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const workspace = join(folder, 'project');
  const home = join(folder, 'home');
  const { ANTHROPIC_API_KEY: _, OPENAI_API_KEY: __, FORCE_COLOR: ___, ...rest } = process.env;
  const env = { ...rest, HOLDFAST_HOME: home, ANTHROPIC_API_KEY: 'sk-not-a-key' };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  };
  mkdirSync(workspace);
  for (const [path, text] of Object.entries(files)) write(path, text);
  return { workspace, home, env, write, holdfast: (...args) => ended(args, workspace, env) };
}

async function ended(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const child = spawn(process.execPath, [...HOLDFAST, ...args], { cwd, env });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes) => {
    stdout += String(bytes);
  });
  child.stderr.on('data', (bytes) => {
    stderr += String(bytes);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}
