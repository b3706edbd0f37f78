import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough } from 'node:stream';
import { forkSession, sqlite } from '@holdfast/sessions';
import { expect, test } from 'vitest';
import { contextOf } from '../src/context.ts';
import { main } from '../src/program.ts';
import { deleteUnused } from '../src/sessions/commands.ts';
import { project as newProject } from './project.ts';

const DAY = 86_400_000;
const LOG = Array.from({ length: 300 }, (_, i) => `step ${i}: compiled unit_${i}.ts`).join('\n');

interface Project {
  readonly workspace: string;
  readonly home: string;
  write(path: string, text: string): void;
  holdfast(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>;
}

/** A project whose commands run in this process: dozens of processes would take a minute. */
function project(): Project {
  const { workspace, home, env, write } = newProject({});
  const holdfast = async (...args: readonly string[]) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const own = { cwd: () => workspace, env, stdout, stderr, exit: process.exit } as unknown as NodeJS.Process;
    const code = await main(args, contextOf(own));
    return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
  };
  return { workspace, home, write, holdfast };
}

/** A project with two sessions: one of today and one that is old. */
async function withSessions(): Promise<Project> {
  const place = project();
  const store = await sqlite(join(place.home, 'sessions.db'));
  const said = (content: string, role = 'user') => ({ type: 'message', message: { role, content } }) as const;
  await store.create({ id: 'newtalk12345' });
  await store.append(
    'newtalk12345',
    [
      { type: 'model', provider: 'test', model: 'some-model', dialect: 'openai-chat' },
      said('Mend the \u001b[31mparser'),
      said(LOG, 'tool'),
      said('Done.', 'assistant'),
      { type: 'usage', tokens: { input: 1_200, output: 34 }, cost: 0.5 },
    ],
    0,
  );
  const old = Date.now() - 100 * DAY;
  await store.create({ id: 'oldtalk12345', created: old });
  await store.append('oldtalk12345', [said('An old question')], 0, [old]);
  await store.close();
  return place;
}

test('list shows the most recent sessions first, and all details as JSON', async () => {
  const place = await withSessions();
  const { code, stdout, stderr } = await place.holdfast('sessions', 'list');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [head, first, second] = stdout.split('\n');
  expect(head).toMatch(/^id +kind +last used +messages +tokens used +cost +size +title$/);
  expect(first).toMatch(/^newtalk12345 +chat +now +3 +1\.2k +\$0\.50 +[\d.]+ kB +Mend the parser$/);
  expect(second).toMatch(/^oldtalk12345 +chat +100d +1 +0 +\$0\.00 +\d+ B +An old question$/);
  const { sessions } = JSON.parse((await place.holdfast('sessions', 'list', '--json')).stdout);
  expect(sessions.map(({ id }: { id: string }) => id)).toEqual(['newtalk12345', 'oldtalk12345']);
  expect(sessions[0]).toMatchObject({ messages: 3, folds: 0, tokens: 1234, cost: 0.5, model: 'some-model' });
});

test('listing without a store shows no sessions and creates no store', async () => {
  const place = project();
  expect(await place.holdfast('sessions', 'list', '--json')).toMatchObject({
    code: 0,
    stdout: '{\n  "sessions": []\n}\n',
  });
  const { code, stderr } = await place.holdfast('sessions', 'show', 'any');
  expect(code).toBe(2);
  expect(stderr).toBe(`holdfast: there are no sessions in ${place.home}/sessions.db: pass --store to look elsewhere\n`);
  expect(() => statSync(join(place.home, 'sessions.db'))).toThrow('ENOENT');
});

test('show accepts the start of an id and cannot affect a terminal', async () => {
  const place = await withSessions();
  const { code, stdout } = await place.holdfast('sessions', 'show', 'new');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^length +3 messages, 0 folds\non disk +[\d.]+ k?B, 5 log entries$/m);
  expect(stdout).toMatch(/^last used +\d{4}-\d\d-\d\d \d\d:\d\d UTC \(just now\)$/m);
  expect(stdout).toContain('m0 user\n  Mend the parser\n');
  expect((await place.holdfast('sessions', 'show', 'new', '--last', '1')).stdout).toMatch(
    /\n\n… 2 earlier messages \(--last 3 shows all\)\n\nm2 assistant\n {2}Done\.\n$/,
  );
  expect(stdout).toContain('… 297 more lines');
  expect(stdout).not.toContain('\u001b');
  const wrong = await place.holdfast('sessions', 'show', 'nobody');
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toMatch(/^holdfast: unknown session nobody: see `holdfast sessions list`\n$/);
});

