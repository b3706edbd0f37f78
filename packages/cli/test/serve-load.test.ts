import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { createStandIn, type StandIn } from '@holdfast/stand-in';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { BIN, COMPILE_CACHE, folderWith, VOUCHED } from './holdfast.ts';
import { readEvents } from './serving.ts';

/** Seconds without faults, and with them; of each, those that count as warm-up, and those that are compared. */
const CALM = SOAK ? { seconds: 60, warm: 15, part: 10 } : { seconds: 10, warm: 5, part: 3 };
const ROUGH = SOAK ? { seconds: 60, warm: 15, part: 10 } : { seconds: 6, warm: 2, part: 2 };
const CLIENTS = 200;
const STALLED = SOAK ? CLIENTS / 20 : 4;
/** Left alone, V8 makes room for what is young for some 15 seconds of load; so the process has its size after four. */
const SMALL = ['--max-semi-space-size=1'];
/** Memory may be so much more at the end than after the warm-up. */
const MOST = 1.2;
const CREW = `
entry: lead
tools:
  look: { about: Looks, command: [echo, seen] }
agents:
  lead: { role: Lead., hand_offs: [clerk], max_messages_per_request: 3 }
  clerk: { role: Clerk., terminal: true, max_messages_per_request: 3 }
`;

const LEAD = 'To the clerk. [ROUTE_CLERK]';
const WORDS = 'words and more words, '.repeat(8);

let standIn: StandIn;
let child: ChildProcess;
let url = '';

