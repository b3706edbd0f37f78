import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isHoldfastError } from 'holdfast';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { PROVIDER_TYPES } from '../../src/providers/index.ts';
import { folderWith, load, problems } from './config-from-text.ts';

test.each([
  [
    'a misspelt key',
    'execution:\n  max_cost: 1\n  max_iteratons: 5',
    'holdfast.yml:3:3: execution.max_iteratons is not a known key: did you mean max_iterations?',
  ],
  [
    'a misspelt section',
    'exection:\n  max_cost: 1',
    'holdfast.yml:1:1: exection is not a known key: did you mean execution?',
  ],
  [
    'a key in the wrong section',
    'max_iterations: 4',
    'holdfast.yml:1:1: max_iterations is not a key here: write it as execution.max_iterations',
  ],
  [
    'a key like no other',
    'skills:\n  zebra: 4',
    'holdfast.yml:2:3: skills.zebra is not a known key: expected one of enabled, directories, use',
  ],
  [
    'a name with dots',
    'execution.max_cost: 4',
    'holdfast.yml:1:1: execution.max_cost is not a known key: expected one of provider, execution, validation, skills, tools, sessions, proxy, mcp_servers, models',
  ],
  [
    'an empty name',
    '"": { "": 4 }',
    'holdfast.yml:1:1: "" is not a known key: expected one of provider, execution, validation, skills, tools, sessions, proxy, mcp_servers, models',
  ],
  [
    'a wrong type',
    'execution:\n  max_iterations: many',
    'holdfast.yml:2:19: execution.max_iterations is "many": expected a whole number from 1 to 100000',
  ],
  [
    'a number as a text',
    'execution:\n  max_iterations: "5"',
    'holdfast.yml:2:19: execution.max_iterations is "5": expected a whole number from 1 to 100000',
  ],
  [
    'a negative number',
    'execution:\n  max_cost: -1',
    'holdfast.yml:2:13: execution.max_cost is -1: expected an amount in dollars, 0 or more',
  ],
  [
    'a number out of range',
    'execution: { conversation: { target: 1.5 } }',
    'holdfast.yml:1:38: execution.conversation.target is 1.5: expected a fraction above 0, up to 1',
  ],
  [
    'longer than timers wait',
    'tools:\n  timeout: 1e9',
    'holdfast.yml:2:12: tools.timeout is 1000000000: expected a number above 0, up to 2000000',
  ],
  [
    'endless money',
    'execution:\n  max_cost: .inf',
    'holdfast.yml:2:13: execution.max_cost is Infinity: expected an amount in dollars, 0 or more',
  ],
  [
    'a list where a map belongs',
    'execution:\n  - max_iterations: 3',
    'holdfast.yml:2:3: execution is a list: expected a map, such as "max_iterations:" on an indented line of its own',
  ],
  [
    'a word where a map belongs',
    'tools: none',
    'holdfast.yml:1:8: tools is "none": expected a map, such as "allowed_commands:" on an indented line of its own',
  ],
  [
    'a map where a word belongs',
    'provider:\n  model: { name: x }',
    'holdfast.yml:2:10: provider.model is a map: expected a model name',
  ],
  [
    'a word out of a few',
    'provider: antropic-api',
    `holdfast.yml:1:11: provider.type is "antropic-api": expected one of ${PROVIDER_TYPES.join(', ')}; did you mean anthropic-api?`,
  ],
  [
    'nothing where a value belongs',
    'provider:\n  type:\n',
    `holdfast.yml:2:3: provider.type is empty: expected one of ${PROVIDER_TYPES.join(', ')}`,
  ],
  [
    'an item of a list',
    'validation:\n  commands:\n    - npm test\n    - 5\n',
    'holdfast.yml:4:7: validation.commands[1] is 5: expected a list of commands',
  ],
  [
    'a wrong shorthand, by its own name',
    'execution:\n  max_conversation_messages: -3',
    'holdfast.yml:2:30: execution.max_conversation_messages is -3: expected a whole number, 0 or more',
  ],
  [
    'what only the window knows',
    'execution:\n  conversation:\n    max_tokens: 4000\n    reserve: 5000',
    'holdfast.yml:4:14: execution.conversation: reserve is 5000, which leaves no token for messages: expected less than 4000',
  ],
  [
    'a server with a misspelt key',
    'mcp_servers:\n  a:\n    command: x\n    arg: [y]',
    'holdfast.yml:4:10: mcp_servers.a.arg is not a known key: did you mean args?',
  ],
  [
    'a server with a wrong argument',
    'mcp_servers:\n  a:\n    command: x\n    args: [5]',
    'holdfast.yml:4:12: mcp_servers.a.args[0] is 5: expected a text',
  ],
  [
    'a model with a wrong price',
    'models:\n  m:\n    prices:\n      input: -1',
    'holdfast.yml:4:14: models.m.prices.input must be dollars per million tokens',
  ],
  ['a tab', 'execution:\n\tmax_iterations: 5', 'holdfast.yml:2:1: a tab is used for indentation: use spaces'],
  [
    'a key twice',
    'execution:\n  max_iterations: 5\n  max_iterations: 6',
    'holdfast.yml:3:3: duplicate key: remove one',
  ],
  ['an open quote', 'provider:\n  model: "gpt\n\n', 'holdfast.yml:2:10: a quote is not closed: a " is missing'],
  [
    'an open list',
    'validation:\n  commands: [a',
    'holdfast.yml:2:15: is not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
  [
    'two documents',
    'tools:\n---\ntools:',
    'holdfast.yml:2:1: a second document starts here (---): a configuration has only one',
  ],
  ['a list as the file', '- a', 'holdfast.yml:1:1: the file is a list: expected a map, such as "execution:"'],
  ['a text as the file', 'hello', 'holdfast.yml:1:1: the file is a single value: expected a map, such as "execution:"'],
  ['a tag', 'provider: !js x', 'holdfast.yml:1:11: tags (!) are not supported: remove it'],
  [
    'an alias of nothing',
    'provider: *gone',
    'holdfast.yml:1:11: this alias (*) has no anchor (&) before it: quote the text if it is not an alias',
  ],
  ['a key that is not a word', '? [a]\n: b', 'holdfast.yml:1:3: a key must be a word'],
])('%s: file, line, column and what was expected', (_, text, line) => {
  expect(problems(text)).toEqual([line]);
});

test('all problems are reported together, including those of flags and the environment', () => {
  const text = 'execution:\n  max_cost: -1\n  max_iterations: 5\n  max_iterations: 6\nprovidr:\ntools:\n  timeout: 0\n';
  const found = problems(text, {
    env: { HOLDFAST_BASE_URL: 'localhost:80' },
    flags: { 'provider.type': { value: 'gpt', flag: '--provider' } },
  });
  expect(found.map((line) => line.split(': ', 1)[0])).toEqual([
    'holdfast.yml:4:3',
    'holdfast.yml:2:13',
    'holdfast.yml:5:1',
    'holdfast.yml:7:12',
    'HOLDFAST_BASE_URL',
    '--provider',
  ]);
});

test('details list each problem separately', () => {
  try {
    load('a: 1\nb: 2');
    expect.unreachable();
  } catch (error) {
    expect(isHoldfastError(error) && error.details.problems).toMatchObject([
      { place: 'holdfast.yml:1:1' },
      { place: 'holdfast.yml:2:1' },
    ]);
  }
});

const SECRET = 'sk-ant-api03-Zx81Qabcdef1234567890';

test.each([
  ['api_key', `provider:\n  api_key: ${SECRET}`, 'holdfast.yml:2:3: '],
  ['apiKey at the top', `apiKey: ${SECRET}`, 'holdfast.yml:1:1: '],
  ['OPENAI_API_KEY', `OPENAI_API_KEY: '${SECRET}'`, 'holdfast.yml:1:1: '],
  ['a short one', 'provider:\n  token: hunter2', 'holdfast.yml:2:3: '],
  ['a key where a model belongs', `provider:\n  model: ${SECRET}`, 'holdfast.yml:2:10: '],
  ['a password in an address', 'provider:\n  base_url: https://me:hunter2@host/v1', 'holdfast.yml:2:13: '],
  ['a key in a list', `provider:\n  args: [--key, ${SECRET}]`, 'holdfast.yml:2:9: '],
  ['a server’s variable', `mcp_servers:\n  a: { command: x, env: { K: ${SECRET} } }`, 'holdfast.yml:2:3: '],
  [
    'a server’s header',
    'mcp_servers:\n  a: { url: "http://h", headers: { Authorization: hunter2 } }',
    'holdfast.yml:2:3: ',
  ],
])('a key in the file is refused and never shown: %s', (_, text, place) => {
  const [line = '', ...rest] = problems(text);
  expect(rest).toEqual([]);
  expect(line).toContain(place);
  expect(line).toContain('keys belong in the environment (ANTHROPIC_API_KEY');
  expect(line).not.toMatch(/hunter2|Zx81Q/);
});

test.each([
  ['as a key of the file', `${SECRET}: 1`],
  ['in broken YAML', `provider:\n  model: "${SECRET}`],
  ['in a broken key', `provider:\n\tapi_key: ${SECRET}`],
])('a key is not shown by other errors: %s', (_, text) => {
  const found = problems(text).join('\n');
  expect(found).not.toBe('');
  expect(found).not.toContain('Zx81Q');
});

test.each([
  ['TOKENIZER', 'cl100k_base'],
  ['API_KEY_FILE', '/run/secrets/key1'],
  ['MAX_TOKENS', '4096x1234'],
  ['GITHUB_TOKEN', `\${GITHUB_TOKEN}`],
])('values that only resemble keys are accepted: %s', (name, value) => {
  expect(problems(JSON.stringify({ mcp_servers: { a: { command: 'x', env: { [name]: value } } } }))).toEqual([]);
});

test('a server’s variable that is named like a key is refused', () => {
  const text = JSON.stringify({ mcp_servers: { a: { command: 'x', env: { GITHUB_TOKEN: 'abcd1234efgh' } } } });
  expect(problems(text)[0]).toContain('mcp_servers contains what looks like a key');
});

test('a variable that holds a key is refused and not shown', () => {
  const [line = ''] = problems('', { env: { HOLDFAST_MODEL: SECRET } });
  expect(line).toContain('HOLDFAST_MODEL: contains what looks like a key');
  expect(line).not.toContain('Zx81Q');
});

test('the address of a store may hold a password in the environment, but not in a file', () => {
  const store = 'postgres://ann:pa55-w0rd@db.example/app';
  expect(problems('', { env: { HOLDFAST_STORE: store } })).toEqual([]);
  const [line = ''] = problems(`sessions: { store: "${store}" }`);
  expect(line).toContain('sessions.store contains what looks like a key');
  expect(line).toContain('(HOLDFAST_STORE)');
  expect(line).not.toContain('pa55');
});

test('an alias bomb is refused before it is expanded', () => {
  const levels = 'bcdefghij'.split('').map((name, i) => {
    const before = 'abcdefghi'[i];
    return `${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`;
  });
  expect(problems(['a: &a [lol]', ...levels].join('\n'))[0]).toContain('has too many aliases');
});

test('an alias that contains itself does not loop forever', () => {
  expect(problems('execution: &e\n  conversation: *e\n  max_iterations: 3').length).toBeGreaterThan(0);
  expect(problems('models: &m\n  m: *m').length).toBeGreaterThan(0);
});

test('deep nesting is refused', () => {
  expect(problems('['.repeat(200_000))).toEqual(['holdfast.yml:1:1: is nested too deeply']);
});

test('a file of 10 MB and an endless one are refused', () => {
  expect(problems(`# ${'x'.repeat(10_000_000)}`)).toEqual([
    'holdfast.yml: is larger than 256 KiB, the maximum for a configuration',
  ]);
  expect(() => loadConfig({ cwd: '/', path: '/dev/zero' })).toThrow('is larger than 256 KiB');
});

test('invalid UTF-8 is refused with its position', () => {
  const bytes = new Uint8Array([...Buffer.from('execution:\n  role: "caf'), 0xe9, ...Buffer.from('"\n')]);
  expect(problems(bytes)).toEqual(['holdfast.yml:2:13: is not UTF-8: save the file as UTF-8']);
});

test('a missing path, a folder, a loop of links', () => {
  const cwd = folderWith({});
  expect(() => loadConfig({ cwd, path: 'gone.yml' })).toThrow('gone.yml: does not exist: pass the path');
  mkdirSync(join(cwd, 'holdfast.yml'));
  expect(() => loadConfig({ cwd })).toThrow('holdfast.yml: is a folder: pass the path of a file');
  symlinkSync('loop.yml', join(cwd, 'loop.yml'));
  expect(() => loadConfig({ cwd, path: 'loop.yml' })).toThrow('loop.yml: is a link to itself');
});

test.skipIf(process.getuid?.() === 0)('a file that cannot be read says so', () => {
  const cwd = folderWith({ 'holdfast.yml': '' });
  chmodSync(join(cwd, 'holdfast.yml'), 0);
  expect(() => loadConfig({ cwd })).toThrow('holdfast.yml: cannot be read: change its permissions');
});

test('a list of a thousand problems is truncated, and so are long and multi-line names', () => {
  const keys = Array.from({ length: 1_000 }, (_, i) => `"zz${'z'.repeat(200)}\\n${i}": 1`);
  const found = problems(keys.join('\n'));
  expect(found.length).toBe(51);
  expect(found.at(-1)).toBe('… and 950 more problems');
  expect(Math.max(...found.map((line) => line.length))).toBeLessThan(300);
});

test('a name that every object inherits is not a known key', () => {
  expect(problems('constructor: 1\n__proto__: { x: 1 }\nexecution:\n  toString: 1')).toHaveLength(3);
});

test('a flag for an unknown key is refused', () => {
  expect(problems('', { flags: { 'provider.typ': { value: 'x', flag: '--typ' } } })).toEqual([
    '--typ: sets provider.typ, which is not a known key',
  ]);
});
