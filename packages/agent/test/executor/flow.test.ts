import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eachEntry, verifySession } from '@holdfast/sessions';
import { codingTask, createStandIn, STAND_IN_MODELS, type StandInModel } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { SOAK } from '../../../../scripts/soak.ts';
import { anthropicApi, type ExecutorState, parseTask, readRun } from '../../src/index.ts';
import { KEY, refused } from '../apis.ts';
import { configOf, FILES, scratch, setting } from './run-on-stand-in.ts';

const ITERATIONS = SOAK ? 50 : 15;

test(`${ITERATIONS} iterations of 10 calls at max_messages 30: complete, bounded, nothing refused, rules in every request`, async () => {
  const calls = 10 * ITERATIONS;
  const there = await setting(
    { calls, seed: 3, calls_per_answer: 10 },
    { execution: { max_iterations: 60, max_conversation_messages: 30 } },
  );
  const result = await there.run();
  expect(refused(there.standIn)).toEqual([]);
  expect(result).toMatchObject({ status: 'completed', summary: expect.stringContaining(`all ${calls} calls`) });
  expect(result.iteration).toBe(ITERATIONS + 1);
  // And the one that says that it is complete.
  expect(result.calls).toBe(calls + 1);
  expect(result.folds).toBeGreaterThan(ITERATIONS * 0.6);
  const asked = there.standIn.requests.filter(({ path, body }) => path === '/v1/messages' && body);
  expect(asked.length).toBeGreaterThan(calls * 0.4);
  for (const { body } of asked) {
    const { messages } = body as { messages: unknown[] };
    expect(messages.length).toBeLessThanOrEqual(30);
    const first = JSON.stringify(messages[0]);
    expect(first).toContain('Rule 7: never delete a line.');
    expect(first).toContain('Change one line at a time.');
  }
  // Entries besides the conversation are a small part of the log.
  let bytes = 0;
  for await (const { entry } of eachEntry(there.store, there.session, { types: ['run', 'call'] }))
    bytes += JSON.stringify(entry).length;
  expect(bytes).toBeLessThan(((await there.store.info(there.session))?.bytes ?? 0) / 5);
  expect((await verifySession(there.store, there.session)).problems).toEqual([]);
  expect(result.filesChanged.length).toBeGreaterThan(5);
  expect(result.filesChanged.every((path) => path.startsWith('src/'))).toBe(true);
});

test('instructions that were read and checked before are used, whatever the files say now', async () => {
  const there = await setting({ calls: 1, seed: 1 });
  const rules = { kind: 'rules', name: 'AGENTS.md', path: 'AGENTS.md', text: 'Rule 8: add lines only.' } as const;
  await there.run({ context: { parts: [rules], warnings: [] } });
  const [first] = there.standIn.requests.filter(({ path, body }) => path === '/v1/messages' && body);
  expect(JSON.stringify(first?.body)).toContain('Rule 8: add lines only.');
  expect(JSON.stringify(first?.body)).not.toContain('Rule 7');
});

test('the configuration reaches the provider, and the figures appear in the result, the log and the live state', async () => {
  const there = await setting(
    { calls: 60, seed: 5, calls_per_answer: 20 },
    {
      provider: { max_output: 1_234 },
      execution: { conversation: { max_messages: 16, preserve_last_n: 6, strategy: 'sliding' } },
    },
  );
  const result = await there.run();
  const bodies = there.standIn.requests.filter(({ path, body }) => path === '/v1/messages' && body);
  for (const { body } of bodies) expect(body).toMatchObject({ max_tokens: 1_234 });
  expect(Math.max(...bodies.map(({ body }) => (body as { messages: unknown[] }).messages.length))).toBe(16);
  expect(result.context).toMatchObject({ maxMessages: 16 });
  expect(result.conversationMessageCount).toBeGreaterThan(0);
  expect(result.tokenUsage.cacheReadTokens).toBeGreaterThan(0);
  expect(result.cost?.spent).toBeGreaterThan(0);
  expect(result.cost?.everything).toBeGreaterThan(0);
  expect(result.cacheShare).toBeGreaterThan(0);
  const conversations = there.lines('info').filter((line) => /^Conversation: \d+ messages \(~\d+ tokens\)$/.test(line));
  expect(conversations).toHaveLength(result.iteration);
  const states = there.events.flatMap((event): ExecutorState[] => (event.type === 'state-change' ? [event.state] : []));
  expect(states.some(({ conversationMessageCount }) => conversationMessageCount === 16)).toBe(true);
  expect(
    states.some(({ phase, tool }) => phase === 'tool' && tool?.name === 'read_file' && tool.about.startsWith('src/')),
  ).toBe(true);
  // Figures only grow.
  for (const key of ['calls', 'requests', 'folds', 'elapsedMs'] as const)
    expect(
      states.every((state, at) => at === 0 || state[key] >= (states[at - 1]?.[key] ?? 0)),
      key,
    ).toBe(true);
  expect(states[0]?.context).toBeUndefined();
  expect(states.find(({ context }) => context)?.context?.estimated).toBe(true);
  expect(result.context?.estimated).toBe(false);
});

