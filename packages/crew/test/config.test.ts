import { PROVIDER_TYPES } from '@holdfast/agent/config';
import { STRATEGY_NAMES } from 'holdfast';
import { expect, test } from 'vitest';
import { CrewExecutor, type CrewMessage, openCrew, readCrew } from '../src/index.ts';

/** The problems of an invalid crew. */
function problems(text: string): string[] {
  try {
    readCrew(text, 'crew.yml');
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
}

test('fills in defaults', () => {
  const { config } = readCrew('entry: a\nagents:\n  a:\n    role: Answer.\n', 'crew.yml');
  expect(config).toEqual({
    entry: 'a',
    max_messages_per_request: 50,
    strategy: 'rolling',
    limits: { max_hand_offs: 10, max_rounds: 30, max_seconds: 300, max_cost: 0 },
    provider: {},
    conversation: {},
    tools: {},
    mcp_servers: {},
    agents: {
      a: {
        role: 'Answer.',
        provider: {},
        tools: [],
        conversation: {},
        hand_offs: [],
        signals: {},
        terminal: false,
        pause: false,
      },
    },
    groups: {},
  });
});

test.each([
  [
    '',
    [
      'crew.yml:1:1: entry is missing: expected the name of an agent',
      'crew.yml:1:1: agents is empty: add at least one agent, on an indented line of its own',
    ],
  ],
  [
    'entry: holdfast_note\nagents:\n  holdfast_note: { role: x }',
    ['crew.yml:3:18: agents.holdfast_note: this name is reserved for notes: choose another'],
  ],
  ['- a', ['crew.yml:1:1: the file is a list: expected a map, such as "agents:"']],
  ['entry: a\nagents:\n\ta: b', ['crew.yml:3:1: a tab is used for indentation: use spaces']],
  ['entry: zzz\nagents:\n  a: { role: x }', ['crew.yml:1:8: entry: unknown agent "zzz": expected one of a']],
  ['entry: clark\nagents:\n  clerk: { role: x }', ['crew.yml:1:8: entry: unknown agent "clark": did you mean clerk?']],
  ['entry: a\nagents:\n  a: { role: 7 }', ["crew.yml:3:14: agents.a.role is 7: expected the agent's system prompt"]],
  [
    'entry: a\nagents:\n  a:\n    role: x\n    modle: y',
    ['crew.yml:5:5: agents.a.modle: unknown key: did you mean model?'],
  ],
  [
    'entry: a\nagents:\n  a:\n    role: x\n    hand_offs: [b, a]',
    [
      'crew.yml:5:17: agents.a.hand_offs[0]: unknown agent or group "b": there is none',
      'crew.yml:5:20: agents.a.hand_offs[1]: a cannot hand over to itself: name another agent, or remove it',
    ],
  ],
  [
    'entry: a\nagents:\n  a: { role: x }\n  b: { role: y, terminal: true, next: a }',
    ['crew.yml:4:27: agents.b.terminal is true, but the agent hands over: remove hand_offs, signals and next'],
  ],
  [
    'entry: a\nagents:\n  a: { role: x }\ngroups:\n  g:\n    agents: [a]\n    join: a',
    ['crew.yml:7:11: groups.g.join: a is in the group: name another agent'],
  ],
  [
    'entry: a\nagents:\n  a: { role: x, hand_offs: [disk-check, disk_check] }\n  disk-check: { role: x }\n  disk_check: { role: x }',
    [
      'crew.yml:3:41: agents.a.hand_offs[1]: the signal [ROUTE_DISK_CHECK] of disk_check already leads to disk-check: rename one of the two, or add a signal of its own under signals',
    ],
  ],
  [
    'entry: a\nagents:\n  a: { role: x, tools: [hand_off] }\n  b: { role: y }\ntools:\n  hand_off: { about: x, command: [ls] }\ngroups:\n  g: { agents: [b, b], join: a }\n  h: { agents: [], join: a }',
    [
      'crew.yml:3:25: agents.a.tools[0]: agents with hand_offs always have hand_off: remove it',
      'crew.yml:6:3: tools.hand_off: this name is reserved for the tool that hands over: choose another',
      'crew.yml:8:20: groups.g.agents[1]: b is listed twice: remove one',
      'crew.yml:9:16: groups.h.agents is empty: name at least one agent',
    ],
  ],
  [
    'entry: a\nlimits: { max_rounds: 0 }\nagents:\n  a: { role: x }',
    ['crew.yml:2:23: limits.max_rounds is 0: expected a whole number from 1 to 100000'],
  ],
  [
    'entry: a\nstrategy: roling\nagents:\n  a: { role: x }',
    [`crew.yml:2:11: strategy is "roling": expected one of ${STRATEGY_NAMES.join(', ')}; did you mean rolling?`],
  ],
  [
    'entry: a\nagents:\n  "a b": { role: x }\n  a: { role: x }',
    ['crew.yml:3:3: agents.a b: invalid name: expected at most 64 letters, digits, - and _, starting with a letter'],
  ],
  [
    'entry: a\nprovider: { type: anthropic }\nagents:\n  a: { role: x }',
    [
      `crew.yml:2:19: provider.type is "anthropic": expected one of ${PROVIDER_TYPES.join(', ')}; did you mean anthropic-api?`,
    ],
  ],
  [
    'entry: a\nprovider: { api_key: abc }\nagents:\n  a: { role: x }',
    [expect.stringMatching(/^crew.yml:2:13: provider.api_key: keys belong in the environment/)],
  ],
  [
    'entry: a\nagents:\n  a: { role: x, tools: [u, u] }\ntools:\n  u: { about: x, command: [ls] }',
    ['crew.yml:3:28: agents.a.tools[1]: u is listed twice: remove one'],
  ],
  [
    'entry: a\nagents:\n  a:\n    role: x\n    signals: { "": b, "[X]": " " }\n  b: { role: y }',
    [
      'crew.yml:5:20: agents.a.signals."" is not a valid name: expected a non-empty text',
      'crew.yml:5:30: agents.a.signals.[X] is " ": expected a non-empty text',
    ],
  ],
  [
    'entry: a\nagents:\n  a: &one\n    role: x\n    modle: y\n  b: *one',
    [
      'crew.yml:5:5: agents.a.modle: unknown key: did you mean model?',
      'crew.yml:5:5: agents.b.modle: unknown key: did you mean model?',
    ],
  ],
])('names each problem with its place: %j', (text, expected) => {
  expect(problems(text)).toEqual(expected);
});

test.each([
  ['[sh, -c, "ping {host}"]', 'command[2] contains {host}, which sh would run as code: write "$1"'],
  ['[/usr/bin/env, /bin/bash, -lc, "ping {host}"]', 'command[3] contains {host}, which bash would run as code'],
  ['[sh, -c, -x, "ping {host}"]', 'command[3] contains {host}, which sh would run as code'],
  ['[python3, -c, "print({host})"]', 'command[2] contains {host}, which python3 would run as code'],
  ['[node, "--eval={host}"]', 'command[1] contains {host}, which node would run as code'],
  ['[perl, -ne, "{host}"]', 'command[2] contains {host}, which perl would run as code'],
  ['["{host}"]', 'command[0] contains {host}, so a call could choose the program: name the program'],
  ['["/bin/{host}", -c]', 'command[0] contains {host}, so a call could choose the program'],
  ['[sudo, -n, /usr/bin/env, "A=1", "{host}"]', 'command[4] contains {host}, so a call could choose the program'],
  ['[timeout, 5s, "{host}"]', 'command[2] contains {host}, so a call could choose the program'],
  ['[ping, "{hots}"]', 'arguments.host: the command does not use this argument: did you mean hots?'],
])('refuses text from a model that would run as code, and unused arguments: %s', (command, said) => {
  const tools = `tools:\n  t: { about: x, command: ${command}, arguments: { host: y } }`;
  expect(problems(`entry: a\nagents: { a: { role: x } }\n${tools}`)).toEqual([
    expect.stringContaining(`tools.t.${said}`),
  ]);
});

test.each([
  `[sh, -c, 'ping -c 1 "$1"', sh, "{host}"]`,
  '[python3, ping.py, -c, "{host}"]',
  '[ping, -c, "1", "{host}"]',
  '[timeout, "5", ping, "{host}"]',
  '[env, ping, "{host}"]',
  '[node, -e, "console.log(process.argv)", "{host}"]',
])('accepts text from a model as an argument: %s', (command) => {
  const tools = `tools:\n  t: { about: x, command: ${command}, arguments: { host: y } }`;
  expect(problems(`entry: a\nagents: { a: { role: x } }\n${tools}`)).toEqual([]);
});

test('warns of probable mistakes with their place', () => {
  const text = `entry: a
agents:
  a: { role: x, hand_offs: [b, g, b] }
  b: { role: x }
  c: { role: x, next: d }
  d: { role: x }
  e: { role: x }
  f: { role: x }
groups:
  g: { agents: [e], join: f }
  h: { agents: [b], join: a }
`;
  const unreached = 'no agent hands over to it: name it in hand_offs, signals or next of another agent, or remove it';
  expect(readCrew(text, 'crew.yml').warnings).toEqual([
    'crew.yml:3:35: agents.a.hand_offs[2]: b is listed twice: remove one',
    `crew.yml:5:3: agents.c: ${unreached}`,
    `crew.yml:6:3: agents.d: ${unreached}`,
    `crew.yml:11:3: groups.h: ${unreached}`,
  ]);
});

test('accepts calls without content and any speaker in a history, and refuses invalid messages with their place', async () => {
  const provider = () => ({
    name: 'one',
    execute: () => Promise.resolve({ success: true, output: 'ok', filesChanged: [], iterationComplete: true }),
  });
  const crew = new CrewExecutor({ entry: 'a', agents: { a: { role: 'x' } } }, { provider });
  const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } };
  const history = [
    { role: 'user', name: 'constructor', content: 'hi' },
    { role: 'assistant', name: 'constructor', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: 'seen' },
  ] as unknown as CrewMessage[];
  expect(await crew.execute('on', history)).toMatchObject({ status: 'complete', output: 'ok' });
  for (const [wrong, said] of [
    [null, 'history[1] is empty: expected a message with role and content'],
    [{ role: 'robot', content: '' }, 'history[1].role is "robot": expected user, system, assistant or tool'],
    [{ role: 'assistant', content: null }, 'history[1].content is empty: expected a string'],
    [{ role: 'user', content: [] }, 'history[1].content is a list: expected a string'],
  ] as const)
    await expect(crew.execute('on', [...history.slice(0, 1), wrong as unknown as CrewMessage])).rejects.toThrow(said);
});

test('checks a crew from code in the same way', () => {
  expect(() => new CrewExecutor({ entry: 'a', agents: { b: { role: 'x' } } })).toThrow(
    'crew: entry: unknown agent "a"',
  );
  const agents = { a: { role: 'x', tools: ['lok'] } };
  const tool = { name: 'look', description: '', input_schema: {}, run: () => '' };
  expect(() => new CrewExecutor({ entry: 'a', agents }, { tools: [tool] })).toThrow(
    'crew: agents.a.tools[0]: unknown tool "lok": did you mean look?',
  );
});

test('says that a file does not exist', async () => {
  await expect(openCrew('no-crew.yml')).rejects.toThrow('no-crew.yml: does not exist');
});
