import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeProject } from './demo-project.ts';

const HELP = `Runs a long task with \`holdfast run\` on a sample project in a temporary folder. A local stand-in plays the model:
no API key, no network, nothing outside that folder.

Usage: npm start -- [options for holdfast run, such as --json or --verbose]

It makes over 120 tool calls in a conversation of at most 30 messages. Press Ctrl-C to stop; you can resume the run.
\`npm run window\` shows the engine alone, call by call.`;

const HOLDFAST = fileURLToPath(new URL('../packages/cli/bin/holdfast.js', import.meta.url));

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) console.log(HELP);
else process.exitCode = await run(makeProject());

/** Runs the task as a person would. Returns the exit code. */
function run(folder: string): Promise<number> {
  console.error(`A script plays the model in a long task: no API key, nothing is charged. Starting …
The project is in ${join(folder, 'project')}; run data is in ${join(folder, 'home')}.`);
  const child = spawn(process.execPath, [HOLDFAST, 'run', 'TASK.md', ...args], {
    cwd: join(folder, 'project'),
    // This example has just created the folder, so it can be trusted.
    env: { ...process.env, HOLDFAST_HOME: join(folder, 'home'), HOLDFAST_TRUST: '1' },
    stdio: 'inherit',
  });
  // The terminal sends Ctrl-C to both processes; the child decides what to do.
  process.on('SIGINT', () => {});
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      const again = `cd ${join(folder, 'project')} && HOLDFAST_HOME=../home ${process.execPath} ${HOLDFAST} run TASK.md --resume`;
      const see = `HOLDFAST_HOME=${join(folder, 'home')} npx holdfast ui`;
      // 2: wrong usage, nothing was started.
      if (code !== 0 && code !== 2) console.error(`To resume this run:\n  ${again}`);
      if (code === 0) console.error(`To see every view, fold and request in a browser:\n  ${see}`);
      resolve(code ?? 1);
    });
  });
}
