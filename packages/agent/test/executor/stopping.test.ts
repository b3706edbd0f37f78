import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { eachEntry, requestAt, sqlite, verifySession } from '@holdfast/sessions';
import { expect, onTestFinished, test } from 'vitest';
import { runPrefix } from '../../src/executor/run-log.ts';
import { anthropicApi, newestRun, newRun, parseTask, readRun } from '../../src/index.ts';
import { KEY, refused } from '../apis.ts';
import { messageEvents, ownServer, stream, textBlock, toolBlock } from '../own-server.ts';
import { answersTo, configOf, FILES, type Setting, scratch, setting } from './run-on-stand-in.ts';

function contents({ workspace }: Setting): string[] {
  return Object.keys(FILES).map((path) => readFileSync(join(workspace, path), 'utf8'));
}

test('stopped after any step and resumed, a run does the same as without the stop, and no step twice', async () => {
  const options = { calls: 45, seed: 4, calls_per_answer: 15 };
  const changes = { execution: { conversation: { max_messages: 16, preserve_last_n: 6 } } };
  const straight = await setting(options, changes);
  const plain = await straight.run();
  const there = await setting(options, changes);
  const started: string[] = [];
  let result = plain;
  for (let lives = 0; lives === 0 || result.status === 'cancelled'; lives++) {
    const stop = new AbortController();
    const now = new AbortController();
    let left = 1 + (lives % 5);
    result = await there.run({
      stop: stop.signal,
      signal: now.signal,
      onEvent(event) {
        if (event.type === 'call-start' && lives % 3 < 2) started.push(event.id);
        // At the start of a call, at its end, or immediately during a request.
        const isMoment = [event.type === 'call-start', event.type === 'call-end', event.type === 'iteration-start'][
          lives % 3
        ];
        if (!isMoment || --left > 0) return;
        if (lives % 3 === 2) setImmediate(() => now.abort());
        else stop.abort();
      },
    });
    expect(lives).toBeLessThan(200);
  }
  expect(result).toMatchObject({ status: 'completed', calls: plain.calls, filesChanged: expect.any(Array) });
  expect(new Set(started).size).toBe(started.length);
  for (const [id, texts] of answersTo(there.standIn)) expect([id, texts.size]).toEqual([id, 1]);
  expect(refused(there.standIn)).toEqual([]);
  expect(contents(there)).toEqual(contents(straight));
  expect((await verifySession(there.store, there.session)).problems).toEqual([]);
  const kept: string[] = [];
  for await (const { seq } of eachEntry(there.store, there.session, { types: ['request'] }))
    kept.push((await requestAt(there.store, there.session, seq)).body);
  const sent = there.standIn.requests.filter(({ path, body }) => path === '/v1/messages' && body);
  // A request that was stopped before it arrived is in the log, and nowhere else.
  expect(kept).toEqual(expect.arrayContaining(sent.map(({ body }) => JSON.stringify(body))));
  // Money and tokens of all processes are in the sum; a request that was cut off has no report.
  expect(result.requests).toBeGreaterThanOrEqual(plain.requests);
  expect(result.elapsedMs).toBeGreaterThan(0);
});

test('a run cannot resume with another provider or in another folder, and reports a changed task', async () => {
  const there = await setting({ calls: 30 }, { execution: { max_iterations: 1 } });
  const stop = new AbortController();
  await there.run({ stop: stop.signal, onEvent: (event) => event.type === 'call-end' && stop.abort() });
  await expect(there.run({ config: configOf({ provider: { type: 'openai-api' } }) })).rejects.toThrow(
    'started with anthropic-api and cannot continue with openai-api',
  );
  await expect(there.run({ workspace: join(there.workspace, 'src') })).rejects.toThrow(
    /works in .*, not in .*src: resume it there/,
  );
  await there.run({ task: parseTask('## Goal\nSomething else.') });
  expect(there.lines('warn')).toContainEqual(expect.stringContaining('have changed since this run began'));
});

test('only one process works on a run; a dead one does not block it', async () => {
  const there = await setting({ calls: 30 });
  const [first, second] = await Promise.allSettled([
    there.run(),
    (async () => {
      while ((await readRun(there.store, there.session))?.holder === undefined) await new Promise(setImmediate);
      return there.run();
    })(),
  ]);
  expect(first.status).toBe('fulfilled');
  expect(second).toMatchObject({
    status: 'rejected',
    reason: { code: 'STORE_CONFLICT', message: expect.stringContaining(`process ${process.pid}`) },
  });
  expect(await readRun(there.store, there.session)).not.toHaveProperty('holder');
  for (const holder of [
    { pid: 999_999_999, host: hostname(), started: '1' },
    { pid: process.pid, host: hostname(), started: 'of another' },
    { pid: process.pid, host: 'elsewhere' },
  ]) {
    const { last } = (await there.store.info(there.session)) ?? { last: 0 };
    await there.store.append(there.session, [{ type: 'run', change: { holder } }], last);
    expect(await there.run()).toMatchObject({ status: 'completed' });
  }
});

