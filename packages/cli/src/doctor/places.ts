import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isInside } from '@holdfast/agent/tools';
import type { Context } from '../context.ts';
import { homeOf } from '../home.ts';
import { shellWord } from '../view/clean.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Checks the folders that a task uses. */
export function examinePlaces(agents_file: string | undefined, context: Context): Finding[] {
  const { cwd } = context;
  const home = homeOf(context);
  return [
    writable('workspace', cwd, 'go to a folder you can write to: `cd ~/project`'),
    examineHome(home, cwd),
    examineRules(agents_file ?? 'AGENTS.md', cwd),
    examineRepository(cwd),
  ];
}

function examineRepository(cwd: string): Finding {
  const about = 'git';
  if (inRepository(cwd)) return ok(about, 'the workspace is in a repository');
  return warning(about, 'the workspace is not in a repository', '`git init` lets you review and undo changes');
}

/** A run refuses to keep its state where its tools could change it. */
function examineHome(home: string, cwd: string): Finding {
  const about = 'state folder';
  if (!isInside(home, cwd))
    return writable(about, home, 'choose a folder you can write to: `export HOLDFAST_HOME=/path/to/folder`');
  const text = `${home} is inside the workspace, where tools could change it`;
  return problem(about, text, 'choose one outside the workspace: `export HOLDFAST_HOME=~/.holdfast`');
}

/** The default file may be missing; one that the configuration names must exist. */
function examineRules(agents_file: string, cwd: string): Finding {
  const about = 'rules';
  const path = [agents_file, join('.ai', agents_file)].find((one) => isFile(resolve(cwd, one)));
  if (path !== undefined) return ok(about, path);
  const text = `${agents_file} does not exist`;
  const create = `create it (\`touch ${shellWord(agents_file)}\`), or correct execution.agents_file`;
  if (agents_file !== 'AGENTS.md') return problem(about, text, create);
  const advice =
    '`touch AGENTS.md`, and write down what agents should know about this project: every conversation keeps it';
  return warning(about, text, advice);
}

/** Whether files can be written to a folder, or to the one in which it would be created. */
export function writable(about: string, folder: string, advice: string): Finding {
  try {
    const nearest = nearestThere(folder);
    if (!statSync(nearest).isDirectory()) return problem(about, `${nearest} is not a folder`, advice);
    accessSync(nearest, constants.W_OK | constants.X_OK);
    return ok(about, nearest === folder ? folder : `${folder} (will be created)`);
  } catch {
    return problem(about, `cannot write to ${folder}`, advice);
  }
}

function nearestThere(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestThere(dirname(folder));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function inRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  return dirname(folder) !== folder && inRepository(dirname(folder));
}