test('export and import transfer a complete session', async () => {
  const place = await withSessions();
  const { stdout } = await place.holdfast('sessions', 'export', 'new');
  expect(stdout.split('\n')[0]).toContain('"id":"newtalk12345"');
  const written = await place.holdfast('sessions', 'export', 'new', '--output', 'talk.jsonl');
  expect(written).toMatchObject({ code: 0, stderr: '' });
  const file = join(place.workspace, 'talk.jsonl');
  expect(readFileSync(file, 'utf8')).toBe(stdout);
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  const twice = await place.holdfast('sessions', 'export', 'new', '--output', 'talk.jsonl');
  expect(twice).toMatchObject({ code: 2, stderr: `holdfast: ${file} already exists: choose another name\n` });
  const there = await place.holdfast('sessions', 'import', 'talk.jsonl', '--store', 'other.db');
  expect(there).toEqual({ code: 0, stdout: 'newtalk12345: 3 messages.\n', stderr: '' });
  const again = await place.holdfast('sessions', 'import', 'talk.jsonl');
  expect(again).toMatchObject({
    code: 1,
    stderr: 'holdfast: session newtalk12345 already exists: choose another id\n',
  });
  expect(await place.holdfast('sessions', 'import', 'talk.jsonl', '--id', 'copy')).toMatchObject({ code: 0 });
  expect((await place.holdfast('sessions', 'verify')).stdout).toMatch(/^(?:ok .*\n){3}$/);
});

test('import reads lists of messages and databases of other programs', async () => {
  const place = project();
  place.write('messages.json', JSON.stringify([{ role: 'user', content: 'hello' }], null, 2));
  const db = new DatabaseSync(join(place.workspace, 'co-cli.db'));
  db.exec('CREATE TABLE sessions (id TEXT, created_at INTEGER, updated_at INTEGER, title TEXT, messages TEXT)');
  const messages = [{ kind: 'request', parts: [{ part_kind: 'user-prompt', content: 'Hi' }] }];
  db.prepare('INSERT INTO sessions VALUES (?, 1, 2, ?, ?)').run('seed', 'Title', JSON.stringify(messages));
  db.close();
  expect(await place.holdfast('sessions', 'import', 'messages.json', '--id', 'plain')).toMatchObject({ code: 0 });
  expect(await place.holdfast('sessions', 'import', 'co-cli.db')).toMatchObject({
    code: 0,
    stdout: 'seed: 1 message.\n',
  });
  const missing = await place.holdfast('sessions', 'import', 'nowhere.json');
  expect(missing).toMatchObject({ code: 2, stdout: '' });
  writeFileSync(join(place.workspace, 'prose.txt'), 'Dear reader,\nhello.\n');
  expect((await place.holdfast('sessions', 'import', 'prose.txt')).stderr).toMatch(
    /line 1 is not JSON\. Nothing was imported/,
  );
});

test('import masks keys if the configuration says so', async () => {
  const place = project();
  const key = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
  place.write('messages.json', JSON.stringify([{ role: 'user', content: `it is ${key}` }]));
  place.write('holdfast.yml', 'sessions:\n  mask_keys: true\n');
  await place.holdfast('sessions', 'import', 'messages.json', '--id', 'masked');
  expect((await place.holdfast('sessions', 'export', 'masked')).stdout).toContain('it is [masked]');
  place.write('holdfast.yml', 'sessions:\n  mask_keys: false\n');
  await place.holdfast('sessions', 'import', 'messages.json', '--id', 'plain');
  expect((await place.holdfast('sessions', 'export', 'plain')).stdout).toContain(key);
});

test('prune is a dry run without --yes', async () => {
  const place = await withSessions();
  const dry = await place.holdfast('sessions', 'prune', '--older-than', '90d');
  expect(dry.stdout).toMatch(
    /oldtalk12345[\s\S]*Would delete: 1 session, \d+ B\. Nothing was deleted; --yes deletes them\.\n$/,
  );
  expect(dry.stdout).not.toContain('newtalk');
  expect(JSON.parse((await place.holdfast('sessions', 'list', '--json')).stdout).sessions).toHaveLength(2);
  const real = await place.holdfast('sessions', 'prune', '--older-than', '90d', '--yes', '--json');
  expect(JSON.parse(real.stdout)).toMatchObject({ deleted: true, sessions: [{ id: 'oldtalk12345' }] });
  expect(JSON.parse((await place.holdfast('sessions', 'list', '--json')).stdout).sessions).toHaveLength(1);
  const wrong = await place.holdfast('sessions', 'prune', '--older-than', 'long');
  expect(wrong).toMatchObject({
    code: 2,
    stderr: 'holdfast: invalid --older-than "long": expected a duration such as 90d, 12w, 36h or 30m\n',
  });
});

