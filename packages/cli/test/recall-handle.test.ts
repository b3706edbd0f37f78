import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sqlite } from '@holdfast/sessions';
import { expect, test } from 'vitest';
import { BIN, run } from './holdfast.ts';
import { project } from './project.ts';

const ID = 'k3v9abcdefghj';
const OUTPUT = 'line 1\r\n\u001b[31mred\u001b[0m\u0000\n\n';

async function converse(path: string): Promise<void> {
  const store = await sqlite(path);
  const session = `0123456789abcdef-${ID}`;
  await store.create({ id: session });
  const use = (name: string) => ({ type: 'tool_use', id: name, name, input: {} });
  const content = ['ls', 'cat'].map((name) => ({
    type: 'tool_result',
    tool_use_id: name,
    content: `${name}: ${OUTPUT}`,
  }));
  await store.append(
    session,
    [
      { type: 'model', provider: 'proxy', model: 'claude-opus-5', dialect: 'anthropic' },
      { type: 'message', message: { role: 'user', content: 'Mend the parser' } },
      { type: 'message', message: { role: 'assistant', content: [use('ls'), use('cat')] } },
      { type: 'message', message: { role: 'user', content } },
    ],
    0,
  );
  await store.close();
}

test('recall prints the original of a handle with an id, byte for byte, whatever the folder configures', async () => {
  const { home, workspace, env, holdfast, write } = project({});
  await converse(join(home, 'sessions.db'));
  write('holdfast.yml', 'sessions:\n  store: elsewhere.db\nnonsense: true\n');
  const piped = await run(process.execPath, [BIN, 'recall', `m2.1@${ID}`], { cwd: workspace, env });
  expect(piped).toEqual({ code: 0, stdout: `cat: ${OUTPUT}`, stderr: '' });
  expect((await holdfast('recall', `m0@${ID}`, `m2.0@${ID}`)).stdout).toBe(
    `[m0@${ID}]\nMend the parser\n[m2.0@${ID}]\nls: ${OUTPUT}\n`,
  );
  const { messages, content } = JSON.parse((await holdfast('recall', `m2.1@${ID}`, '--json')).stdout);
  expect([content, messages[0].message.role]).toEqual([`cat: ${OUTPUT}`, 'user']);
});

test('a handle that leads nowhere says why', async () => {
  const { home, holdfast } = project({});
  expect((await holdfast('recall', `m2.1@${ID}`)).stderr).toMatch(/there are no sessions in .*pass --store/);
  await converse(join(home, 'sessions.db'));
  const gone = await holdfast('recall', 'm2.1@zzzzzzzzzzzzz');
  expect(gone).toMatchObject({ code: 1, stdout: '' });
  expect(gone.stderr).toMatch(
    /zzzzzzzzzzzzz is not stored here: it expired, it was deleted, or the id after @ is wrong/,
  );
  expect((await holdfast('recall', 'k3v9')).stderr).toMatch(
    /pass words to search for, or a handle: .*; to search all sessions: holdfast recall all k3v9$/m,
  );
  expect((await holdfast('recall', 'all')).stderr).toMatch(
    /^holdfast: pass words to search for: holdfast recall all WORDS$/m,
  );
});

test('recall works where nothing can be written', async () => {
  const { home, workspace, env } = project({});
  const path = join(home, 'sessions.db');
  await converse(path);
  const isRoot = process.getuid?.() === 0;
  const uid = isRoot ? 65_534 : undefined;
  if (uid !== undefined) for (const place of [home, path]) chownSync(place, uid, uid);
  const tmp = join(workspace, 'tmp');
  mkdirSync(tmp);
  for (const place of [join(home, '..'), workspace]) chmodSync(place, 0o755);
  chmodSync(path, 0o400);
  chmodSync(home, 0o500);
  const start = { cwd: workspace, env: { ...env, TMPDIR: tmp }, ...(uid === undefined ? {} : { uid }) };
  const found = await run(process.execPath, [BIN, 'recall', `m2.1@${ID}`], start);
  expect(found).toEqual({ code: 0, stdout: `cat: ${OUTPUT}`, stderr: '' });
  expect(readdirSync(home)).toEqual(['sessions.db']);
  chmodSync(home, 0o700);
});

test('the commands for sessions work for conversations of the proxy', async () => {
  const { home, holdfast } = project({});
  await converse(join(home, 'sessions.db'));
  const session = `0123456789abcdef-${ID}`;
  expect((await holdfast('sessions', 'list')).stdout).toMatch(/^0123456789abcdef-\w+ +proxy .*Mend the parser$/m);
  expect((await holdfast('sessions', 'show', '0123')).stdout).toMatch(/^kind +proxy$/m);
  expect((await holdfast('recall', '0123', 'parser')).stdout).toContain('Mend the parser');
  expect((await holdfast('sessions', 'export', '0123')).stdout).toContain('"provider":"proxy"');
  expect((await holdfast('sessions', 'verify')).stdout).toMatch(/^ok /);
  expect((await holdfast('sessions', 'delete', session)).stdout).toContain(`Deleted: ${session}`);
});
