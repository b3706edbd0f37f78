import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { createStandIn, type StandIn } from '@holdfast/stand-in';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstLine } from '../../../scripts/first-line.ts';
import { SOAK } from '../../../scripts/soak.ts';
import { BIN, COMPILE_CACHE, folderWith, VOUCHED } from './holdfast.ts';
import { ask, readEvents, TOKEN } from './serving.ts';

/** Rounds of one request of each client, without faults and with them: those of the warm-up, those that are compared. */
const CALM = SOAK ? { rounds: 100, warm: 30, part: 10 } : { rounds: 6, warm: 2, part: 2 };
const ROUGH = SOAK ? { rounds: 100, warm: 30, part: 10 } : { rounds: 4, warm: 1, part: 1 };
const CLIENTS = SOAK ? 200 : 20;
const STALLED = SOAK ? CLIENTS / 20 : 2;
/** Left alone, V8 grows the space for young objects for some 15 seconds of load; this keeps it small. */
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
        HOLDFAST_SERVE_TOKEN: TOKEN,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  url = await firstLine(child);
  createInterface({ input: child.stderr ?? process.stdin }).on('line', (line) => {
    if (line.startsWith('{')) sampled(JSON.parse(line));
  });
}, 120_000);
afterAll(async () => {
  child.kill('SIGKILL');
  await standIn.close();
});

/** What the server holds after a collection of garbage: its whole process, and what is in use. */
interface Sample {
  readonly rss: number;
  readonly held: number;
}
const TELL =
  "process.on('SIGUSR2', () => { gc(); const { rss, heapUsed, external } = process.memoryUsage(); process.stderr.write(JSON.stringify({ rss, held: heapUsed + external }) + '\\n') })";
let sampled: (sample: Sample) => void = () => {};

function sample(): Promise<Sample> {
  return new Promise((resolve) => {
    sampled = resolve;
    child.kill('SIGUSR2');
  });
}

const mean = (some: readonly Sample[], of: keyof Sample) =>
  some.reduce((sum, sample) => sum + sample[of], 0) / some.length;

/** Megabytes after the warm-up and at the end; throws where they grew. */
function flat(name: string, samples: readonly Sample[], { warm, part }: typeof CALM, of: keyof Sample): string {
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

/** The newest event of each request: with its id, a reader could come back. */
const newest: string[] = [];

/** One request of a client, which looks at all that it gets. */
async function request(name: string, tally: Tally, gone: boolean): Promise<void> {
  try {
    const response = await ask(`${url}/api/crew/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: name }),
    });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    const events = await readEvents(response, ({ type }) => gone && type === 'text-delta');
    newest.push(events.at(-1)?.id ?? '');
    if (gone) tally.vanished++;
    else check(events, name, tally);
  } catch (error) {
    tally.wrong.push(`${name}: ${error}`);
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
    `POST /api/crew/stream HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
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

/** All clients concurrently, round after round, and the server's memory after each. */
async function load(rounds: number, vanish: (number: number, turn: number) => boolean) {
  const tally: Tally = { done: 0, wrong: [], vanished: 0, failed: 0 };
  const samples: Sample[] = [];
  for (let turn = 0; turn < rounds; turn++) {
    const clients = Array.from({ length: CLIENTS }, (_, number) =>
      request(`client-${number}-${turn}`, tally, vanish(number, turn)),
    );
    await Promise.all(clients);
    samples.push(await sample());
  }
  return { ...tally, samples };
}

/** Nothing is under way, and what was kept for readers who might come back is gone. */
async function atRest(): Promise<Sample> {
  await expect.poll(active).toBe(0);
  const come = async (id: string) => {
    const { status, body } = await ask(`${url}/api/crew/stream`, { headers: { 'last-event-id': id } });
    await body?.cancel();
    return status;
  };
  for (const id of newest.splice(0).slice(-CLIENTS)) await expect.poll(() => come(id)).toBe(410);
  return sample();
}

let rest: Sample;

test(`${CLIENTS} streaming clients: no error, every event in order, flat memory`, async () => {
  const { done, wrong, samples } = await load(CALM.rounds, () => false);
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(done).toBe(CLIENTS * CALM.rounds);
  const sizes = [flat('calm', samples, CALM, 'held'), flat('calm', samples, CALM, 'rss')].join('; ');
  console.log(`load: ${CLIENTS} clients, ${done} requests; ${sizes}`);
  rest = await atRest();
});

test('nothing leaks and nothing hangs when clients vanish or read nothing and model requests fail', async () => {
  const kinds = ['overloaded', 'reset', 'mid-reset', 'server-error'] as const;
  const failing = (i: number) => (i % 20 === 7 ? kinds[((i / 20) % 4) | 0] : undefined);
  standIn.fail(...Array.from({ length: 100_000 }, (_, i) => failing(i)));
  const stalled = await stallSome(STALLED);
  const vanishes = (number: number, turn: number) => (7 * number + turn) % 20 === 0;
  const first = await load(1, vanishes);
  // A client that reads late has lost nothing, unless it took longer than a write may take, as in the soak.
  const late = SOAK ? [] : await Promise.all(stalled.map((one) => one.read()));
  const { done, wrong, vanished, failed, samples } = await load(ROUGH.rounds, vanishes);
  expect([...first.wrong, ...wrong].slice(0, 3)).toEqual([]);
  expect(done).toBeGreaterThan(0);
  expect(vanished).toBeGreaterThan(0);
  const sizes = [flat('rough', samples, ROUGH, 'held'), flat('rough', samples, ROUGH, 'rss')].join('; ');
  await expect.poll(active).toBe(0);
  const texts = SOAK ? await Promise.all(stalled.map((one) => one.read())) : late;
  const whole = texts.filter((text) => /\nevent: result\n.*\n.*\n\n/.test(text));
  expect(whole).toHaveLength(SOAK ? 0 : STALLED);
  let after = await atRest();
  const growth = async () => {
    after = await sample();
    return after.held / rest.held;
  };
  await expect.poll(growth, { interval: 500 }).toBeLessThanOrEqual(MOST);
  const rests = [rest, after].map(({ held }) => `${Math.round(held / 1e6)} MB`);
  console.log(
    `rough: ${done} requests done, ${vanished} clients vanished, ${failed} failed for good, ${STALLED} read nothing; ${sizes}; at rest ${rests.join(', then ')}`,
  );
});

test('a client that reads nothing does not keep the server from stopping', async () => {
  const stalled = await stallSome(1);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  for (const one of stalled) one.end();
});
