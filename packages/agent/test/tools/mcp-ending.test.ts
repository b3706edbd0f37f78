import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('./mcp-ending.ts', import.meta.url));
const SERVER = fileURLToPath(new URL('./mcp-server.ts', import.meta.url));

/** Processes of this machine whose command line has this text. */
function running(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

/** Runs the program with a server that `sh` starts, and returns its output. */
async function run(when: string, script: string): Promise<string> {
  const workspace = mkdtempSync(join(tmpdir(), 'holdfast-mcp-'));
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
  const flags = ['--conditions=@holdfast/source', '--disable-warning=ExperimentalWarning'];
  const args = [...flags, PROGRAM, workspace, when, 'sh', '-c', script];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  // It may have ended before it reads this.
  child.stdin.on('error', () => {});
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    if (line === 'starting' && when === 'while starting') child.stdin.write('stop\n');
  });
  await once(child, 'close');
  return lines.join('\n');
}

/** A number that no other process has in its command line; what has it when the test is over is ended. */
function id(): string {
  const mark = String(Math.floor(Math.random() * 1e9) + 1e9);
  onTestFinished(() => {
    for (const pid of running(mark)) process.kill(Number(pid), 'SIGKILL');
  });
  return mark;
}

test('a start can be cancelled, and processes that the server started do not delay it', async () => {
  const mark = id();
  const said = await run('while starting', `sleep 1000.${mark} & sleep 1001.${mark}; true`);
  // A start that had run into its limit would be a warning.
  expect(said).toContain('{"tools":0,"warnings":[]}');
  expect(running(`.${mark}`)).toEqual([]);
});

test.each(['by closing', 'by process.exit'])(
  'a server that ignores SIGTERM and the end of its input is killed with its children (%s)',
  async (when) => {
    const mark = id();
    const script = `trap '' TERM; (setsid sh -c "trap '' TERM; sleep 102.${mark}") & '${process.execPath}' '${SERVER}' stubborn ${mark}; true`;
    const said = await run(when, script);
    expect(said).toMatch(/"tools":[1-9]/);
    if (when === 'by closing') expect(running(mark)).toEqual([]);
    else expect(running(`stubborn\0${mark}`)).toEqual([]);
  },
);
