import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isRunning, ranWith, writeProgram } from '../../../test/program.ts';
import { claudeCli } from '../claude-cli/index.ts';

const RESULT = `say({ type: 'result', subtype: 'success', is_error: false, result: 'ok', session_id: 's-1' });`;
const KEY = 'planted-0123456789-key';

/** Waits until something is there. */
async function until<T>(look: () => T | undefined): Promise<T> {
  for (let i = 0; i < 3_000; i++) {
    const found = look();
    if (found !== undefined) return found;
    await wait(10);
  }
  throw new Error('it never came');
}

test('a missing program is named, with what to install', async () => {
  const missing = await claudeCli({ program: '/nowhere/claude' }).execute('go');
  expect(missing).toMatchObject({ success: false, output: '', errorCategory: 'invalid_request', filesChanged: [] });
  expect(missing.error).toBe(
    'claude-cli: program "/nowhere/claude" not found: install Claude Code: npm install -g @anthropic-ai/claude-code, or set `program` to its path',
  );
});

test('a missing folder and a file that is not a program are reported differently', async () => {
  const { program } = writeProgram(RESULT);
  const provider = claudeCli({ program });
  expect((await provider.execute('go', { cwd: '/nowhere' })).error).toContain('the working folder "/nowhere"');
  chmodSync(program, 0o644);
  expect((await provider.execute('go')).error).toContain('could not be started (EACCES)');
});

test.runIf(process.platform === 'linux')(
  'the prompt does not appear in the process list, and may be long',
  async () => {
    const secret = 'the-words-of-the-prompt';
    const { folder, program } = writeProgram(
      `const text = input(); writeFileSync(join(folder, 'length'), String(text.length));
     writeFileSync(join(folder, 'list'), readFileSync('/proc/self/cmdline'));
     writeFileSync(join(folder, 'environment'), readFileSync('/proc/self/environ'));${RESULT}`,
    );
    const prompt = `${secret} ${'x'.repeat(3_000_000)}`;
    expect(await claudeCli({ program }).execute(prompt, { system: secret })).toMatchObject({ success: true });
    expect(readFileSync(join(folder, 'length'), 'utf8')).toBe(String(prompt.length + secret.length + 2));
    expect(readFileSync(join(folder, 'list'), 'utf8')).not.toContain(secret);
    expect(readFileSync(join(folder, 'environment'), 'utf8')).not.toContain(secret);
  },
);

test('lines in pieces, split letters, garbage, empty lines and a last line without an end are read', async () => {
  const { program } = writeProgram(`
    const bytes = Buffer.from(JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text: 'Grüße 🦀' }] } }) + '\\n');
    const last = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'Grüße 🦀', session_id: 's' });
    (async () => {
      line('\\n\\nWarning: something\\n[1,2]\\n"text"\\n{"type":"assis\\n{"type":42}\\n{"type":"assistant","message":null}\\n');
      for (const byte of bytes) { process.stdout.write(Buffer.from([byte])); await new Promise(setImmediate); }
      process.stdout.write(last);
    })();`);
  const texts: string[] = [];
  const debug: string[] = [];
  const result = await claudeCli({ program }).execute('go', {
    onEvent: (event) => event.type === 'text-delta' && texts.push(event.text),
    logger: { debug: (line) => debug.push(line), info() {}, warn() {} },
  });
  expect(result).toMatchObject({ success: true, output: 'Grüße 🦀' });
  expect(texts).toEqual(['Grüße 🦀']);
  expect(debug).toContain('claude-cli: not an event: Warning: something');
});

test('huge output is read to the end, and an overlong line is skipped', async () => {
  const { program } = writeProgram(`
    const block = 'y'.repeat(1024 * 1024);
    say({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: block.repeat(30) }] } });
    for (let i = 0; i < 70; i++) line(block);
    line('\\n');
    process.stderr.write('z'.repeat(5_000_000));
    ${RESULT}`);
  const warnings: string[] = [];
  const logger = { debug() {}, info() {}, warn: (line: string) => warnings.push(line) };
  expect(await claudeCli({ program }).execute('go', { logger })).toMatchObject({ success: true, output: 'ok' });
  expect(warnings).toEqual(['claude-cli: 1 lines were too long to read']);
});

