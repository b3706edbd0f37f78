import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { sqlite } from '@holdfast/sessions';
import { createStandIn, type StandIn } from '@holdfast/stand-in';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { firstLine } from '../../../scripts/first-line.ts';
import { SOAK } from '../../../scripts/soak.ts';
import { idle } from './chat-place.ts';
import { run } from './holdfast.ts';
import { HOLDFAST, type Project, project } from './project.ts';
import { openTerminal } from './terminal.ts';

/** What a stranger may say to a terminal: clipboard, title, clear, cursor, concealed, colours, reset, C1, direction, overwriting. */
const ORDERS = [
  '\u001b]52;c;cHduZWQ=\u0007',
  '\u001b]0;pwned\u001b\\',
  '\u001b[2J',
  '\u001b[77;7H',
  '\u001b[8m',
  '\u001b[45m',
  '\u001b[95m',
  '\u001bc',
  '\u001bP+q544e\u001b\\',
  '\u009b2J',
  '\u009d0;pwned\u009c',
  '\u202e',
  '\u2066',
  '\u200f',
  '\u0008',
  '\u0007',
  '\u0085',
  '\u2028',
];
/** With a word in it by which it is known again. */
const hostile = (word: string) => `${word}${ORDERS.join('')}\rover`;
/** No name in YAML or on a disk has these. */
const line = (word: string) => hostile(word).replace(/[\r\u0085\u2028]/g, '');
const quoted = (text: string) =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Nothing of it may reach anybody: neither the controls nor, on a terminal, a sequence that we do not draw with. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const OURS = /\u001b\[(?:[0-479]|2[2-47-9]|39|3[0-7]|9[0-7])m|\u001b\[\??[\d;]*[A-GJKhlu]|\u001b\[1?;?1?H|\r/g;

let standIn: StandIn;
let failing: Server;
let failingUrl = '';
beforeAll(async () => {
  standIn = await createStandIn({
    keep_bodies: 0,
    script: ({ results, messages }) => {
      if (messages.at(-1)?.text.includes('plainly') || results.length > 0) return { text: hostile('MODEL') };
      return {
        text: hostile('MODEL'),
        calls: [
          { name: 'read_file', input: { path: line('FILE') } },
          {
            name: 'run_command',
            input: { command: `cat words.txt; cat words.txt >&2; echo ${quoted(line('COMMAND'))}` },
          },
        ],
      };
    },
  });
  failing = createServer((_, response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: hostile('REFUSED') } }),
    );
  });
  await new Promise<void>((resolve) => failing.listen(0, '127.0.0.1', resolve));
  failingUrl = `http://127.0.0.1:${(failing.address() as AddressInfo).port}`;
});
afterAll(async () => {
  failing.close();
  await standIn.close();
});

const MCP = `process.stderr.write(${quoted(hostile('MCP'))} + '\\n', () => process.exit(3));`;

/** A project in which everybody who can say something says it. */
function strange(config: Readonly<Record<string, unknown>> = {}): Project {
  const place = project({
    'TASK.md': `# TASK: ${line('TITLE')}\n\n## Goal\n${hostile('GOAL')}\n\n## Scope\n### Allowed\n- src/SCOPE\u202e/**\n\n## Definition of Done\n- [ ] ${hostile('DONE')}\n`,
    'AGENTS.md': hostile('RULES'),
    'words.txt': `${hostile('OUTPUT')}\n`,
    [line('FILE')]: hostile('CONTENT'),
    'mcp.cjs': MCP,
    'log.jsonl': `${JSON.stringify({ role: 'user', content: hostile('LOG') })}\n{"role": ${quoted(hostile('ROLE'))}`,
    'holdfast.yml': JSON.stringify({
      mcp_servers: { strange: { command: process.execPath, args: ['mcp.cjs'] } },
      execution: { max_iterations: 1 },
      validation: { commands: ['cat words.txt; exit 4'] },
      ...config,
    }),
    'crew.yml': `entry: lead\nagents:\n  lead: { role: ${quoted(hostile('ROLE'))}, hand_offs: [clerk] }\n  clerk: { role: x, terminal: true }\n`,
    'odd-crew.yml': `entry: ${quoted(line('AGENT'))}\nagents:\n  ${quoted(line('AGENT'))}: { role: x }\n`,
  });
  Object.assign(place.env, { HOLDFAST_TRUST: '1', HOLDFAST_DEBUG: '1' });
  return place;
}

const api = () => ['--provider', 'anthropic-api', '--model', 'claude-sonnet-5', '--base-url', standIn.url];
const broken = () => ['--provider', 'anthropic-api', '--model', 'claude-sonnet-5', '--base-url', failingUrl];
const named = () => ['--provider', 'anthropic-api', '--model', line('MODELNAME'), '--base-url', failingUrl];

