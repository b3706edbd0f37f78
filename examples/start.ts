import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeProject } from './demo-project.ts';

const HELP = `Runs a long task with \`holdfast run\`, in a folder of its own: a project that is made for it, and a stand-in in place of a
model. No key, no network, nothing outside of that folder.

Usage: npm start -- [options of holdfast run, such as --json or --verbose]

Over 120 tool calls pass through a conversation of at most 30 messages. Ctrl-C, and the run can be resumed.
\`npm run window\` shows the engine alone, call by call.`;

const HOLDFAST = fileURLToPath(new URL('../packages/cli/bin/holdfast.js', import.meta.url));

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) console.log(HELP);
else process.exitCode = await run(makeProject());

/** Runs the task as a person would; gives the exit code. */
function run(folder: string): Promise<number> {
  console.error(`The project is in ${join(folder, 'project')}; what runs leave behind is in ${join(folder, 'home')}.`);
  const child = spawn(process.execPath, [HOLDFAST, 'run', 'TASK.md', ...args], {
    cwd: join(folder, 'project'),
    // The folder was made just now, by this example.
    env: { ...process.env, HOLDFAST_HOME: join(folder, 'home'), HOLDFAST_TRUST: '1' },
    stdio: 'inherit',
  });
  // The terminal tells both of Ctrl-C; the run decides what it means.
  process.on('SIGINT', () => {});
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      const again = `cd ${join(folder, 'project')} && HOLDFAST_HOME=../home ${process.execPath} ${HOLDFAST} run TASK.md --resume`;
      // 2: wrong use, and nothing was begun.
      if (code !== 0 && code !== 2) console.error(`To go on with this one:\n  ${again}`);
      resolve(code ?? 1);
    });
  });
}