test('prune keeps a session that is used in the meantime', async () => {
  const place = await withSessions();
  const store = await sqlite(join(place.home, 'sessions.db'));
  const old = Date.now() - 100 * DAY;
  for (const id of ['older', 'gone']) {
    await store.create({ id, created: old });
    await store.append(id, [{ type: 'title', title: id }], 0, [old - 1]);
  }
  /** Another process writes to one session and deletes another after prune has listed them. */
  const list: typeof store.list = async (options) => {
    const listed = await store.list(options);
    await store.append('oldtalk12345', [{ type: 'message', message: { role: 'user', content: 'again' } }], 1);
    await store.delete('gone');
    return listed;
  };
  const deleted = await deleteUnused({ ...store, list }, Date.now() - 90 * DAY, place.home);
  expect(deleted.map(({ id }) => id)).toEqual(['older']);
  expect((await store.list()).map(({ id }) => id).toSorted()).toEqual(['newtalk12345', 'oldtalk12345']);
  await store.close();
});

test('delete needs the full id', async () => {
  const place = await withSessions();
  const short = await place.holdfast('sessions', 'delete', 'old');
  expect(short).toMatchObject({
    code: 2,
    stderr: 'holdfast: old is only the start of oldtalk12345: pass the full id to delete it\n',
  });
  const whole = await place.holdfast('sessions', 'delete', 'oldtalk12345');
  expect(whole).toEqual({ code: 0, stdout: 'Deleted: oldtalk12345 (An old question, 1 message).\n', stderr: '' });
});

test('tool outputs are recalled by handle and deleted with their session', async () => {
  const place = await withSessions();
  for (const id of ['newtalk12345', 'oldtalk12345', 'another']) {
    const folder = join(place.home, 'chat-outputs', id);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'o1.txt'), `long \u001b[31moutput of ${id}`);
  }
  expect(await place.holdfast('recall', 'new', 'o1')).toMatchObject({ stdout: 'long output of newtalk12345\n' });
  const { output } = JSON.parse((await place.holdfast('recall', 'new', 'o1', '--json')).stdout);
  expect(await place.holdfast('recall', 'new', 'o9')).toMatchObject({
    code: 1,
    stderr: 'holdfast: this session has no output o9\n',
  });
  expect(output).toEqual({ handle: 'o1', text: 'long \u001b[31moutput of newtalk12345' });
  await place.holdfast('sessions', 'prune', '--older-than', '90d');
  expect(readdirSync(join(place.home, 'chat-outputs'))).toHaveLength(3);
  await place.holdfast('sessions', 'prune', '--older-than', '90d', '--yes');
  await place.holdfast('sessions', 'delete', 'newtalk12345');
  expect(readdirSync(join(place.home, 'chat-outputs'))).toEqual(['another']);
});

test.each([
  ['must be JSON', `'{"type":"mess'`, /entry 3 \(message m1\)/],
  ['has another type', `'{"type":"title","title":"x"}'`, /entry 3 \(message m1\)/],
  ['has no message', `'{"type":"message"}'`, /entry 3 \(message m1\)/],
])('verify and recall report an entry that %s, with advice', async (_, text, name) => {
  const place = await withSessions();
  const db = new DatabaseSync(join(place.home, 'sessions.db'));
  db.exec(`UPDATE entries SET body = ${text} WHERE seq = 3`);
  db.close();
  const verified = await place.holdfast('sessions', 'verify');
  expect(verified).toMatchObject({ code: 1, stderr: '' });
  expect(verified.stdout).toMatch(/problem newtalk12345: 5 entries, 3 messages/);
  expect(verified.stdout).toMatch(name);
  expect(verified.stdout).toMatch(/ok +oldtalk12345: 1 entries/);
  const found = JSON.parse((await place.holdfast('sessions', 'verify', '--json')).stdout);
  expect(found).toMatchObject({
    sound: false,
    sessions: [{ problems: [expect.stringMatching(name)] }, { problems: [] }],
  });
  const recalled = await place.holdfast('recall', 'newtalk', 'm1');
  expect(recalled.code).not.toBe(0);
  expect(recalled.stderr).toMatch(
    /entry 3 \(message m1\) of session newtalk12345 is broken: .*sessions verify newtalk12345/,
  );
  expect((await place.holdfast('recall', 'newtalk', 'm2')).stdout).toContain('Done.');
  const { stdout: passages } = await place.holdfast('recall', 'all', 'compiled', 'question');
  expect(passages).toContain('An old question');
  expect(passages.match(/is broken/g)).toHaveLength(1);
  expect(await place.holdfast('recall', 'newtalk', 'mend')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Mend the parser'),
  });
  const saved = await place.holdfast('sessions', 'export', 'newtalk');
  expect(saved).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('skipped entry 3 (message), which is broken'),
  });
  expect(saved.stdout.trim().split('\n')).toHaveLength(5);
});