interface Case {
  readonly args: () => readonly string[];
  /** What must be seen, or nothing was tried. */
  readonly seen: readonly string[];
  readonly input?: string;
  /** On a terminal: what is typed once it is there, and what ends it. */
  readonly typed?: readonly string[];
  readonly sessions?: boolean;
  /** It has no output as JSON, or fails before. */
  readonly plainOnly?: true;
  readonly config?: Readonly<Record<string, unknown>>;
}

const CASES: Readonly<Record<string, Case>> = {
  run: { args: () => ['run', 'TASK.md', '--verbose', ...api()], seen: ['TITLE', 'MCP', 'MODEL', 'FILE', 'COMMAND'] },
  'run, refused': { args: () => ['run', 'TASK.md', ...broken()], seen: ['REFUSED'] },
  'run, dry': {
    args: () => ['run', 'TASK.md', '--dry-run', ...named()],
    seen: ['TITLE', 'SCOPE', 'DONE', 'MODELNAME'],
  },
  'run, no file': { plainOnly: true, args: () => ['run', line('NOPE')], seen: ['NOPE'] },
  chat: { args: () => ['chat', '--yolo', ...api()], input: 'Look.', seen: ['MODEL'], typed: ['Look.\r', '/exit\r'] },
  'chat, refused': {
    args: () => ['chat', ...broken()],
    input: 'Look.',
    seen: ['REFUSED', 'MCP'],
    typed: ['Look.\r', '/exit\r'],
  },
  'chat, resumed': {
    args: () => ['chat', '--resume', 'strange', ...api()],
    input: '/context',
    seen: ['strange'],
    sessions: true,
    typed: ['/exit\r'],
  },
  crew: { args: () => ['crew', 'run', 'crew.yml', hostile('QUESTION'), ...api()], seen: ['MODEL'] },
  'crew, refused': { args: () => ['crew', 'run', 'crew.yml', 'x', ...broken()], seen: ['REFUSED'] },
  'crew, odd names': { args: () => ['crew', 'run', 'odd-crew.yml', 'x', ...api()], seen: ['AGENT'] },
  sessions: { args: () => ['sessions', 'list'], seen: ['SESSION'], sessions: true },
  'sessions show': { args: () => ['sessions', 'show', 'strange', '--full'], seen: ['SESSION', 'SAID'], sessions: true },
  'sessions export': { plainOnly: true, args: () => ['sessions', 'export', 'strange'], seen: ['SAID'], sessions: true },
  'sessions, no such': {
    plainOnly: true,
    args: () => ['sessions', 'show', hostile('NOPE')],
    seen: ['NOPE'],
    sessions: true,
  },
  recall: { args: () => ['recall', 'strange', 'SAID'], seen: ['SAID'], sessions: true },
  replay: { args: () => ['replay', 'log.jsonl', line('FILE')], seen: ['FILE'] },
  doctor: { args: () => ['doctor', ...named()], seen: ['MODELNAME'] },
  config: { args: () => ['config', ...named()], seen: ['MODELNAME'] },
  'config, wrong': {
    plainOnly: true,
    args: () => ['config'],
    seen: ['KEY'],
    config: { [line('KEY')]: 1, provider: { type: line('TYPE') } },
  },
  trust: { args: () => ['trust', '--crew', 'crew.yml', '--yes'], seen: ['RULES', 'ROLE'] },
  'init, wrong': { plainOnly: true, args: () => ['init', hostile('NOPE')], seen: ['NOPE'] },
  'completion, no such': { plainOnly: true, args: () => ['completion', hostile('NOPE')], seen: ['NOPE'] },
  'an unknown command': { plainOnly: true, args: () => [hostile('NOPE')], seen: ['NOPE'] },
  'an unknown flag': { plainOnly: true, args: () => ['run', `--${hostile('NOPE')}`], seen: ['NOPE'] },
  'help of nothing': { plainOnly: true, args: () => ['help', hostile('NOPE')], seen: ['NOPE'] },
};

const ALIKE = new Set([
  'run, refused',
  'run, no file',
  'crew, refused',
  'crew, odd names',
  'sessions export',
  'sessions, no such',
  'config',
  'init, wrong',
  'completion, no such',
  'an unknown flag',
  'help of nothing',
]);

async function placeFor({ sessions = false, config }: Case): Promise<Project> {
  const place = strange(config);
  if (!sessions) return place;
  const store = await sqlite(join(place.home, 'sessions.db'));
  const speaker = { dialect: 'anthropic', provider: 'anthropic-api', model: 'claude-sonnet-5' } as const;
  await store.create({ id: 'strange', title: 'SESSION\u202e', ...speaker });
  const said = (role: string) => ({ type: 'message', message: { role, content: hostile('SAID') } }) as const;
  await store.append('strange', [said('user'), said('assistant')], 0);
  await store.close();
  return place;
}

