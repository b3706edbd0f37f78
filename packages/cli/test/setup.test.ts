import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { run } from './holdfast.ts';
import { keyServer } from './key-server.ts';
import { HOLDFAST, type Project, project } from './project.ts';
import { openTerminal, SIZES, type TerminalOptions, type TestTerminal } from './terminal.ts';

const KEY = 'sk-ant-api03-Qz7Rk2mWv91LsdPqB4xN8tYh';
const open: TestTerminal[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.kill('SIGKILL');
});

/** A project whose user has no key yet. */
function newcomer(): Project {
  const place = project({ 'README.md': '# A project\n' });
  delete place.env.ANTHROPIC_API_KEY;
  return place;
}

function setup(place: Project, args: readonly string[] = [], terminal: Partial<TerminalOptions> = {}): TestTerminal {
  const env = { ...place.env, ANTHROPIC_API_KEY: undefined, OPENAI_API_KEY: undefined, ...terminal.env };
  const started = openTerminal({
    command: process.execPath,
    args: [...HOLDFAST, 'setup', ...args],
    cwd: place.workspace,
    ...terminal,
    env,
  });
  open.push(started);
  return started;
}

const piped = (place: Project, args: readonly string[], input: string, env: Record<string, string> = {}) =>
  run(process.execPath, [...HOLDFAST, ...args], { cwd: place.workspace, env: { ...place.env, ...env }, input });

const credentials = ({ home }: Project) => readFileSync(join(home, 'credentials'), 'utf8');
const config = ({ home }: Project) => readFileSync(join(home, 'config.yml'), 'utf8');
const shows = (text: string | RegExp) => (screen: readonly string[]) =>
  screen.some((row) => (typeof text === 'string' ? row.includes(text) : text.test(row)));