test('verify finds changed entries and exits with 1', async () => {
  const place = await withSessions();
  expect(await place.holdfast('sessions', 'verify', 'new')).toMatchObject({ code: 0 });
  const db = new DatabaseSync(join(place.home, 'sessions.db'));
  db.exec(`UPDATE entries SET body = replace(body, 'Done.', 'Gone.')`);
  db.close();
  const { code, stdout } = await place.holdfast('sessions', 'verify');
  expect(code).toBe(1);
  expect(stdout).toContain('problem newtalk12345');
  expect(stdout).toContain('entry 4 (message) or one before it was changed: its hash does not match');
  expect(stdout).toContain('ok      oldtalk12345');
});

test('recall finds passages by words, in one session or all, and messages by handle', async () => {
  const place = await withSessions();
  const { code, stdout } = await place.holdfast('recall', 'new', 'unit_250');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^m1, lines \d+ to \d+\n {2}step [\s\S]*step 250: compiled unit_250\.ts/);
  const all = JSON.parse((await place.holdfast('recall', 'all', 'question', '--json')).stdout);
  expect(all.passages).toMatchObject([{ session: 'oldtalk12345', index: 0, snippet: 'An old question' }]);
  expect(await place.holdfast('recall', 'new', 'm2')).toEqual({
    code: 0,
    stdout: 'm2 assistant\n  Done.\n',
    stderr: '',
  });
  const run = JSON.parse((await place.holdfast('recall', 'new', 'm0-m2', '--json')).stdout);
  expect(run.messages).toHaveLength(3);
  // Notes and masks also name single results.
  expect((await place.holdfast('recall', 'new', 'm2.1')).stdout).toBe('m2 assistant\n  Done.\n');
  const none = await place.holdfast('recall', 'new', 'giraffe');
  expect(none).toEqual({ code: 1, stdout: '', stderr: 'holdfast: no messages contain these words\n' });
  const { stderr } = await place.holdfast('recall', 'old', 'question');
  expect(stderr).toBe('');
  const unnamed = await place.holdfast('recall', 'which', 'port');
  expect(unnamed).toMatchObject({ code: 1, stdout: '' });
  expect(unnamed.stderr).toMatch(
    /unknown session which: .*; to search all sessions: holdfast recall all which port\n$/,
  );
});

test('recall all says which session a passage is from, and names the original of a fork', async () => {
  const place = await withSessions();
  const store = await sqlite(join(place.home, 'sessions.db'));
  const fork = await forkSession(store, 'oldtalk12345', { id: 'forktalk1234' });
  const again = await forkSession(store, fork, { id: 'againtalk123' });
  const said = { type: 'message', message: { role: 'user', content: 'A newer question' } } as const;
  await store.append(again, [said], (await store.info(again))?.last ?? 0);
  await store.close();
  const { stdout } = await place.holdfast('recall', 'all', 'question');
  expect(stdout).toContain('oldtalk12345 m0, line 1 (chat, 100d ago: An old question)\n  An old question\n');
  expect(stdout).toContain('againtalk123 m1, line 1 (chat, just now: An old question)\n  A newer question\n');
  expect(stdout).not.toContain('forktalk1234');
});