const STUBBORN = `
  process.on('SIGTERM', () => {});
  const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { stdio: 'inherit' });
  say({ type: 'system', subtype: 'init', session_id: 's-9' });
  say({ type: 'assistant', message: { content: [{ type: 'text', text: 'I begin.' }] }, session_id: 's-9' });
  writeFileSync(join(folder, 'child'), String(child.pid));
  setInterval(() => {}, 1000);`;

test('the time limit ends the whole process group, even processes that ignore signals; the session can be resumed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { folder, program } = writeProgram(STUBBORN);
  let heard = '';
  const onEvent = ({ type }: { readonly type: string }) => {
    heard = type;
  };
  const running = claudeCli({ program, grace_ms: 100 }).execute('go', { time_limit_ms: 60_000, onEvent });
  await until(() => (heard !== '' && existsSync(join(folder, 'child')) ? true : undefined));
  vi.advanceTimersByTime(60_000);
  vi.advanceTimersByTime(100);
  const result = await running;
  expect(result).toMatchObject({
    success: false,
    output: 'I begin.',
    error: 'claude-cli did not finish within 60000 ms',
    errorCategory: 'timeout',
    conversationState: { sessionId: 's-9' },
  });
  const pids = [ranWith(folder)?.pid ?? 0, Number(readFileSync(join(folder, 'child'), 'utf8'))];
  await until(() => (pids.some(isRunning) ? undefined : true));
});

test('an abort ends it too; if aborted beforehand, nothing starts', async () => {
  const { folder, program } = writeProgram(STUBBORN);
  const controller = new AbortController();
  const running = claudeCli({ program, grace_ms: 100 }).execute('go', { signal: controller.signal });
  const child = await until(() => (existsSync(join(folder, 'child')) ? join(folder, 'child') : undefined));
  const pid = Number(await until(() => readFileSync(child, 'utf8') || undefined));
  controller.abort();
  expect(await running).toMatchObject({ success: false, errorCategory: 'cancelled' });
  await until(() => (isRunning(pid) ? undefined : true));
  const never = writeProgram(RESULT);
  const options = { signal: AbortSignal.abort() };
  expect(await claudeCli(never).execute('go', options)).toMatchObject({ errorCategory: 'cancelled' });
  expect(ranWith(never.folder)).toBeUndefined();
});

test('background processes it leaves behind delay nothing and keep running', async () => {
  const { folder, program } = writeProgram(`
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
    child.unref();
    writeFileSync(join(folder, 'child'), String(child.pid));
    ${RESULT} process.exit(0);`);
  expect(await claudeCli({ program, grace_ms: 100 }).execute('go')).toMatchObject({ success: true });
  const pid = Number(readFileSync(join(folder, 'child'), 'utf8'));
  expect(isRunning(pid)).toBe(true);
  process.kill(pid, 'SIGKILL');
});

/** True until this process has learned that the other one ended. */
function isKnown(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('once it has ended, neither the time limit nor an abort makes it fail', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { folder, program } = writeProgram(`
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
    child.unref();
    writeFileSync(join(folder, 'child'), String(child.pid));
    ${RESULT} process.exit(0);`);
  const controller = new AbortController();
  const options = { time_limit_ms: 60_000, signal: controller.signal };
  const running = claudeCli({ program, grace_ms: 90_000 }).execute('go', options);
  const { pid } = await until(() => ranWith(folder));
  await until(() => (isKnown(pid) ? undefined : true));
  vi.advanceTimersByTime(60_000);
  controller.abort();
  vi.advanceTimersByTime(90_000);
  expect(await running).toMatchObject({ success: true, output: 'ok' });
  process.kill(Number(readFileSync(join(folder, 'child'), 'utf8')), 'SIGKILL');
});

