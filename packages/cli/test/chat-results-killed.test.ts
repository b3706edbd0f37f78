import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { eachEntry, messageText, sqlite, verifySession } from '@holdfast/sessions';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { chatProject, chatServer, endChats, flagsFor, idle, startChat } from './chat-place.ts';
import { run } from './holdfast.ts';
import { HOLDFAST, type Project } from './project.ts';

/** Calls of one answer: the model gets all results together, the user sees each as it ends. */
const CALLS = 3;

const server = chatServer();
endChats();

/** What each kind of answer calls, and where the result of its nth call is found. */
const KINDS = { one: 1, many: CALLS } as const;
type Kind = keyof typeof KINDS;

const wordOf = (life: string, call: number) => `result-${life}-${call}`;

/** The last call of many takes long: the process is killed while it runs. */
function promptFor(life: string, kind: Kind): string {
  const prompt = `make ${kind} ${life} now`;
  const calls = Array.from({ length: KINDS[kind] }, (_, at) => {
    const slow = at === CALLS - 1 ? '; sleep 20' : '';
    return { name: 'run_command', input: { command: `echo result-${life}-$((${at}))${slow}` } };
  });
  server.answer(prompt, { text: 'I call.', calls });
  return prompt;
}

/** All texts of the newest session: of messages, and of results that no message has yet. */
async function keptIn({ home }: Project): Promise<{ id: string; text: string; problems: readonly string[] }> {
  const store = await sqlite(join(home, 'sessions.db'));
  try {
    const id = (await store.list({ limit: 1 }))[0]?.id ?? '';
    const texts: string[] = [];
    for await (const { entry } of eachEntry(store, id, { types: ['message', 'result'] }))
      texts.push(entry.type === 'message' ? messageText(entry.message) : entry.type === 'result' ? entry.text : '');
    return { id, text: texts.join('\n'), problems: (await verifySession(store, id)).problems };
  } finally {
    await store.close();
  }
}

/** Talks by a pipe, and kills as soon as so many calls are said to have ended. Gives how many were. */
function killedInPipe(place: Project, prompt: string, after: number): Promise<number> {
  const child = spawn(process.execPath, [...HOLDFAST, 'chat', ...flagsFor(server), '--yolo', '--json'], {
    cwd: place.workspace,
    env: place.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => {}).end(prompt);
  let text = '';
  const ended = () => text.split('\n').filter((line) => line.startsWith('{"type":"call-end"')).length;
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    if (ended() >= after) child.kill('SIGKILL');
  });
  return new Promise((resolve) => child.once('close', () => resolve(ended())));
}

/** The same in a terminal, redrawn or line by line. */
async function killedInTerminal(place: Project, prompt: string, after: number, term: string): Promise<number> {
  const terminal = startChat(place, server, ['--yolo'], { env: { TERM: term } });
  const isReady = term === 'dumb' ? (screen: readonly string[]) => screen.some((row) => row.startsWith('>')) : idle;
  await terminal.until(isReady);
  terminal.write(`${prompt}\r`);
  const ended = (screen: readonly string[]) => screen.filter((row) => /^ {2}(?:✓|ok) run_command/.test(row)).length;
  await terminal.until((screen) => ended(screen) >= after);
  process.kill(terminal.pid, 'SIGKILL');
  await terminal.exit;
  return ended(terminal.screen());
}

const WAYS = [
  { way: 'a pipe with --json', lives: SOAK ? 120 : 4, kill: killedInPipe },
  {
    way: 'a terminal',
    lives: SOAK ? 60 : 2,
    kill: (place: Project, prompt: string, after: number) => killedInTerminal(place, prompt, after, 'xterm-256color'),
  },
  {
    way: 'a terminal, line by line',
    lives: SOAK ? 60 : 2,
    kill: (place: Project, prompt: string, after: number) => killedInTerminal(place, prompt, after, 'dumb'),
  },
] as const;

test.each(WAYS)(
  '$way: whatever result was shown is found after kill -9, $lives times',
  async ({ way, lives, kill }) => {
    let shown = 0;
    for (let one = 0; one < lives; one++) {
      const place = chatProject();
      const kind: Kind = one % 4 === 3 ? 'one' : 'many';
      const life = `${WAYS.findIndex((other) => other.way === way)}x${one}`;
      const after = kind === 'one' ? 1 : 1 + (one % (CALLS - 1));
      const seen = await kill(place, promptFor(life, kind), after);
      expect(seen).toBeGreaterThanOrEqual(after);
      const { text, problems } = await keptIn(place);
      expect(problems).toEqual([]);
      for (let call = 0; call < seen; call++) expect(text, `life ${one}`).toContain(wordOf(life, call));
      shown += seen;
    }
    expect(shown).toBeGreaterThanOrEqual(lives);
    if (SOAK) console.log(`${way}: ${shown} results shown, all found, ${lives} kills`);
  },
  900_000,
);

test('a resumed chat passes on saved results and marks the others as cut off', async () => {
  const place = chatProject();
  await killedInPipe(place, promptFor('again', 'many'), CALLS - 1);
  const { id } = await keptIn(place);
  const look = async (...args: readonly string[]) =>
    (await run(process.execPath, [...HOLDFAST, ...args], { cwd: place.workspace, env: place.env })).stdout;
  for (let call = 0; call < CALLS - 1; call++) {
    expect(await look('sessions', 'show', id)).toContain(wordOf('again', call));
    expect(await look('recall', id, wordOf('again', call))).toContain(`\n  ${wordOf('again', call)}`);
    const found = new RegExp(`(#\\d+), lines[^#]*${wordOf('again', call)}`);
    const [, handle = ''] = found.exec(await look('recall', id, wordOf('again', call))) ?? [];
    expect(await look('recall', id, handle)).toContain(wordOf('again', call));
    expect(await look('sessions', 'show', id, '--json')).toContain(wordOf('again', call));
  }
  const resumed = await run(process.execPath, [...HOLDFAST, 'chat', ...flagsFor(server), '--resume', id], {
    cwd: place.workspace,
    env: place.env,
    input: 'what now?',
  });
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stderr).toContain('the process ended during run_command: the model will be informed');
  const sent = JSON.stringify(server.standIn.requests.at(-1)?.body);
  for (let call = 0; call < CALLS - 1; call++) expect(sent).toContain(wordOf('again', call));
  expect(sent.match(/The process was ended before this call had a result/g)).toHaveLength(1);
  expect((await keptIn(place)).problems).toEqual([]);
});