beforeAll(async () => {
  standIn = await createStandIn({
    keep_bodies: 0,
    script: ({ system, messages }) =>
      system.includes('You are lead')
        ? { text: LEAD }
        : { text: WORDS + /client-\d+-\d+/.exec(messages.findLast(({ role }) => role === 'user')?.text ?? '')?.[0] },
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
      ...(SOAK ? [] : SMALL),
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
      env: {
        ...COMPILE_CACHE,
        ...VOUCHED,
        PATH: process.env.PATH ?? '',
        HOME: `${cwd}-home`,
        ANTHROPIC_API_KEY: 'test-key',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [line] = await once(child.stdout ?? process.stdin, 'data');
  url = String(line).trim();
  createInterface({ input: child.stderr ?? process.stdin }).on('line', (line) => {
    if (line.startsWith('{')) samples.push(JSON.parse(line));
  });
}, 120_000);
afterAll(async () => {
  child.kill('SIGKILL');
  await standIn.close();
});

/** What the server holds, told each second: its whole process, and what is in use once what nobody needs is gone. */
interface Sample {
  readonly rss: number;
  readonly held: number;
}
let samples: Sample[] = [];
const TELL =
  "setInterval(() => { gc(); const { rss, heapUsed, external } = process.memoryUsage(); process.stderr.write(JSON.stringify({ rss, held: heapUsed + external }) + '\\n') }, 1000).unref()";

const mean = (some: readonly Sample[], of: keyof Sample) =>
  some.reduce((sum, sample) => sum + sample[of], 0) / some.length;

/** Megabytes after the warm-up and at the end; throws where they grew. */
function flat(name: string, { warm, part }: typeof CALM, of: keyof Sample): string {
  const [first, last] = [mean(samples.slice(warm, warm + part), of), mean(samples.slice(-part), of)];
  expect(last / first, `${name}: ${of} from ${first} to ${last}`).toBeLessThanOrEqual(MOST);
  return `${of} ${Math.round(first / 1e6)} MB, then ${Math.round(last / 1e6)} MB`;
}

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

/** Every event once and in order; of each agent its start, its words and its end; the result is the last. */
function check(events: Awaited<ReturnType<typeof readEvents>>, name: string, tally: Tally): void {
  const result = events.at(-1)?.data.result as { status?: string; output?: string } | undefined;
  if (result?.status === 'failed') {
    tally.failed++;
    return;
  }
  const inOrder = events.every(({ id }, i) => id.endsWith(`:${i + 1}`));
  const steps = events
    .filter(({ type }) => STEPS.includes(type))
    .map(({ type, data }) => `${type} ${data.agent ?? ''}`);
  const said = (agent: string) =>
    events.flatMap(({ type, data }) => (type === 'text-delta' && data.agent === agent ? [data.text] : [])).join('');
  // A request that failed half-way was made again, and its words with it.
  const isWhole =
    said('lead').endsWith(LEAD) && said('clerk').endsWith(WORDS + name) && result?.output === WORDS + name;
  if (inOrder && isWhole && result?.status === 'complete' && steps.join() === ALL_STEPS.join()) tally.done++;
  else tally.wrong.push(`${name}: ${steps.join()} ${JSON.stringify(result)}`);
}
const STEPS = ['history-append', 'agent-start', 'agent-end', 'hand-off', 'result'];
const ALL_STEPS = [
  'history-append ',
  'agent-start lead',
  'agent-end lead',
  'history-append ',
  'hand-off ',
  'agent-start clerk',
  'agent-end clerk',
  'history-append ',
  'result ',
];

/** A client that asks for more than the system holds for it, which was 4 MB, and reads nothing of it. */
function stall(number: number) {
  const content = 'much '.repeat(30_000);
  const history = Array.from({ length: 40 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content }));
  const body = JSON.stringify({ input: `client-${number}-0`, history });
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1').pause();
  const closed = new Promise<void>((resolve) => {
    socket.on('error', () => {}).once('close', () => resolve());
  });
  socket.write(
    `POST /api/crew/stream HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return {
    /** The answer has begun. */
    heard: once(socket, 'readable'),
    /** All that comes, once it reads. */
    async read(): Promise<string> {
      let text = '';
      socket.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      socket.resume();
      await closed;
      return text;
    },
    end: () => void socket.destroy(),
  };
}

/** Several of them, whose requests are over and whose answers hang. */
async function stallSome(count: number) {
  const stalled = Array.from({ length: count }, (_, i) => stall(10_000 + i));
  await Promise.all(stalled.map((one) => one.heard));
  await expect.poll(active).toBe(0);
  return stalled;
}

async function load(seconds: number, vanish: (number: number, turn: number) => boolean): Promise<Tally> {
  const tally: Tally = { done: 0, wrong: [], vanished: 0, failed: 0 };
  const until = performance.now() + seconds * 1_000;
  await Promise.all(
    Array.from({ length: CLIENTS }, (_, number) => client(number, until, tally, (turn) => vanish(number, turn))),
  );
  return tally;
}

/** Nothing is under way, and what was kept for readers who might come back is gone. */
async function atRest(): Promise<Sample> {
  await expect.poll(active).toBe(0);
  const from = samples.length;
  // Longer than --resume.
  await expect.poll(() => samples.length).toBeGreaterThanOrEqual(from + 3);
  return samples.at(-1) ?? { rss: 0, held: 0 };
}

let rest: Sample;

test(`${CLIENTS} streaming clients: no error, every event in order, flat memory`, { timeout: 900_000 }, async () => {
  samples = [];
  const { done, wrong } = await load(CALM.seconds, () => false);
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(done).toBeGreaterThanOrEqual(CLIENTS);
  const sizes = [flat('calm', CALM, 'held'), flat('calm', CALM, 'rss')].join('; ');
  console.log(`load: ${CLIENTS} clients, ${done} requests in ${CALM.seconds} s; ${sizes}`);
  rest = await atRest();
});

test('a twentieth of the clients vanishes, some read nothing, a twentieth of the model requests fails: nothing leaks, nothing is stuck', {
  timeout: 900_000,
}, async () => {
  const kinds = ['overloaded', 'reset', 'mid-reset', 'server-error'] as const;
  const failing = (i: number) => (i % 20 === 7 ? kinds[((i / 20) % 4) | 0] : undefined);
  standIn.fail(...Array.from({ length: 100_000 }, (_, i) => failing(i)));
  const stalled = await stallSome(STALLED);
  samples = [];
  const { done, wrong, vanished, failed } = await load(ROUGH.seconds, (number, turn) => (7 * number + turn) % 20 === 0);
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(done).toBeGreaterThan(0);
  expect(vanished).toBeGreaterThan(0);
  const sizes = [flat('rough', ROUGH, 'held'), flat('rough', ROUGH, 'rss')].join('; ');
  // Who reads at last has lost nothing, unless they took longer than a write may take: then they were cut off.
  await expect.poll(active).toBe(0);
  const whole = (await Promise.all(stalled.map((one) => one.read()))).filter((text) =>
    /\nevent: result\n.*\n.*\n\n/.test(text),
  );
  expect(whole).toHaveLength(SOAK ? 0 : STALLED);
  const after = await atRest();
  expect(after.held / rest.held).toBeLessThanOrEqual(MOST);
  const rests = [rest, after].map(({ held }) => `${Math.round(held / 1e6)} MB`);
  console.log(
    `rough: ${done} requests done, ${vanished} clients vanished, ${failed} failed for good, ${STALLED} read nothing in ${ROUGH.seconds} s; ${sizes}; at rest ${rests.join(', then ')}`,
  );
});

test('a reader who reads nothing does not keep the server from its end', async () => {
  const stalled = await stallSome(1);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  for (const one of stalled) one.end();
});
