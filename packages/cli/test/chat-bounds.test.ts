import { expect, test } from 'vitest';
import { chatProject, chatServer, endChats, flagsFor, idle, keptIn, startChat } from './chat-place.ts';
import { type Ended, run } from './holdfast.ts';
import { HOLDFAST, type Project } from './project.ts';

const server = chatServer();
endChats();

/** A model that never comes to an end: each answer calls a tool. */
function runaway(): void {
  server.answer('', { text: 'Once more.', calls: [{ name: 'list_files', input: { path: '.' } }] });
}

/** Requests of the newest chat. */
const asked = (before: number) => server.standIn.requests.filter(({ path }) => path === '/v1/messages').length - before;
const sofar = () => asked(0);

function piped(place: Project, input: string, ...args: readonly string[]): Promise<Ended> {
  return run(process.execPath, [...HOLDFAST, 'chat', ...flagsFor(server), ...args], {
    cwd: place.workspace,
    env: place.env,
    input,
  });
}

const endOf = (stdout: string) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '');

test('a runaway model in a pipe is stopped with exit code 4 and can be resumed', async () => {
  runaway();
  const place = chatProject();
  const before = sofar();
  const { code, stderr, stdout } = await piped(place, 'go', '--json');
  expect(code, stderr).toBe(4);
  expect(asked(before)).toBe(200);
  expect(stderr).toContain('stopped after 200 rounds (execution.max_rounds). The work so far is saved');
  const { result, session } = endOf(stdout);
  expect(result).toMatchObject({ success: false, budget: 'requests', requests: 200 });
  expect((await keptIn(place)).problems).toEqual([]);
  const again = await piped(place, 'go on', '--resume', session, '--max-rounds', '3');
  expect(again.code, again.stderr).toBe(4);
  expect(again.stderr).toContain('stopped after 3 rounds');
  expect(asked(before)).toBe(203);
  expect((await keptIn(place)).problems).toEqual([]);
}, 120_000);

test.each([
  {
    flags: ['--max-rounds', '2'],
    config: '',
    budget: 'requests',
    said: 'stopped after 2 rounds (execution.max_rounds)',
  },
  {
    flags: ['--max-cost', '0.05'],
    config: '',
    budget: 'cost',
    said: /\$0\.0\d+ of \$0\.05 spent \(execution.max_cost\)/,
  },
  {
    flags: ['--max-minutes', '0.03', '--max-rounds', '0'],
    config: '',
    budget: 'time',
    said: 'the answers took 0.03 minutes (execution.max_minutes)',
  },
  { flags: [], config: 'execution: { max_rounds: 4 }\n', budget: 'requests', said: 'stopped after 4 rounds' },
  { flags: [], config: 'execution: { max_cost: 0.05 }\n', budget: 'cost', said: 'of $0.05 spent' },
  {
    flags: ['--max-rounds', '2'],
    config: 'execution: { max_rounds: 4 }\n',
    budget: 'requests',
    said: 'stopped after 2',
  },
])('$flags $config: $budget', async ({ flags, config, budget, said }) => {
  runaway();
  const place = chatProject({ 'README.md': 'x', ...(config === '' ? {} : { 'holdfast.yml': config }) });
  const { code, stdout, stderr } = await piped(place, 'go', '--json', ...flags);
  expect(code, stderr).toBe(4);
  expect(endOf(stdout).result).toMatchObject({ success: false, budget });
  if (typeof said === 'string') expect(stderr).toContain(said);
  else expect(stderr).toMatch(said);
  expect((await keptIn(place)).problems).toEqual([]);
});

test.each([
  ['--max-rounds', 'a whole number, 0 or more'],
  ['--max-minutes', 'a number from 0 to'],
  ['--max-cost', 'an amount in dollars, 0 or more'],
])('refuses a limit that is not a number: %s', async (flag, expected) => {
  const { code, stderr } = await piped(chatProject(), 'go', flag, 'many');
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`holdfast: ${flag}: the value is "many": expected ${expected}`),
  });
});

test('in a terminal, a chat that hits its limit says how to continue with a fresh allowance', async () => {
  runaway();
  const terminal = startChat(chatProject(), server, ['--max-rounds', '3']);
  await terminal.until(idle);
  const before = sofar();
  for (const rounds of [3, 6]) {
    terminal.write('go on\r');
    await terminal.until((screen) => idle(screen) && asked(before) === rounds);
    await terminal.until((screen) => screen.join(' ').includes('say "go on" to continue with a fresh allowance'));
  }
});