test('sessions and runs list if nothing else is asked', async () => {
  const place = await withSessions();
  expect(await place.holdfast('sessions')).toEqual(await place.holdfast('sessions', 'list'));
  expect(JSON.parse((await place.holdfast('sessions', '--json', '--limit', '1')).stdout).sessions).toHaveLength(1);
  expect(await place.holdfast('runs')).toEqual(await place.holdfast('runs', 'list'));
  expect((await place.holdfast('sessions', '--help')).stdout).toMatch(/^Usage: holdfast sessions/);
  expect((await place.holdfast('runs', 'shwo')).stderr).toMatch(/unknown command 'shwo'.*show/);
});

test('recall marks what /undo took back', async () => {
  const place = await withSessions();
  const store = await sqlite(join(place.home, 'sessions.db'));
  const said = { type: 'message', message: { role: 'assistant', content: 'Nothing to mend.' } } as const;
  await store.append('newtalk12345', [{ type: 'rewind', to: 2 }, said], 5);
  await store.close();
  expect((await place.holdfast('recall', 'new', 'done')).stdout).toBe('m2, line 1 (undone)\n  Done.\n\n');
  expect((await place.holdfast('recall', 'new', 'nothing')).stdout).toMatch(/^m2~1, line 1\n/);
  expect((await place.holdfast('recall', 'new', 'm2')).stdout).toBe('m2 assistant (undone)\n  Done.\n');
  expect((await place.holdfast('recall', 'new', 'm2~1')).stdout).toBe('m2~1 assistant\n  Nothing to mend.\n');
  expect((await place.holdfast('recall', 'new', 'm0')).stdout).toMatch(/^m0 user\n/);
});

test.each([[['m37']], [['o3']], [['m37', 'm38']]])('recall %j says that a handle needs its session', async (words) => {
  const { stderr } = await (await withSessions()).holdfast('recall', ...words);
  expect(stderr).toMatch(
    new RegExp(`^holdfast: (?:unknown session .*; )?a handle needs its session: holdfast recall SESSION ${words[0]}\n`),
  );
  expect(stderr).not.toContain('recall all');
});

test('refuses an empty session id', async () => {
  const place = await withSessions();
  await place.holdfast('sessions', 'delete', 'oldtalk12345');
  for (const args of [
    ['sessions', 'show', ''],
    ['sessions', 'export', ''],
    ['recall', '', 'parser'],
    ['chat', '--resume', ''],
  ])
    expect(await place.holdfast(...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/pass the start of an id/),
    });
});

test('JSON output cannot affect a terminal', async () => {
  const place = project();
  const odd = 'clear \u009b2J \u007f me';
  place.write('messages.json', JSON.stringify([{ role: 'user', content: odd }]));
  await place.holdfast('sessions', 'import', 'messages.json', '--id', 'odd');
  for (const args of [
    ['sessions', 'list'],
    ['sessions', 'show', 'odd'],
    ['recall', 'odd', 'clear'],
    ['recall', 'odd', 'm0'],
  ]) {
    const { stdout } = await place.holdfast(...args, '--json');
    expect(stdout).not.toMatch(/[\u007f-\u009f]/);
    expect(JSON.stringify(JSON.parse(stdout))).toContain('clear');
  }
  const { messages } = JSON.parse((await place.holdfast('recall', 'odd', 'm0', '--json')).stdout);
  expect(messages[0].message.content).toBe(odd);
  const { stdout } = await place.holdfast('sessions', 'export', 'odd');
  expect(stdout).not.toMatch(/[\u007f-\u009f]/);
  place.write('odd.jsonl', stdout);
  expect(await place.holdfast('sessions', 'import', 'odd.jsonl', '--id', 'copy')).toMatchObject({ code: 0 });
});

test('every subcommand of sessions has help with examples', async () => {
  const place = project();
  for (const name of ['list', 'show', 'export', 'import', 'prune', 'delete', 'verify']) {
    const { code, stdout } = await place.holdfast('sessions', name, '--help');
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: holdfast sessions ${name}`);
    expect(stdout).toContain(`Examples:\n  holdfast sessions ${name}`);
  }
});

test.each([
  ['sessions', 'list'],
  ['sessions', 'prune', '--older-than', '1d'],
  ['sessions', 'import', 'talk.jsonl'],
  ['recall', 'all', 'words'],
])('a store in memory is refused: %s %s', async (...args) => {
  const place = project();
  place.write('talk.jsonl', '{"role":"user","content":"hello"}');
  const { code, stderr } = await place.holdfast(...args, '--store', ':memory:');
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('pass a file with --store') });
  expect(readdirSync(place.workspace)).toEqual(['talk.jsonl']);
});