test.each(Object.entries(CASES))('%s, in a pipe: no control characters', async (_, one) => {
  const place = await placeFor(one);
  for (const more of one.plainOnly ? [[]] : [[], ['--json']]) {
    const args = [...one.args(), ...more];
    const { stdout, stderr } = await run(process.execPath, [...HOLDFAST, ...args], {
      cwd: place.workspace,
      env: place.env,
      ...(one.input === undefined ? {} : { input: one.input }),
    });
    const printed = stdout + stderr;
    expect(CONTROLS.exec(printed)?.[0], JSON.stringify(printed)).toBeUndefined();
    if (more.length === 0) for (const word of one.seen) expect(printed).toContain(word);
  }
});

/** Of commands that print alike, one is enough on a terminal; the others in `npm run soak`. */
const SHOWN = Object.entries(CASES).filter(([name]) => SOAK || !ALIKE.has(name));

test.each(SHOWN)('%s, on a terminal: only our own colours and cursor moves', async (_, one) => {
  const place = await placeFor(one);
  const terminal = openTerminal({
    command: process.execPath,
    args: [...HOLDFAST, ...one.args()],
    cwd: place.workspace,
    env: place.env,
    cols: 120,
    rows: 40,
  });
  onTestFinished(() => terminal.kill());
  for (const keys of one.typed ?? []) {
    await terminal.until(idle);
    terminal.write(keys);
    await terminal.until((screen) => !screen.includes('>') || screen.some((row) => row.startsWith('> ')));
  }
  await terminal.exit;
  const raw = terminal.raw();
  const rest = raw.replace(OURS, '');
  expect(
    CONTROLS.exec(rest)?.[0],
    JSON.stringify(rest.slice(Math.max(0, rest.search(CONTROLS) - 200)).slice(0, 400)),
  ).toBeUndefined();
  for (const order of ORDERS) expect(raw).not.toContain(order);
  for (const word of one.seen) expect(terminal.scrollback().join('\n')).toContain(word);
});

test('a call shown for approval contains only text', async () => {
  const place = strange();
  const terminal = openTerminal({
    command: process.execPath,
    args: [...HOLDFAST, 'chat', ...api()],
    cwd: place.workspace,
    env: place.env,
    cols: 120,
    rows: 40,
  });
  onTestFinished(() => terminal.kill());
  await terminal.until(idle);
  terminal.write('Look.\r');
  await terminal.until((screen) => screen.some((row) => row.startsWith('  n  no, with a reason')));
  terminal.write('n');
  await terminal.until((screen) => screen.some((row) => row.startsWith('Why not?')));
  terminal.write('\r');
  await terminal.until(idle);
  const rest = terminal.raw().replace(OURS, '');
  expect(CONTROLS.exec(rest)?.[0], JSON.stringify(rest)).toBeUndefined();
  for (const order of ORDERS) expect(terminal.raw()).not.toContain(order);
  expect(terminal.scrollback().join('\n')).toContain('COMMAND');
});

test('our colours reach a terminal but not a pipe', async () => {
  const place = strange();
  const terminal = openTerminal({
    command: process.execPath,
    args: [...HOLDFAST, 'doctor', ...api()],
    cwd: place.workspace,
    env: place.env,
  });
  await terminal.exit;
  expect(terminal.raw()).toContain('\u001b[32mok      \u001b[39m');
  const forced = await run(process.execPath, [...HOLDFAST, 'config'], {
    cwd: place.workspace,
    env: { ...place.env, FORCE_COLOR: '1' },
  });
  expect(forced.stdout).toContain('\u001b[2m#');
});

test('serve logs no control characters', async () => {
  const place = strange();
  const child: ChildProcess = spawn(
    process.execPath,
    [...HOLDFAST, 'serve', 'crew.yml', '--port', '0', '--store', 'kept.db', ...broken()],
    {
      cwd: place.workspace,
      env: place.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const url = await firstLine(child);
  const answer = await fetch(`${url}/api/crew`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: hostile('QUESTION') }),
  });
  await answer.text();
  writeFileSync(join(place.workspace, 'kept.db'), 'broken');
  await fetch(`${url}/api/sessions/${encodeURIComponent(hostile('NOPE'))}`);
  child.kill('SIGTERM');
  await once(child, 'close');
  expect(CONTROLS.exec(printed)?.[0], JSON.stringify(printed)).toBeUndefined();
});