test('runs of a task are numbered, by the path of the task', async () => {
  const store = await sqlite(join(scratch(), 'sessions.db'));
  onTestFinished(() => store.close());
  const task = 'tasks/Some task.md';
  expect(runPrefix(task)).toMatch(/^Some-task-[0-9a-f]{8}-$/);
  expect(runPrefix('other/Some task.md')).not.toBe(runPrefix(task));
  expect(await newestRun(store, task)).toBeUndefined();
  for (let n = 1; n <= 12; n++) {
    const id = await newRun(store, task, 'Some task');
    expect(id).toBe(`${runPrefix(task)}${n}`);
    await store.append(id, [{ type: 'run', change: { given: 'x', holder: null } }], 1);
  }
  // A run that never started does not count, and neither does a chat.
  await newRun(store, task, 'Some task');
  await expect(newRun(store, task, 'Some task')).rejects.toThrow(`process ${process.pid} works on this task`);
  await store.create({ id: `${runPrefix(task)}99` });
  expect((await newestRun(store, task))?.session).toBe(`${runPrefix(task)}12`);
});

test('killed right after a paused answer, a run continues that answer', async () => {
  const search = toolBlock('server_tool_use', 'srvtoolu_1', { name: 'web_search', json: '{"query":"q"}' });
  const used = { type: 'message_delta', delta: {}, usage: { input_tokens: 100, output_tokens: 10 } };
  const server = await ownServer((nth, response) => {
    if (nth === 1)
      stream(response, [...messageEvents([textBlock('First. '), search], 'pause_turn').toSpliced(1, 0, used)]);
    else stream(response, messageEvents([textBlock('<TASK_COMPLETE>')], 'end_turn'));
  });
  const there = await setting({ calls: 1 });
  const { store, session } = there;
  const provider = anthropicApi({ base_url: server.url, api_key: KEY, model: 'claude-opus-5-5' });
  let killed = false;
  const append: typeof store.append = async (...given) => {
    if (killed) throw new Error('killed');
    killed = JSON.stringify(given).includes('srvtoolu_1');
    return store.append(...given);
  };
  await there.run({ provider, store: { ...store, append } });
  const { last } = (await store.info(session)) ?? { last: 0 };
  await store.append(session, [{ type: 'run', change: { holder: null } }], last);
  await there.run({ provider });
  const { messages } = server.bodies[1] as { messages: { role: string; content: unknown }[] };
  expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: [{ text: 'First. ' }, { id: 'srvtoolu_1' }] });
});

test('a run that another process continues ends here, and says so', async () => {
  const there = await setting({ calls: 10 });
  const { store, session } = there;
  const continued = async (): Promise<unknown> => {
    const { last = 0 } = (await store.info(session)) ?? {};
    return store.append(session, [{ type: 'run', change: {} }], last).catch(continued);
  };
  let other: Promise<unknown> | undefined;
  const result = await there.run({
    onEvent({ type }) {
      if (type === 'call-start') other ??= continued();
    },
  });
  await other;
  expect(result).toMatchObject({ status: 'failed', reason: expect.stringMatching(/^another process has continued/) });
});

test('of several processes that start a task together, one gets the run, whatever a killed one left behind', async () => {
  const path = join(scratch(), 'sessions.db');
  const stores = await Promise.all(Array.from({ length: 6 }, () => sqlite(path)));
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
  for (const [round, left] of [undefined, 'empty', 'chat'].entries()) {
    const task = `tasks/${round}.md`;
    const [first] = stores;
    if (left) await first?.create({ id: `${runPrefix(task)}1` });
    if (left === 'chat') await first?.append(`${runPrefix(task)}1`, [{ type: 'title', title: 'no run' }], 0);
    const ends = await Promise.allSettled(stores.map((store) => newRun(store, task, 'Some task')));
    const started = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    expect(started).toEqual([`${runPrefix(task)}${left === 'chat' ? 2 : 1}`]);
    for (const end of ends)
      if (end.status === 'rejected')
        expect(end.reason).toMatchObject({ message: expect.stringMatching(/^process \d+ works/) });
  }
});

