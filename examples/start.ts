import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRandom } from './conversation/random.ts';
import { createWorkspace } from './conversation/workspace.ts';

const HELP = `Runs a long task with \`holdfast run\`, in a folder of its own: a project that is made for it, and a stand-in in place of a
model. No key, no network, nothing outside of that folder.

Usage: npm start -- [options of holdfast run, such as --json or --verbose]

Over 120 tool calls pass through a conversation of at most 30 messages. Ctrl-C, and the run can be resumed.
\`npm run window\` shows the engine alone, call by call.`;

const TASK = `# TASK: Mark the lines that changed

## Goal
Go through the project file by file, and mark each line that you improve.

## Task Type
refactor

## Scope
### Allowed
- src/**

## Requirements
1. Read a file before you change it.
2. Change one line at a time.

## Definition of Done
- [ ] every file was looked at
- [ ] nothing outside of src/ was touched
`;

const CONFIG = `# What \`npm start\` runs with; \`holdfast init\` writes one with all keys.
provider:
  type: stand-in   # a script in place of a model
  calls: 150
  edits: true
execution:
  conversation:
    max_messages: 30
validation:
  commands:
    - test -d src
`;

const HOLDFAST = fileURLToPath(new URL('../packages/cli/bin/holdfast.js', import.meta.url));

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) console.log(HELP);
else process.exitCode = await run(makeProject());

/** A project with sources, rules and a task; gives its folder. */
function makeProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-start-'));
  const { modules, text } = createWorkspace(createRandom(1));
  const write = (path: string, content: string) => {
    const full = join(folder, 'project', path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
  };
  for (const path of modules.flatMap(({ path, test }) => [path, test])) write(path, text(path));
  write('AGENTS.md', '# Rules\n\n- Never delete a line.\n- Say what you did, briefly.\n');
  write('TASK.md', TASK);
  write('holdfast.yml', CONFIG);
  return folder;
}

/** Runs the task as a person would; gives the exit code. */
function run(folder: string): Promise<number> {
  console.error(`The project is in ${join(folder, 'project')}; what runs leave behind is in ${join(folder, 'home')}.`);
  const child = spawn(process.execPath, [HOLDFAST, 'run', 'TASK.md', ...args], {
    cwd: join(folder, 'project'),
    env: { ...process.env, HOLDFAST_HOME: join(folder, 'home') },
    stdio: 'inherit',
  });
  // The terminal tells both of Ctrl-C; the run decides what it means.
  process.on('SIGINT', () => {});
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      const again = `cd ${join(folder, 'project')} && HOLDFAST_HOME=../home ${process.execPath} ${HOLDFAST} run TASK.md --resume`;
      if (code !== 0) console.error(`To go on with this one:\n  ${again}`);
      resolve(code ?? 1);
    });
  });
}
