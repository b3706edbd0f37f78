import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { compile, makeConsumer } from './consumer.ts';
import { SOAK } from './soak.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-consumer-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let entries: readonly string[] = [];
beforeAll(() => {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: join(import.meta.dirname, '..') });
  entries = makeConsumer(folder).filter((entry) => !isFramework(entry));
}, 600_000);

/** These load their framework, an optional peer dependency. */
const isFramework = (entry: string) => entry.startsWith('@holdfast/integrations');
const FRAMEWORKS = {
  'ai-sdk': 'ai',
  langchain: 'langchain',
  'openai-agents': '@openai/agents',
  opencode: '@opencode-ai/sdk',
  mastra: '@mastra/core',
  strands: '@strands-agents/sdk',
  'google-adk': '@google/adk',
};

test.each(Object.values(FRAMEWORKS))(
  '%s installs no other framework, and neither does @holdfast/integrations',
  (framework) => {
    const small = mkdtempSync(join(tmpdir(), 'holdfast-framework-'));
    onTestFinished(() => rmSync(small, { recursive: true, force: true }));
    makeConsumer(small, [framework]);
    const isThere = (place: string) => (name: string) => existsSync(join(place, 'node_modules', name));
    expect(Object.values(FRAMEWORKS).filter(isThere(small))).toEqual([framework]);
    expect(Object.values(FRAMEWORKS).filter(isThere(folder))).toEqual([]);
  },
);

test('every entry for a framework loads and compiles', () => {
  const all = mkdtempSync(join(tmpdir(), 'holdfast-frameworks-'));
  onTestFinished(() => rmSync(all, { recursive: true, force: true }));
  const own = makeConsumer(all, ['@holdfast/integrations', ...Object.values(FRAMEWORKS)], folder).filter(isFramework);
  for (const entry of Object.keys(FRAMEWORKS)) expect(own).toContain(`@holdfast/integrations/${entry}`);
  writeFileSync(join(all, 'load.mjs'), `for (const entry of ${JSON.stringify(own)}) await import(entry);`);
  execFileSync(process.execPath, ['load.mjs'], { cwd: all });
  expect(compile(all, own, { module: 'nodenext', skipLibCheck: true })).toBe('');
});

const RESOLUTIONS = [
  ['nodenext', { module: 'nodenext' }],
  ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  ['node16', { module: 'node16' }],
] as const;

// The last resolves as the first does, but for what newer versions add.
test.each(SOAK ? RESOLUTIONS : RESOLUTIONS.slice(0, 2))(
  'every packed entry compiles under strict TypeScript with skipLibCheck: false (%s)',
  (_, options) => {
    expect(entries.length).toBeGreaterThan(12);
    const isServer = (entry: string) => /^@holdfast\/(?:proxy|inspector)/.test(entry);
    const plain = entries.filter((entry) => !isServer(entry));
    expect(compile(folder, plain, options)).toBe('');
    // A server's types name requests and responses of Node.
    const node = { types: ['node'], typeRoots: [join(import.meta.dirname, '../node_modules/@types')] };
    expect(compile(folder, entries.filter(isServer), { ...options, ...node })).toBe('');
  },
);

test('require() and import load every packed entry', () => {
  const load = `const names = ${JSON.stringify(entries)};
    (async () => { for (const name of names) {
      const [one, other] = [require(name), await import(name)];
      const isTypesOnly = name === '@holdfast/inspector/api';
      if ((Object.keys(one).length === 0) !== isTypesOnly || one !== other) throw new Error(name);
    } console.log(names.length); })();`;
  writeFileSync(join(folder, 'load.cjs'), load);
  expect(execFileSync(process.execPath, ['load.cjs'], { cwd: folder, encoding: 'utf8' }).trim()).toBe(
    String(entries.length),
  );
});

test('the installed command replays in threads, and every file of a thread is next to the code that starts it', () => {
  for (const file of ['one.jsonl', 'other.jsonl']) {
    const talk = ['user', 'assistant'].map((role) => JSON.stringify({ role, content: `Hello from ${file}.` }));
    writeFileSync(join(folder, file), talk.join('\n'));
  }
  const command = join(folder, 'node_modules/@holdfast/cli/bin/holdfast.js');
  const args = [command, 'replay', 'one.jsonl', 'other.jsonl', '--workers', '2', '--json'];
  const env = { ...process.env, HOLDFAST_HOME: join(folder, 'home') };
  const { conversations } = JSON.parse(execFileSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' }));
  expect(conversations).toBe(2);
  const files = globSync('node_modules/@holdfast/*/dist/*.js', { cwd: folder });
  const threads = files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/["']\.\/([\w-]*worker\.js)["']/g)].map(([, name = '']) =>
      join(folder, dirname(file), name),
    ),
  );
  expect(threads.length).toBeGreaterThan(2);
  expect(threads.filter((path) => !existsSync(path))).toEqual([]);
});

/** A Node without built-in SQLite, if the machine has one. */
const OLD = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
  const { stdout = '' } = existsSync(path) ? spawnSync(path, ['--version'], { encoding: 'utf8' }) : {};
  return /^v(?:18|20|21)\./.test(stdout);
});

test.skipIf(!OLD)('every entry can be imported on an older Node, and sqlite() says what to do', () => {
  const load = `for (const name of ${JSON.stringify(entries)}) await import(name);
    const { sqlite } = await import('@holdfast/sessions');
    await sqlite('store.db').catch((error) => console.log(error.name, error.code, error.message));`;
  writeFileSync(join(folder, 'load.mjs'), load);
  const out = execFileSync(OLD ?? '', ['load.mjs'], { cwd: folder, encoding: 'utf8' });
  expect(out).toMatch(/^HoldfastError BAD_CONFIG SQLite needs Node 22\.16 or newer, and this is \d+.*: update Node/);
});

test('using only anthropicApi installs neither the other SDKs nor pg, and errors name what else to install', () => {
  const small = mkdtempSync(join(tmpdir(), 'holdfast-small-'));
  try {
    const own = makeConsumer(small, ['@holdfast/agent', '@anthropic-ai/sdk']);
    const there = ['openai', '@modelcontextprotocol', 'pg', 'prom-client'];
    expect(there.filter((name) => existsSync(join(small, 'node_modules', name)))).toEqual([]);
    const typed = own.filter((entry) => entry.startsWith('@holdfast/agent'));
    expect(compile(small, typed, { module: 'nodenext' })).toBe('');
    const load = `import { anthropicApi, createTools, openaiApi } from '@holdfast/agent';
      const options = { api_key: 'none', base_url: 'http://127.0.0.1:9', max_retries: 0, ask_window: false };
      for (const provider of [anthropicApi(options), openaiApi(options)])
        console.log((await provider.execute('Hello.')).error);
      const mcp_servers = { one: { command: 'one' } };
      console.log((await createTools({ workspace: '.', mcp_servers })).warnings.join());
      process.exit();`;
    writeFileSync(join(small, 'load.mjs'), load);
    const out = execFileSync(process.execPath, ['load.mjs'], { cwd: small, encoding: 'utf8' });
    expect(out).toMatch(/^Connection error.*127\.0\.0\.1:9/);
    expect(out).toContain('openai is not installed: run npm install openai');
    expect(out).toContain('@modelcontextprotocol/sdk is not installed: run npm install @modelcontextprotocol/sdk');
  } finally {
    rmSync(small, { recursive: true, force: true });
  }
}, 120_000);