test('a damaged log is refused, with advice', async () => {
  const there = await setting({ calls: 10 }, { execution: { max_iterations: 1 } });
  const stop = new AbortController();
  await there.run({ stop: stop.signal, onEvent: (event) => event.type === 'call-end' && stop.abort() });
  const db = new DatabaseSync(join(there.home, 'sessions.db'));
  db.exec(`UPDATE entries SET body = replace(body, 'src/', 'bad/') WHERE type = 'message'`);
  db.close();
  await expect(there.run()).rejects.toMatchObject({
    code: 'BAD_STORE',
    message: expect.stringContaining('holdfast sessions verify'),
  });
});

test('resuming a task that never got an answer starts over, with the current files', async () => {
  const rules = 'Mind this rule.\n'.repeat(2_000);
  const there = await setting(
    { calls: 3 },
    { execution: { conversation: { max_tokens: 9_000 } } },
    { ...FILES, 'AGENTS.md': rules },
  );
  expect(await there.run()).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('shorten it, or raise max_tokens'),
  });
  writeFileSync(join(there.workspace, 'AGENTS.md'), 'A short rule.');
  expect(await there.run()).toMatchObject({ status: 'completed', calls: 4 });
});

test('a command that changes very many files leaves state and events small', async () => {
  const there = await setting(({ results }) => {
    if (results.length > 0) return { calls: [{ name: 'task_complete', input: { summary: 'many' } }] };
    const command = 'mkdir -p src/many && cd src/many && seq 1 3000 | xargs touch';
    return { calls: [{ name: 'run_command', input: { command } }] };
  });
  const result = await there.run();
  expect(result).toMatchObject({ status: 'completed', filesChangedCount: 3_000 });
  expect(result.filesChanged).toHaveLength(200);
  expect((await there.store.info(there.session))?.bytes).toBeLessThan(200_000);
  for (const event of there.events)
    if (event.type === 'state-change') expect(JSON.stringify(event).length).toBeLessThan(2_000);
});

test('an iteration that runs out of time while it works has not failed, and the next one continues', async () => {
  let left = 10;
  const there = await setting(
    ({ results }) => {
      // Silent once, so that only the time limit ends the first iteration.
      if (left-- === 5) return new Promise(() => {});
      if (left < 0) return { calls: [{ name: 'task_complete', input: { summary: 'done' } }] };
      return { calls: [{ name: 'write_file', input: { path: `src/${left}.txt`, content: `${results.length}` } }] };
    },
    { execution: { timeout_per_iteration: 3, max_consecutive_failures: 1 } },
  );
  const result = await there.run();
  expect(result).toMatchObject({ status: 'completed', calls: 10 });
  expect(result.iteration).toBeGreaterThan(1);
  for (const [id, texts] of answersTo(there.standIn)) expect([id, texts.size]).toEqual([id, 1]);
});

test('a task ends with the answer that completes it: its other calls still run, and no request follows', async () => {
  const there = await setting(({ results }) =>
    results.length > 0
      ? { calls: [{ name: 'write_file', input: { path: 'src/oops.txt', content: 'x' } }] }
      : {
          calls: [
            { name: 'task_complete', input: { summary: 'all' } },
            { name: 'write_file', input: { path: 'src/beside.txt', content: 'x' } },
          ],
        },
  );
  expect(await there.run()).toMatchObject({ status: 'completed', summary: 'all', requests: 1, calls: 2 });
  expect(existsSync(join(there.workspace, 'src/beside.txt'))).toBe(true);
  expect(existsSync(join(there.workspace, 'src/oops.txt'))).toBe(false);
});

test('a run stopped during validation repeats it when resumed', async () => {
  const there = await setting({ calls: 4 }, { validation: { commands: ['sleep 30', 'true'] } });
  const stop = new AbortController();
  const waiting = there.run({
    stop: stop.signal,
    onEvent: (event) => event.type === 'state-change' && event.state.phase === 'validation' && stop.abort(),
  });
  expect(await waiting).toMatchObject({ status: 'cancelled', calls: 5 });
  const checks: string[] = [];
  const config = configOf({ validation: { commands: ['true'] } });
  const result = await there.run({
    config,
    onEvent: (event) => event.type === 'validation-end' && checks.push(event.result.command),
  });
  expect(result).toMatchObject({ status: 'completed', calls: 5, requests: (await waiting).requests });
  expect(checks).toEqual(['true']);
});