describe('on a terminal', () => {
  test('where nothing can be saved, it says so before it asks for a key', async () => {
    const terminal = setup(newcomer(), [], { env: { HOLDFAST_HOME: '/dev/null/holdfast' } });
    expect(await terminal.exit).toBe(2);
    expect(terminal.scrollback().join(' ')).toContain('/dev/null is not a folder: set HOLDFAST_HOME to a folder you');
    expect(terminal.raw()).not.toContain('Which provider?');
  });

  test.each(SIZES)('%i×%i: asks for provider and key, tries them, and saves both', async (cols, rows) => {
    const place = newcomer();
    const server = await keyServer(KEY);
    const terminal = setup(place, ['--base-url', server.url], { cols, rows });
    await terminal.until(shows('Number or name [anthropic-api]:'));
    expect(terminal.screen()).toContain('  1  anthropic-api  needs an API key (ANTHROPIC_API_KEY)');
    terminal.write('\r');
    await terminal.until(shows('API key ('));
    terminal.write(`${KEY}\r`);
    expect(await terminal.exit).toBe(0);
    const seen = terminal.scrollback().join('\n');
    expect(seen).toContain('): 37 characters');
    expect(seen).toMatch(/it answered in /);
    expect(seen).toContain('Saved ANTHROPIC_API_KEY in ~/home/credentials');
    expect(terminal.brokenRows()).toEqual([]);
    expect(terminal.raw()).not.toContain(KEY.slice(5, 20));
    expect(credentials(place)).toContain(`\nANTHROPIC_API_KEY=${KEY}\n`);
    expect(statSync(join(place.home, 'credentials')).mode & 0o777).toBe(0o600);
    expect(config(place)).toContain(`provider:\n  type: anthropic-api\n  base_url: ${server.url}\n`);
    expect(config(place)).not.toContain(KEY);
    expect(server.sent.every((sent) => sent === KEY)).toBe(true);
  });

  test('NO_COLOR and a dumb terminal get plain text', async () => {
    for (const more of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      const terminal = setup(newcomer(), ['--no-check'], { cols: 60, rows: 20, env: more });
      await terminal.until(shows('Number or name'));
      terminal.write('2\r');
      await terminal.until(shows('API key ('));
      terminal.write('sk-proj-Another1Key2For3OpenAI\r');
      expect(await terminal.exit).toBe(0);
      expect(terminal.raw()).not.toContain('\u001b');
    }
  });

  test('Ctrl-C at any question leaves nothing behind', async () => {
    const place = newcomer();
    const first = setup(place);
    await first.until(shows('Number or name'));
    first.write('\u0003');
    expect(await first.exit).toBe(130);
    const second = setup(place, ['--provider', 'openai-api']);
    await second.until(shows('API key ('));
    second.write('sk-half\u0003');
    expect(await second.exit).toBe(130);
    expect(second.scrollback().join('\n')).toContain('nothing was saved');
    expect(existsSync(place.home) ? readdirSync(place.home) : []).toEqual([]);
  });

  test('a rejected key is explained without showing it, and asked for again', async () => {
    const place = newcomer();
    const server = await keyServer(KEY);
    const terminal = setup(place, ['--provider', 'anthropic-api', '--base-url', server.url]);
    await terminal.until(shows('API key ('));
    terminal.write('sk-ant-api03-wrongwrongwrong12345\r');
    await terminal.until(shows('Save it anyway? [y/N]:'));
    expect(terminal.screen().join('\n')).toContain('check that the key is complete');
    expect(terminal.raw()).not.toContain('wrongwrong');
    expect(existsSync(join(place.home, 'credentials'))).toBe(false);
    // The right key, pasted at the wrong question: it does not show, and is not a yes.
    terminal.write(`${KEY}\r`);
    await terminal.until((screen) => screen.filter((row) => row.startsWith('API key (')).length === 2);
    expect(terminal.raw()).not.toContain(KEY.slice(0, 8));
    // Backspace takes away a typing error, as anywhere.
    terminal.write(`${KEY}x\u007f\r`);
    expect(await terminal.exit).toBe(0);
    expect(credentials(place)).toContain(KEY);
  });

  test('run again: Enter keeps the saved key, another provider is added to it, and comments stay', async () => {
    const place = newcomer();
    const server = await keyServer(KEY);
    const given = ['setup', '--provider', 'anthropic-api', '--base-url', server.url];
    expect((await piped(place, given, KEY)).code).toBe(0);
    writeFileSync(join(place.home, 'config.yml'), `# mine\n${config(place)}execution:\n  max_cost: 3\n`);
    const again = setup(place, given.slice(1));
    await again.until(shows('Enter keeps the saved one'));
    again.write('\r');
    expect(await again.exit).toBe(0);
    const other = setup(place, ['--provider', 'openai-api', '--no-check']);
    await other.until(shows('API key ('));
    other.write('sk-proj-Another1Key2For3OpenAI\r');
    expect(await other.exit).toBe(0);
    expect(credentials(place)).toContain(`ANTHROPIC_API_KEY=${KEY}\nOPENAI_API_KEY=sk-proj-Another1Key2For3OpenAI\n`);
    expect(config(place)).toMatch(/^# mine\n/);
    expect(config(place)).toContain('max_cost: 3');
    expect(config(place)).toContain('type: openai-api');
    expect(config(place)).not.toContain('base_url');
  });
});

describe('without a terminal', () => {
  test('the key comes from standard input, or from the environment, which is not saved', async () => {
    const place = newcomer();
    const server = await keyServer(KEY);
    const given = ['setup', '--provider', 'anthropic-api', '--base-url', server.url];
    const fromEnvironment = await piped(place, given, '', { ANTHROPIC_API_KEY: KEY });
    expect(fromEnvironment).toMatchObject({ code: 0 });
    expect(fromEnvironment.stderr).toContain('using ANTHROPIC_API_KEY of the environment; it is not saved');
    expect(existsSync(join(place.home, 'credentials'))).toBe(false);
    const ended = await piped(place, given, `${KEY}\n`);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout + ended.stderr).not.toContain(KEY);
    expect(credentials(place)).toContain(KEY);
  });

  test('each wrong use says what to do, and nothing is saved', async () => {
    const place = newcomer();
    const server = await keyServer(KEY);
    const said = async (args: readonly string[], input = '') => {
      const { code, stderr } = await piped(place, ['setup', ...args], input);
      return `${code} ${stderr}`;
    };
    expect(await said([])).toMatch(/^2 .*there is no terminal to ask on: pass --provider/);
    expect(await said(['--provider', 'claude'], KEY)).not.toMatch(/^0/);
    expect(await said(['--provider', 'nobody'])).toMatch(
      /^2 .*unknown provider "nobody": expected one of anthropic-api/,
    );
    expect(await said(['--provider', 'anthropic-api'])).toMatch(/^2 .*no key: pass it on standard input/);
    expect(await said(['--provider', 'anthropic-api', '--key', KEY])).toMatch(/^2 .*stays in your shell history/);
    expect(await said(['--provider', 'anthropic-api'], 'two words')).toMatch(/^2 .*pass the key alone/);
    expect(await said(['--provider', 'anthropic-api', '--base-url', 'ftp://x'], KEY)).toMatch(
      /^2 .*invalid --base-url/,
    );
    const wrong = await said(['--provider', 'anthropic-api', '--base-url', server.url], 'sk-ant-api03-wrongwrong1234');
    expect(wrong).toMatch(/^1 /);
    expect(wrong).toContain('nothing was saved; --no-check saves without trying');
    expect(wrong).not.toContain('wrongwrong');
    expect(existsSync(place.home) ? readdirSync(place.home) : []).toEqual([]);
  });

  test('keys saved at the same time are all kept, also after a process was killed at it', async () => {
    const place = newcomer();
    const keys = {
      'anthropic-api': KEY,
      'openai-api': 'sk-proj-Ab1Cd2Ef3Gh4Ij5Kl6',
      'gemini-api': 'AIzaSyA1b2C3d4E5f6',
    };
    mkdirSync(place.home, { mode: 0o700 });
    const lock = join(place.home, 'credentials.lock');
    writeFileSync(lock, '');
    utimesSync(lock, 0, 0);
    const all = Object.entries(keys).map(([provider, key]) =>
      piped(place, ['setup', '--provider', provider, '--no-check'], key, { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '' }),
    );
    expect((await Promise.all(all)).map(({ code }) => code)).toEqual([0, 0, 0]);
    for (const key of Object.values(keys)) expect(credentials(place)).toContain(key);
    expect(readdirSync(place.home).toSorted()).toEqual(['config.yml', 'credentials']);
  });

  test('keys are not saved among the files of a project', async () => {
    const place = newcomer();
    const inside = { HOLDFAST_HOME: join(place.workspace, 'state') };
    const { code, stderr } = await piped(place, ['setup', '--provider', 'anthropic-api', '--no-check'], KEY, inside);
    expect(code).toBe(2);
    expect(stderr).toContain('where keys do not belong');
    expect(readdirSync(place.workspace)).toEqual(['README.md']);
  });
});

