import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { codingTask, createStandIn, type StandIn } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { answersTo } from '../../agent/test/executor/run-on-stand-in.ts';
import { HOLDFAST, type Project, project } from './project.ts';

const KILLS = SOAK ? 50 : 4;
const CALLS = SOAK ? 400 : 40;

interface Place extends Project {
  readonly standIn: StandIn;
}

/** A project whose model outlives the processes that talk to it, as a real one does. */
async function place(): Promise<Place> {
  const made = project();
  const script = codingTask(made.workspace, { calls: CALLS, seed: 11, calls_per_answer: 35 });
  const standIn = await createStandIn({ script, keep_bodies: 5_000 });
  onTestFinished(() => standIn.close());
  const config = [
    'provider:',
    '  type: anthropic-api',
    '  model: claude-sonnet-5',
    `  base_url: ${standIn.url}`,
    'execution:',
    '  max_iterations: 200',
    '  conversation: { max_messages: 24, preserve_last_n: 8 }',
    'validation:',
    '  commands: [test -d src]',
  ];
  made.write('holdfast.yml', `${config.join('\n')}\n`);
  return { ...made, standIn };
}

function start({ workspace, env }: Place, ...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [...HOLDFAST, 'run', 'TASK.md', '--json', ...args], { cwd: workspace, env });
}

interface Life {
  readonly events: readonly Record<string, unknown>[];
  readonly code: number | null;
  readonly errors: string;
}

/** Lets a process live until it has reported this many events, plus a moment, or until it ends. */
async function life(child: ChildProcess, most: number, more_ms: number): Promise<Life> {
  const events: Record<string, unknown>[] = [];
  let errors = '';
  child.stderr?.on('data', (bytes) => {
    errors += String(bytes);
  });
  if (!child.stdout) throw new Error('no output');
  createInterface(child.stdout).on('line', (line) => {
    events.push(JSON.parse(line));
    if (events.length === most) setTimeout(() => child.kill('SIGKILL'), more_ms);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { events, code, errors };
}

function contents({ workspace }: Place): Record<string, string> {
  const names = readdirSync(join(workspace, 'src')).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(workspace, 'src', name), 'utf8')]));
}

/** The same numbers in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

test(`kill -9 at ${KILLS} moments of a run, each time resumed: the task completes, no call is answered twice, the files are as they should be`, async () => {
  const straight = await place();
  const plain = await life(start(straight), Number.POSITIVE_INFINITY, 0);
  expect(plain.code, plain.errors).toBe(0);
  const there = await place();
  const next = numbers(7);
  let kills = 0;
  let last: Life | undefined;
  for (let lives = 0; last === undefined; lives++) {
    const mayLive = kills >= KILLS;
    // A few events, so that there are enough lives; and a part of a moment, so that they end anywhere.
    const most = mayLive ? Number.POSITIVE_INFINITY : 1 + Math.floor(next() * 22);
    const ended = await life(start(there, ...(lives === 0 ? [] : ['--resume'])), most, next() * 12);
    if (ended.code === null) kills++;
    else last = ended;
    expect(ended.errors).not.toMatch(/damaged|cannot be read|works on this task/);
  }
  expect(last.code, last.errors).toBe(0);
  expect(kills).toBe(KILLS);
  const result = last.events.at(-1);
  expect(result).toMatchObject({ type: 'run-end', result: { status: 'completed', calls: CALLS + 1 } });
  const requests = (one: Life) => (one.events.at(-1) as { result: { requests: number } }).result.requests;
  expect(requests(last)).toBeGreaterThanOrEqual(requests(plain) - kills);
  expect(requests(last)).toBeLessThanOrEqual(requests(plain) + kills);
  const refused = there.standIn.requests.filter(({ verdict }) => verdict === 'refused');
  expect(refused.map(({ error }) => error)).toEqual([]);
  const answers = answersTo(there.standIn);
  // Nothing is asked after the call that says that the task is complete.
  expect(answers.size).toBe(CALLS);
  for (const [id, texts] of answers) expect([id, [...texts]]).toEqual([id, [expect.any(String)]]);
  expect(contents(there)).toEqual(contents(straight));
}, 600_000);