test('warns above 80% of the limit, once per fold cycle', async () => {
  const there = await setting(
    { calls: 90, seed: 2 },
    { execution: { conversation: { max_messages: 20, preserve_last_n: 8 } } },
  );
  const { folds } = await there.run();
  const warned = there.lines('warn');
  expect(warned.every((line) => /^Conversation approaching limit \((1[7-9]|20)\/20 messages\)$/.test(line))).toBe(true);
  expect(folds).toBeGreaterThan(5);
  expect(warned.length).toBeGreaterThanOrEqual(folds - 1);
  expect(warned.length).toBeLessThanOrEqual(folds + 1);
});

test('validation: a task is not complete while a command fails, and the model learns why', async () => {
  let claims = 0;
  const there = await setting(
    ({ results, messages }) => {
      const told = messages.at(-1)?.text ?? '';
      if (told.includes('the widget is broken'))
        return { calls: [{ id: 'fix_1', name: 'write_file', input: { path: 'src/widget.txt', content: 'ok' } }] };
      if (results.some(({ id }) => id.startsWith('fix')))
        return { calls: [{ name: 'task_complete', input: { summary: `claim ${++claims}` } }] };
      return { calls: [{ id: 'fix_0', name: 'read_file', input: { path: 'src/part-0.ts' } }] };
    },
    { validation: { commands: ['echo fine', 'test -f src/widget.txt || { echo the widget is broken; exit 3; }'] } },
  );
  const result = await there.run();
  expect(result).toMatchObject({ status: 'completed', iteration: 2, summary: 'claim 2' });
  const checks = there.events.flatMap((event) => (event.type === 'validation-end' ? [event.result] : []));
  expect(checks.map(({ passed, exitCode }) => [passed, exitCode])).toEqual([
    [true, 0],
    [false, 3],
    [true, 0],
    [true, 0],
  ]);
});

test('blocked: the reason is reported, and the run can be resumed', async () => {
  const there = await setting(({ results, messages }) => {
    if (messages.some(({ text }) => text.includes('Somebody has looked into it')))
      return { calls: [{ name: 'task_complete', input: { summary: 'now it went' } }] };
    return results.length > 0
      ? { text: 'Never said: the execution has ended.' }
      : { calls: [{ name: 'task_blocked', input: { reason: 'the database is not there' } }] };
  });
  expect(await there.run()).toMatchObject({ status: 'blocked', reason: 'the database is not there', iteration: 1 });
  expect((await readRun(there.store, there.session))?.status).toBe('blocked');
  expect(await there.run()).toMatchObject({ status: 'completed', summary: 'now it went', iteration: 2 });
  // A complete run stays complete and sends no request.
  const before = there.standIn.requests.length;
  expect(await there.run()).toMatchObject({ status: 'completed', summary: 'now it went' });
  expect(there.standIn.requests.length).toBe(before);
});

test('budgets: iterations, cost, time and failures end a run with advice', async () => {
  const iterations = await setting({ calls: 50, calls_per_answer: 5 }, { execution: { max_iterations: 3 } });
  expect(await iterations.run()).toMatchObject({
    status: 'stopped',
    budget: 'iterations',
    iteration: 3,
    reason: expect.stringContaining('execution.max_iterations'),
  });
  const money = await setting({ calls: 200 }, { execution: { max_cost: 0.05 } });
  const dear = await money.run();
  expect(dear).toMatchObject({
    status: 'stopped',
    budget: 'cost',
    reason: expect.stringContaining('execution.max_cost'),
  });
  expect(dear.cost?.spent).toBeGreaterThanOrEqual(0.05);
  expect(dear.cost?.spent).toBeLessThan(0.1);
  const time = await setting({ calls: 2_000 }, { execution: { max_minutes: 0.01 } });
  expect(await time.run()).toMatchObject({ status: 'stopped', budget: 'time' });
  const idle = await setting(() => ({ text: 'I think about it.' }));
  expect(await idle.run()).toMatchObject({
    status: 'stopped',
    budget: 'failures',
    iteration: 3,
    reason: expect.stringContaining('did nothing'),
  });
});

test('a model that claims to be done while a check fails: the end names the check', async () => {
  const there = await setting(() => ({ calls: [{ name: 'task_complete', input: { summary: 'all is well' } }] }), {
    validation: { commands: ['true', 'test -f src/none.txt'] },
  });
  const { status, budget, reason } = await there.run();
  expect({ status, budget }).toEqual({ status: 'stopped', budget: 'failures' });
  expect(reason).toMatch(/failing check \(execution\.max_consecutive_failures: 3\): test -f src\/none\.txt\. See/);
  expect(reason).not.toContain('did nothing');
});

test('a cost limit has no effect if prices are unknown, and one warning says so', async () => {
  const there = await setting({ calls: 8 }, { execution: { max_cost: 1 } });
  const models = { 'own-model': STAND_IN_MODELS['claude-sonnet-5'] as StandInModel };
  const standIn = await createStandIn({ script: codingTask(there.workspace, { calls: 8 }), models });
  onTestFinished(() => standIn.close());
  const provider = anthropicApi({ base_url: standIn.url, api_key: KEY, model: 'own-model' });
  expect(await there.run({ provider })).toMatchObject({ status: 'completed', calls: 9 });
  expect(there.lines('warn')).toEqual([expect.stringContaining('execution.max_cost has no effect')]);
});