describe('a saved key', () => {
  async function ready() {
    const place = newcomer();
    const server = await keyServer(KEY);
    const ended = await piped(place, ['setup', '--provider', 'anthropic-api', '--base-url', server.url], KEY);
    expect(ended).toMatchObject({ code: 0 });
    return { place, server };
  }

  test('is used by chat, run, crew and doctor; the environment wins', async () => {
    const { place, server } = await ready();
    place.write('TASK.md', '# TASK: Say ok\n\n## Goal\nSay ok.\n');
    place.write(
      'crew.yml',
      `entry: one\nagents:\n  one:\n    provider: { base_url: ${server.url} }\n    instructions: Answer.\n`,
    );
    expect(await piped(place, ['chat', '-p', 'hello'], '')).toMatchObject({ code: 0 });
    const crew = await piped(place, ['crew', 'run', 'crew.yml', 'hello'], '');
    expect(crew.stderr).not.toContain('is not set');
    const doctor = await piped(place, ['doctor'], '');
    expect(doctor.stdout).toMatch(/^ok +key: ANTHROPIC_API_KEY is saved in .*credentials$/m);
    const run = await piped(place, ['run', 'TASK.md', '--json'], '');
    expect(run.stdout).toContain('"type":"run-end"');
    expect(server.sent.every((sent) => sent === KEY)).toBe(true);
    await piped(place, ['chat', '-p', 'hello'], '', { ANTHROPIC_API_KEY: 'sk-ant-of-the-shell-1234567' });
    expect(server.sent.at(-1)).toBe('sk-ant-of-the-shell-1234567');
  });

  test('reaches no output, log or store, and no file tool', async () => {
    const { place } = await ready();
    const asked = `run cat ${join(place.home, 'credentials')}`;
    const read = `read ${join(place.home, 'credentials')}`;
    for (const prompt of [asked, read]) {
      const { stdout, stderr } = await piped(place, ['chat', '-p', '--yolo', '--json', prompt], '');
      expect(stdout + stderr).not.toContain(KEY);
    }
    const stored = readdirSync(place.home, { recursive: true }) as string[];
    for (const name of stored.filter((one) => one !== 'credentials' && statSync(join(place.home, one)).isFile()))
      expect(readFileSync(join(place.home, name)).includes(KEY), name).toBe(false);
  });

  test('is refused while others can read it', async () => {
    const { place } = await ready();
    chmodSync(join(place.home, 'credentials'), 0o644);
    const { code, stderr } = await piped(place, ['chat', '-p', 'hello'], '');
    expect(code).toBe(2);
    expect(stderr).toContain(`run \`chmod 600 ${join(place.home, 'credentials')}\``);
  });
});