test('many run concurrently, and failing to start is a result, too', async () => {
  const { program } = writeProgram(RESULT);
  const runs = await Promise.all(Array.from({ length: 12 }, () => claudeCli({ program }).execute('go')));
  expect(runs.every(({ success }) => success)).toBe(true);
  const impossible = await claudeCli({ program, model: 'a\0b' }).execute('go');
  expect(impossible.error).toContain('could not be started (ERR_INVALID_ARG_VALUE)');
});

test('a non-zero exit after a good result is a failure; so are a non-zero exit alone, a signal, and no result', async () => {
  const run = (script: string) => claudeCli(writeProgram(script)).execute('go');
  expect((await run(`${RESULT} process.exit(7)`)).error).toMatch(/exited with 7$/);
  expect((await run(`process.stderr.write('went wrong'); process.exit(1)`)).error).toMatch(
    /exited with 1: went wrong$/,
  );
  expect((await run(`process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 9)`)).error).toMatch(/by SIGKILL$/);
  expect((await run(`say({ type: 'system', subtype: 'init', session_id: 's' })`)).error).toMatch(/without a result$/);
});

test('a program that never reads its input fails with its own message', async () => {
  const { program } = writeProgram(`process.stderr.write("error: unknown option '--verbose'"); process.exit(1)`);
  const result = await claudeCli({ program }).execute('x'.repeat(5_000_000));
  expect(result).toMatchObject({ success: false, errorCategory: 'invalid_request' });
});

test('no error, log line or state contains a key', async () => {
  const { program } = writeProgram(`
    line('using ' + process.env.CURSOR_API_KEY + '\\n');
    say({ type: 'system', subtype: 'init', session_id: 's-1' });
    process.stderr.write('refused: ' + process.env.CURSOR_API_KEY + ' and sk-' + 'a1'.repeat(20));
    process.exit(1);`);
  const lines: string[] = [];
  const note = (line: string) => lines.push(line);
  const result = await claudeCli({ program, env: { CURSOR_API_KEY: KEY } }).execute('go', {
    logger: { debug: note, info: note, warn: note },
  });
  expect(result.error).toContain('refused: [key]');
  expect(lines.join()).toContain('using [key]');
  expect(JSON.stringify([result, lines])).not.toMatch(/planted-0123|sk-a1/);
});

test('a time limit beyond what timers support ends nothing', async () => {
  const { program } = writeProgram(`setTimeout(() => { ${RESULT} }, 50);`);
  const result = await claudeCli({ program }).execute('go', { time_limit_ms: Number.POSITIVE_INFINITY });
  expect(result).toMatchObject({ success: true, output: 'ok' });
});

test('a key at the point where a line is cut is removed first', async () => {
  const KEY = 'planted-0123456789-abcdefghij';
  const { program } = writeProgram(`
    const key = process.env.CURSOR_API_KEY;
    for (const before of [190, 1990]) line('x'.repeat(before) + key + '\\n');
    process.stderr.write(key + 'y'.repeat(1990));
    process.exit(1);`);
  const lines: string[] = [];
  const note = (line: string) => lines.push(line);
  const result = await claudeCli({ program, env: { CURSOR_API_KEY: KEY } }).execute('go', {
    logger: { debug: note, info: note, warn: note },
  });
  expect(result.success).toBe(false);
  expect(JSON.stringify([result, lines])).not.toMatch(/plant|hij/);
});

test.each([
  [{ conversationState: { messages: [] } }, 'conversationState is from another provider'],
  [{ conversationState: { provider: 'cursor-cli', sessionId: 's' } }, 'conversationState is from another provider'],
  [
    { conversationState: { provider: 'claude-cli', sessionId: '--help' } },
    'conversationState is from another provider',
  ],
  [{ model: '--dangerously-skip-permissions' }, 'invalid model'],
  [{ time_limit_ms: Number.NaN }, 'time_limit_ms is NaN'],
])('%j is refused before anything runs', async (options, words) => {
  const { folder, program } = writeProgram(RESULT);
  const result = await claudeCli({ program }).execute('go', options);
  expect(result).toMatchObject({ success: false, errorCategory: 'invalid_request' });
  expect(result.error).toContain(words);
  expect(ranWith(folder)).toBeUndefined();
});

