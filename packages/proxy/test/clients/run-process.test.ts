import { expect, test } from 'vitest';
import { runProcess } from '../../clients/run-process.ts';

const options = { cwd: import.meta.dirname, env: { PATH: process.env.PATH ?? '' }, seconds: 60 };
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('returns the exit code and the output', async () => {
  const end = await runProcess('sh', ['-c', 'echo out; echo err >&2; exit 3'], options);
  expect(end).toMatchObject({ exit_code: 3, timed_out: false });
  expect(end.output).toContain('out');
  expect(end.output).toContain('err');
});

test('kills a command at its time limit, with everything that it started', async () => {
  const end = await runProcess('sh', ['-c', 'sleep 600 & echo $!; wait'], { ...options, seconds: 1 });
  expect(end).toMatchObject({ exit_code: null, timed_out: true });
  await expect.poll(() => isAlive(Number.parseInt(end.output, 10))).toBe(false);
});

test.runIf(process.platform === 'linux')('kills a daemon that the command left behind', async () => {
  const end = await runProcess('sh', ['-c', 'setsid sleep 600 & echo $!; sleep 1'], options);
  await expect.poll(() => isAlive(Number.parseInt(end.output, 10))).toBe(false);
});

test('rejects if there is no such command', async () => {
  await expect(runProcess('/no/such/command', [], options)).rejects.toThrow('ENOENT');
});
