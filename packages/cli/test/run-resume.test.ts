import { expect, test } from 'vitest';
import { chatServer, flagsFor } from './chat-place.ts';
import { type Ended, run } from './holdfast.ts';
import { HOLDFAST, type Project, project } from './project.ts';

const server = chatServer();

const TASK =
  '# TASK: Try\n\n## Goal\nTry it.\n\n## Definition of Done\n- [ ] `npm test` passes\n- `test -f TASK.md` exits 0\n';

function holdfast(place: Project, ...args: readonly string[]): Promise<Ended> {
  return run(process.execPath, [...HOLDFAST, 'run', 'TASK.md', ...args], { cwd: place.workspace, env: place.env });
}

/** A run that waits to be resumed, of a project whose configuration now names another provider. */
async function blocked(config: string, ...flags: readonly string[]): Promise<Project> {
  server.answer('# The task', { calls: [{ name: 'task_blocked', input: { reason: 'a key is missing' } }] });
  server.answer('Iteration 2', { calls: [{ name: 'task_complete', input: { summary: 'tried' } }] });
  const place = project({ 'TASK.md': TASK, 'holdfast.yml': config });
  const first = await holdfast(place, ...flags);
  expect(first.code, first.stderr).toBe(3);
  return place;
}

const requests = () => server.standIn.requests.filter(({ path }) => path === '/v1/messages');
const models = () => requests().map(({ body }) => (body as { model: string }).model);

test('--resume continues with the provider, model and server of the run', async () => {
  const place = await blocked('provider: { type: openai-api, model: gpt-5.2 }\n', ...flagsFor(server));
  const resumed = await holdfast(place, '--resume');
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(models().slice(-2)).toEqual(['claude-sonnet-5', 'claude-sonnet-5']);
  expect(resumed.stderr).toContain(
    'continuing with anthropic-api, claude-sonnet-5, as the run started; the configuration says openai-api, gpt-5.2',
  );
  expect(resumed.stderr).toContain(`continuing with ${server.standIn.url}, as the run started`);
});

test('flags override the settings of the run, and a line says so', async () => {
  const place = await blocked('provider: { type: openai-api }\n', ...flagsFor(server));
  const resumed = await holdfast(place, '--resume', '--model', 'claude-haiku-4-5');
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(models().at(-1)).toBe('claude-haiku-4-5');
  expect(resumed.stderr).toContain(
    'this run started with anthropic-api, claude-sonnet-5; it continues with anthropic-api, claude-haiku-4-5, as the flags say',
  );
});

test('a server set by the folder is not saved, so resuming needs trust in the folder', async () => {
  const config = () => `provider: { type: anthropic-api, model: claude-sonnet-5, base_url: "${server.standIn.url}" }\n`;
  const place = await blocked(config(), '--trust');
  const before = requests().length;
  const { HOLDFAST_TRUST: _, ...env } = place.env;
  const refused = await holdfast({ ...place, env }, '--resume');
  expect(refused.code).toBe(2);
  expect(requests().length).toBe(before);
  expect((await holdfast(place, '--resume', '--trust')).code).toBe(0);
});

test('an unchecked command of the Definition of Done is reported at the start and in the summary', async () => {
  const config = 'validation: { commands: ["test -f TASK.md"] }\n';
  server.answer('# The task', { calls: [{ name: 'task_complete', input: { summary: 'tried' } }] });
  const place = project({ 'TASK.md': TASK, 'holdfast.yml': config });
  const flags = [...flagsFor(server), '--trust'];
  const { code, stdout } = await holdfast(place, ...flags);
  expect(code).toBe(0);
  expect(stdout.split('\n')[0]).toBe(
    'not checked: the Definition of Done names "npm test", and nothing runs it: pass --checks, or add it to validation.commands',
  );
  expect(stdout).toMatch(/\| not checked +npm test /);
  expect(stdout).not.toMatch(/not checked.*TASK\.md/);
  const { stdout: json } = await holdfast(place, ...flags, '--json');
  expect(JSON.parse(json.trim().split('\n').at(-1) ?? '').result).toMatchObject({ unchecked: ['npm test'] });
  const dry = await holdfast(place, ...flags, '--dry-run');
  expect(dry.stdout).toContain('would ask to run as checks (--checks does not ask)\n    npm test\n');
});