test('a rejected key ends a run immediately; a failing server is retried first', async () => {
  const there = await setting({ calls: 20 });
  const refused_ = await there.run({
    provider: anthropicApi({
      base_url: `${there.standIn.url}/nowhere`,
      api_key: KEY,
    }),
  });
  expect(refused_.status).toBe('failed');
  const gone = await setting({ calls: 20 });
  await gone.standIn.close();
  const provider = anthropicApi({ base_url: gone.standIn.url, api_key: KEY, max_wait_ms: 3, max_retries: 1 });
  const result = await gone.run({ provider });
  expect(result).toMatchObject({ status: 'stopped', budget: 'failures', errorCategory: 'network' });
  expect(gone.lines('warn').filter((line) => /^Iteration \d ended early \(network\)/.test(line))).toHaveLength(3);
});

test('a server failure mid-run: the run continues from there, without a new prompt or a repeated call', async () => {
  const there = await setting({ calls: 40, seed: 6 });
  const provider = anthropicApi({
    base_url: there.standIn.url,
    api_key: KEY,
    max_wait_ms: 3,
    max_retries: 0,
    model: 'claude-sonnet-5',
  });
  let results = 0;
  const result = await there.run({
    provider: {
      ...provider,
      execute: (prompt, options) =>
        provider.execute(prompt, {
          ...options,
          async onCheckpoint(checkpoint) {
            await options?.onCheckpoint?.(checkpoint);
            // The network is gone for a while, after every seventh result.
            if (checkpoint.type === 'result' && ++results % 7 === 0) there.standIn.fail('reset');
          },
        }),
    },
  });
  expect(result).toMatchObject({ status: 'completed', calls: 41 });
  expect(result.iteration).toBeGreaterThan(3);
  expect(results).toBe(41);
});

test('the scope is enforced: only Allowed files are written, and unreadable scope entries are reported', async () => {
  const there = await setting(({ results }) =>
    results.length === 0
      ? { calls: [{ name: 'write_file', input: { path: 'other/file.txt', content: 'x' } }] }
      : results[0]?.text.startsWith('Noted')
        ? { text: 'Done.' }
        : { calls: [{ name: 'task_complete', input: { summary: results[0]?.text ?? '' } }] },
  );
  const result = await there.run();
  expect(result.summary).toContain("outside the task's scope");
  expect(result.filesChanged).toEqual([]);
});

test('no key ends up in a run’s store, events or result', async () => {
  const there = await setting(
    { calls: 30, seed: 9 },
    {},
    { ...FILES, 'src/leak.ts': `const key = '${KEY}';\n`.repeat(3) },
  );
  writeFileSync(join(there.workspace, 'src/part-1.ts'), `// ${KEY}\n${FILES['src/part-1.ts']}`);
  const result = await there.run();
  expect(result.status).toBe('completed');
  for (const name of readdirSync(there.home, { recursive: true, encoding: 'utf8' })) {
    const path = join(there.home, name);
    if (statSync(path).isFile()) expect(readFileSync(path, 'latin1')).not.toContain(KEY);
  }
  expect(JSON.stringify([result, there.events])).not.toContain(KEY);
  expect(statSync(join(there.home, 'sessions.db')).mode & 0o077).toBe(0);
});

test('the task and the configuration are write-protected, so a run cannot change its own rules', async () => {
  const files = { ...FILES, 'TASK.md': '## Goal\nx\n', 'holdfast.yml': 'version: 1\n' };
  const there = await setting(
    ({ results }) => {
      if (results.length > 0)
        return { calls: [{ name: 'task_complete', input: { summary: results.map(({ text }) => text).join('|') } }] };
      const calls = ['TASK.md', 'holdfast.yml'].map((path) => ({
        name: 'write_file',
        input: { path, content: 'mine' },
      }));
      return { calls };
    },
    {},
    files,
  );
  const task = parseTask('## Goal\nDo it.');
  const result = await there.run({ task, configFile: join(there.workspace, 'holdfast.yml') });
  expect(result.filesChanged).toEqual([]);
  expect(result.summary.split('|')).toHaveLength(2);
  for (const path of ['TASK.md', 'holdfast.yml'] as const)
    expect(readFileSync(join(there.workspace, path), 'utf8')).toBe(files[path]);
});

test('a run that is stopped while MCP servers start does not wait for them', async () => {
  const there = await setting({ calls: 3 });
  const started = join(scratch(), 'started');
  const stop = new AbortController();
  const config = {
    ...configOf(),
    mcp_servers: { slow: { command: 'sh', args: ['-c', `touch ${started}; sleep 1000 & sleep 1001; true`] } },
  };
  const running = there.run({ config, stop: stop.signal });
  await expect.poll(() => existsSync(started)).toBe(true);
  stop.abort();
  expect(await running).toMatchObject({ status: 'cancelled' });
  expect(there.lines('warn')).toEqual([]);
});
