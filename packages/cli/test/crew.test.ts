import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BIN, COMPILE_CACHE, folderWith, holdfast, VOUCHED } from './holdfast.ts';
import { openTerminal } from './terminal.ts';

const EXAMPLE = join(import.meta.dirname, '../../../examples/it-support/crew.yml');

function project(): string {
  const folder = folderWith();
  cpSync(EXAMPLE, join(folder, 'crew.yml'));
  return folder;
}
const cwd = project();

test('in a pipe, prints the main events, the answer and the usage table, and really runs tools', async () => {
  const { code, stdout, stderr } = await holdfast(
    ['crew', 'run', 'crew.yml', 'the disk of localhost has been full since noon', '--provider', 'stand-in'],
    { cwd },
  );
  expect(stderr).toMatch(
    /^holdfast: Using the stand-in: a script plays the agents, .+ The costs shown are not billed\.\n$/,
  );
  expect(code).toBe(0);
  const lines = stdout.split('\n');
  expect(lines.slice(0, 3)).toEqual([
    'orchestrator: This is for executor. [ROUTE_EXECUTOR]',
    'orchestrator -> executor',
    'executor -> disk_space {}',
  ]);
  expect(stdout).toMatch(/\n {2}Filesystem +Size/);
  expect(stdout).toMatch(
    /\nagent +rounds +requests +calls +context +folds +sent +cached +said +cost +unbounded\norchestrator /,
  );
  expect(stdout).toMatch(/\ncomplete by executor in [\d.]+ s, 2 rounds, 1 hand-off\n$/);
});

test('in a pipe, says what to type when an agent asks, with a session', async () => {
  const { code, stdout, stderr } = await holdfast(
    ['crew', 'run', 'crew.yml', 'my disk is full', '--provider', 'stand-in'],
    { cwd },
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/\npaused by clarifier in /);
  expect(
    stderr
      .replace(/question-\d{4}/g, 'NAME')
      .split('\n')
      .slice(1),
  ).toEqual([
    'holdfast: the crew waits for your answer. Ask in a session, then answer there:',
    'holdfast:   holdfast crew run crew.yml "my disk is full" --session NAME --provider stand-in',
    'holdfast:   holdfast crew run crew.yml "YOUR ANSWER" --session NAME --provider stand-in',
    '',
  ]);
});

test('--json prints one event per line, the result last; a session continues after a pause', async () => {
  const ask = async (question: string) => {
    const { code, stdout } = await holdfast(
      ['crew', 'run', 'crew.yml', question, '--provider', 'stand-in', '--json', '--session', 'ticket-7'],
      { cwd },
    );
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return { code, events, result: events.at(-1).result };
  };
  const first = await ask('slow');
  expect(first).toMatchObject({ code: 0, result: { status: 'paused', agent: 'clarifier' } });
  const second = await ask('the memory of web-1 has been full since noon');
  expect(second).toMatchObject({ code: 0, result: { status: 'complete', agent: 'executor', handOffs: 1 } });
  expect(second.events[0]).toMatchObject({ type: 'history-append', before: 3, place: 'input' });
  expect(second.events[1]).toMatchObject({ type: 'agent-start', agent: 'clarifier' });
});

test('reports invalid usage in one line each, with place and advice', async () => {
  const folder = folderWith({
    'crew.yml': 'entry: a\nagents:\n  a:\n    role: x\n    tool: [df]\n',
    'tools.yml': 'entry: a\nprovider: { type: stand-in }\nagents:\n  a:\n    role: x\n    tools: [read_fil]\n',
  });
  expect(await holdfast(['crew', 'run', 'crew.yml', 'x'], { cwd: folder })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'holdfast: crew.yml:5:5: agents.a.tool: unknown key: did you mean tools?\n',
  });
  expect(await holdfast(['crew', 'run', 'tools.yml', 'x'], { cwd: folder })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'holdfast: tools.yml:6:13: agents.a.tools[0]: unknown tool "read_fil": did you mean read_file?\n',
  });
  const open = await holdfast(['serve', 'crew.yml', '--host', '0.0.0.0'], { cwd });
  expect(open).toMatchObject({
    code: 2,
    stderr:
      'holdfast: other machines can reach --host 0.0.0.0: set HOLDFAST_SERVE_TOKEN to a token that clients must send\n',
  });
});

test('on a terminal, shows a lane with a gauge for each agent, and keeps messages in the scrollback', async () => {
  const terminal = openTerminal({
    command: process.execPath,
    args: [
      '--conditions=@holdfast/source',
      BIN,
      'crew',
      'run',
      'crew.yml',
      'the disk of localhost has been full since noon',
      '--provider',
      'stand-in',
    ],
    cols: 100,
    rows: 40,
    cwd,
    env: { ...COMPILE_CACHE, ...VOUCHED, CI: undefined, HOME: `${cwd}-home`, NO_COLOR: '1' },
  });
  await terminal.until(
    (screen) =>
      ['orchestrator', 'clarifier', 'executor'].every((name) =>
        screen.some((row) => row.includes(`${name} `) && row.includes('░')),
      ),
    30_000,
  );
  expect(await terminal.exit).toBe(0);
  const rows = terminal.scrollback();
  expect(rows.some((row) => row.startsWith('orchestrator → executor'))).toBe(true);
  expect(rows.some((row) => row.includes('░'))).toBe(false);
  expect(rows.findLast((row) => row !== '')).toMatch(/^complete by executor in/);
  expect(terminal.cursorVisible()).toBe(true);
});

test('on a terminal, asks the person there and continues; an empty line leaves', async () => {
  const open = () =>
    openTerminal({
      command: process.execPath,
      args: [
        '--conditions=@holdfast/source',
        BIN,
        'crew',
        'run',
        'crew.yml',
        'my disk is full',
        '--provider',
        'stand-in',
      ],
      cols: 100,
      rows: 40,
      cwd,
      env: { ...COMPILE_CACHE, ...VOUCHED, CI: undefined, HOME: `${cwd}-home`, NO_COLOR: '1' },
    });
  const isAsked = (screen: readonly string[]) => screen.some((row) => row.startsWith('your answer to clarifier:'));
  const [answered, left] = [open(), open()];
  await Promise.all([answered.until(isAsked, 30_000), left.until(isAsked, 30_000)]);
  answered.write('the disk of localhost has been full since noon\r');
  left.write('\r');
  expect(await Promise.all([answered.exit, left.exit])).toEqual([0, 0]);
  expect(answered.scrollback().findLast((row) => row !== '')).toMatch(/^complete by executor in/);
  expect(answered.scrollback().some((row) => row.startsWith('clarifier → executor'))).toBe(true);
  expect(left.scrollback().findLast((row) => row !== '')).toMatch(/"YOUR ANSWER" --session question-\d+ --provider/);
  expect(answered.cursorVisible()).toBe(true);
});
