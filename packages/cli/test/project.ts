import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { BIN, COMPILE_CACHE, type Ended, folderWith, runCommand, VOUCHED } from './holdfast.ts';

/** The command from its sources, so that tests need no build. */
export const HOLDFAST: readonly string[] = ['--disable-warning=ExperimentalWarning', BIN];

/** A folder to run tasks in, and a state folder next to it; both are removed after the test. */
export interface Project {
  readonly workspace: string;
  readonly home: string;
  readonly env: Record<string, string>;
  write(path: string, text: string): void;
  /** Runs a command there, without a terminal. */
  holdfast(...args: readonly string[]): Promise<Ended>;
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

/** `atEnd`: gets what removes the folders. Default: after the test. */
export function project(
  files: Readonly<Record<string, string>> = FILES,
  atEnd: (remove: () => void) => void = onTestFinished,
): Project {
  const folder = folderWith();
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const workspace = join(folder, 'project');
  const home = join(folder, 'home');
  const env = {
    ...COMPILE_CACHE,
    ...VOUCHED,
    PATH: process.env.PATH ?? '',
    HOME: folder,
    HOLDFAST_HOME: home,
    ANTHROPIC_API_KEY: 'sk-not-a-key',
  };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  };
  mkdirSync(workspace);
  for (const [path, text] of Object.entries(files)) write(path, text);
  return {
    workspace,
    home,
    env,
    write,
    holdfast: (...args) => runCommand(args, { cwd: workspace, env }),
  };
}
