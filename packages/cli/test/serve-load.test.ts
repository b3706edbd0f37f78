import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createStandIn, type StandIn } from '@holdfast/stand-in';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BIN, COMPILE_CACHE, folderWith } from './holdfast.ts';
import { readEvents } from './serving.ts';

const SOAK = Boolean(process.env.HOLDFAST_SOAK);
/** Seconds without faults, and with them; of the first, those that count as warm-up, and those that are compared. */
const TIMES = SOAK ? { calm: 60, rough: 30, warm: 15, part: 10 } : { calm: 8, rough: 3, warm: 3, part: 2 };
const CLIENTS = 200;
const CREW = `
entry: lead
tools:
  look: { about: Looks, command: [echo, seen] }
agents:
  lead: { role: Lead., hand_offs: [clerk] }
  clerk: { role: Clerk., terminal: true }
`;

let standIn: StandIn;
let child: ChildProcess;
let url = '';

beforeAll(async () => {
  const words = 'words and more words, '.repeat(8);
  standIn = await createStandIn({
    keep_bodies: 0,
    script: ({ system, messages }) =>
      system.includes('You are lead')
        ? { text: 'To the clerk. [ROUTE_CLERK]' }
        : { text: `${words}${/client-\d+-\d+/.exec(messages[0]?.text ?? '')?.[0]}` },
  });
  const cwd = folderWith({ 'crew.yml': CREW });
  const flags = [
    '--port',
    '0',
    '--base-url',
    standIn.url,
    '--model',
    'claude-sonnet-5',
    '--rate',
    '0',
    '--resume',
    '1',
    '--max-concurrent',
    '1000',
  ];
  child = spawn(
    process.execPath,
    [
      '--expose-gc',
      '--import',
      `data:text/javascript,${TELL}`,
      '--conditions=@holdfast/source',
      BIN,
      'serve',
      'crew.yml',
      ...flags,
    ],
    {
      cwd,
      env: { ...COMPILE_CACHE, PATH: process.env.PATH ?? '', HOME: `${cwd}-home`, ANTHROPIC_API_KEY: 'test-key' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [line] = await once(child.stdout ?? process.stdin, 'data');
  url = String(line).trim();
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    for (const [, size] of text.matchAll(/heap (\d+)/g)) sizes.push(Number(size));
  });
}, 120_000);
afterAll(async () => {
  child.kill('SIGKILL');
  await standIn.close();
});

/** Bytes that the server holds on to, told each second: what is merely not collected yet is no leak. */
const sizes: number[] = [];
const TELL =
  "setInterval(() => { gc(); process.stderr.write('heap ' + process.memoryUsage().heapUsed + ' ') }, 1000).unref()";

const active = async () => Number(/"active":(\d+)/.exec(await (await fetch(`${url}/ready`)).text())?.[1]);

interface Tally {
  done: number;
  readonly wrong: string[];
  vanished: number;
  failed: number;
}

/** One client: it asks again and again until the time is over, and looks at all that it gets. */
async function client(number: number, until: number, tally: Tally, vanish: (turn: number) => boolean): Promise<void> {
  for (let turn = 0; performance.now() < until; turn++) {
    const name = `client-${number}-${turn}`;
    const gone = vanish(turn);
    try {
      const response = await fetch(`${url}/api/crew/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ input: name }),
      });
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      const events = await readEvents(response, ({ type }) => gone && type === 'text-delta');
      if (gone) tally.vanished++;
      else check(events, name, tally);
    } catch (error) {
      tally.wrong.push(`${name}: ${error}`);
    }
  }
}

function check(events: Awaited<ReturnType<typeof readEvents>>, name: string, tally: Tally): void {
  const inOrder = events.every(({ id }, i) => id.endsWith(`:${i + 1}`));
  const result = events.at(-1)?.data.result as { status?: string; output?: string } | undefined;
  const said = events
    .flatMap(({ type, data }) => (type === 'text-delta' && data.agent === 'clerk' ? [data.text] : []))
    .join('');
  if (result?.status === 'failed') tally.failed++;
  else if (!inOrder || result?.status !== 'complete' || !result.output?.endsWith(name) || !said.endsWith(name))
    tally.wrong.push(`${name}: ${JSON.stringify(result)}`);
  else tally.done++;
}

async function load(seconds: number, vanish: (number: number, turn: number) => boolean): Promise<Tally> {
  const tally: Tally = { done: 0, wrong: [], vanished: 0, failed: 0 };
  const until = performance.now() + seconds * 1_000;
  await Promise.all(
    Array.from({ length: CLIENTS }, (_, number) => client(number, until, tally, (turn) => vanish(number, turn))),
  );
  return tally;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test(`${CLIENTS} streaming clients: no error, every event in order, flat memory`, { timeout: 900_000 }, async () => {
  sizes.length = 0;
  const { done, wrong } = await load(TIMES.calm, () => false);
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(done).toBeGreaterThanOrEqual(CLIENTS);
  const first = mean(sizes.slice(TIMES.warm, TIMES.warm + TIMES.part));
  const last = mean(sizes.slice(-TIMES.part));
  console.log(
    `load: ${CLIENTS} clients, ${done} requests in ${TIMES.calm} s, memory ${Math.round(first / 1e6)} MB, then ${Math.round(last / 1e6)} MB`,
  );
  expect(last / first).toBeLessThanOrEqual(1.2);
});

test('a twentieth of the clients vanishes and a twentieth of the model requests fails: nothing leaks, nothing is stuck', {
  timeout: 900_000,
}, async () => {
  const faults = Array.from({ length: 4_000 }, (_, i) =>
    i % 20 === 7 ? (['overloaded', 'reset', 'mid-reset', 'server-error'] as const)[((i / 20) % 4) | 0] : undefined,
  );
  standIn.fail(...faults);
  const { done, wrong, vanished, failed } = await load(TIMES.rough, (number, turn) => (7 * number + turn) % 20 === 0);
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(done).toBeGreaterThan(0);
  expect(vanished).toBeGreaterThan(0);
  await expect.poll(active, { timeout: 20_000 }).toBe(0);
  console.log(`rough: ${done} requests done, ${vanished} clients vanished, ${failed} failed for good`);
});