test('a listener that throws does not end the run', async () => {
  const { program } = writeProgram(
    `say({ type: 'assistant', message: { content: [{ type: 'text', text: 'hi' }] } });${RESULT}`,
  );
  const onEvent = () => {
    throw new Error('in the listener');
  };
  expect(await claudeCli({ program }).execute('go', { onEvent })).toMatchObject({ success: true });
});

test('a logger that throws does not end the run, neither at a line nor at the last one', async () => {
  const { program } = writeProgram(`line('no event\\n');${RESULT}line('no event at the end');`);
  const broken = () => {
    throw new Error('in the logger');
  };
  const logger = { debug: broken, info: broken, warn: broken };
  expect(await claudeCli({ program }).execute('go', { logger, onEvent: broken })).toMatchObject({ success: true });
});

/** Runs the program from a separate process, which runs `host` once the file exists. Returns how that process ended. */
function hosted({ folder, program }: { folder: string; program: string }, file: string, host: string) {
  const starter = join(folder, 'start.mjs');
  const source = new URL('../claude-cli/index.ts', import.meta.url).href;
  writeFileSync(
    starter,
    `import { existsSync, writeFileSync } from 'node:fs';
     const { claudeCli } = await import(${JSON.stringify(source)});
     const running = claudeCli({ program: ${JSON.stringify(program)} }).execute('go');
     const there = new Promise((resolve) => {
       const timer = setInterval(() => {
         if (existsSync(${JSON.stringify(join(folder, file))})) resolve(clearInterval(timer));
       }, 20);
     });
     ${host}`,
  );
  const { status, signal } = spawnSync(process.execPath, ['--conditions=@holdfast/source', starter], {
    timeout: 20_000,
  });
  return { status, signal };
}

test.each([
  ['process.exit(0)', { status: 0, signal: null }],
  [`process.kill(process.pid, 'SIGTERM')`, { status: null, signal: 'SIGTERM' }],
])('when this process is ended by %s, the program it runs ends too', async (act, ended) => {
  const written = writeProgram(STUBBORN);
  expect(hosted(written, 'child', `await there; ${act}; await running;`)).toEqual(ended);
  const pids = [ranWith(written.folder)?.pid ?? 0, Number(readFileSync(join(written.folder, 'child'), 'utf8'))];
  await until(() => (pids.some(isRunning) ? undefined : true));
});

test('a signal that the caller handles is left to the caller', () => {
  const written = writeProgram(`
    writeFileSync(join(folder, 'begun'), '');
    const timer = setInterval(() => {
      if (require('node:fs').existsSync(join(folder, 'go'))) { clearInterval(timer); ${RESULT} }
    }, 20);`);
  const host = `
    let heard = 0;
    process.on('SIGTERM', () => {
      heard += process.listenerCount('SIGTERM');
      if (heard < 2) setImmediate(() => setImmediate(() => process.kill(process.pid, 'SIGTERM')));
      else writeFileSync(${JSON.stringify(join(written.folder, 'go'))}, '');
    });
    await there;
    process.kill(process.pid, 'SIGTERM');
    const { success } = await running;
    process.exit(success && heard === 2 && process.listenerCount('SIGTERM') === 1 ? 7 : 1);`;
  expect(hosted(written, 'begun', host)).toEqual({ status: 7, signal: null });
});

test('a configuration that the program writes is removed and reported', async () => {
  const { program, folder } = writeProgram(`writeFileSync('holdfast.yml', 'evil');\n${RESULT}`);
  const warnings: string[] = [];
  const logger = { debug() {}, info() {}, warn: (line: string) => void warnings.push(line) };
  await claudeCli({ program }).execute('go', { cwd: folder, logger });
  expect(existsSync(join(folder, 'holdfast.yml'))).toBe(false);
  expect(warnings).toEqual([`claude-cli: it changed ${join(folder, 'holdfast.yml')}, which was restored`]);
});
