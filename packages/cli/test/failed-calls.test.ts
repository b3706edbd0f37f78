import type { Answer } from '@holdfast/stand-in';
import { expect, test } from 'vitest';
import { chatProject, chatServer, endChats, flagsFor, say, startChat } from './chat-place.ts';
import { type Ended, run } from './holdfast.ts';
import { HOLDFAST, type Project } from './project.ts';

const server = chatServer();
endChats();

const call = (command: string): Answer => ({
  calls: [{ name: 'run_command', input: { command, ...(command === 'sleep 60' ? { time_limit_ms: 200 } : {}) } }],
});
const KINDS = [
  { command: 'echo fine', event: { failed: false, exitCode: 0 }, shown: 'ok run_command echo fine' },
  {
    command: 'echo no; exit 3',
    event: { failed: true, exitCode: 3 },
    shown: 'failed run_command echo no; exit 3 (exit 3): no',
  },
  {
    command: 'kill -9 $$',
    event: { failed: true, exitCode: null, signal: 'SIGKILL' },
    shown: 'failed run_command kill -9 $$ (killed by SIGKILL)',
  },
  {
    command: 'sleep 60',
    event: { failed: true, exitCode: null, timedOut: true },
    shown: 'failed run_command sleep 60 (timed out)',
  },
] as const;

function holdfast(place: Project, args: readonly string[], input?: string): Promise<Ended> {
  return run(process.execPath, [...HOLDFAST, ...args], {
    cwd: place.workspace,
    env: place.env,
    ...(input === undefined ? {} : { input }),
  });
}

const ends = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type, name }) => type === 'call-end' && name !== 'task_complete');

test.each(KINDS)('chat --json: how a command ended: $command', async ({ command, event }) => {
  server.answer(`try ${command}`, call(command));
  const flags = ['chat', ...flagsFor(server), '--yolo', '--json'];
  const { stdout, stderr } = await holdfast(chatProject(), flags, `try ${command}`);
  expect(ends(stdout), stderr).toEqual([expect.objectContaining(event)]);
});

test('run shows a failed command and why, also in --json', async () => {
  const files = { 'TASK.md': '# TASK: Try\n\n## Goal\nTry commands.\n' };
  const calls = [
    ...KINDS.flatMap(({ command }) => call(command).calls ?? []),
    { name: 'task_complete', input: { summary: 'tried' } },
  ];
  server.answer('# The task', { calls });
  const flags = ['run', 'TASK.md', ...flagsFor(server)];
  const { stdout } = await holdfast(chatProject(files), flags);
  for (const { shown } of KINDS) expect(stdout).toContain(`  ${shown}\n`);
  const { stdout: json } = await holdfast(chatProject(files), [...flags, '--json']);
  expect(ends(json)).toEqual(KINDS.map(({ event }) => expect.objectContaining(event)));
});

test('crew shows a failed command and why, also in --json', async () => {
  const crew = `entry: tester
agents:
  tester: { role: Try., tools: [check] }
tools:
  check: { about: Checks, command: [sh, -c, 'exit 3'] }
`;
  const place = chatProject({ 'crew.yml': crew });
  const flags = ['crew', 'run', 'crew.yml', 'try the check now', '--provider', 'stand-in'];
  const { stdout, stderr } = await holdfast(place, flags);
  expect(stdout, stderr).toContain('tester FAILED check (exit 3)');
  const { stdout: json } = await holdfast(place, [...flags, '--json']);
  expect(ends(json)).toEqual([expect.objectContaining({ failed: true, exitCode: 3 })]);
});

test('chat in a terminal marks a failed command with its exit code', async () => {
  const terminal = startChat(chatProject(), server, ['--yolo']);
  await terminal.until((screen) => screen.some((row) => row === '>'));
  await say(terminal, 'run sh -c "exit 7"', 'the call gave');
  expect(terminal.screen().join('\n')).toMatch(/[✗x] run_command .*exit 7/);
});
