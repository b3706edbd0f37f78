import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codingTask, createStandIn } from '@holdfast/stand-in';
import type { Plugin } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundlePrograms } from '../../../scripts/test-programs.ts';
import { COMPILE_CACHE, type Ended, folderWith, run } from './holdfast.ts';
import { keyServer } from './key-server.ts';
import { FILES, project } from './project.ts';

const LAST = '  standInDefinition,';
const LAST_NAME = "  'stand-in': undefined,";

/** Adds the folder of a made-up provider to the sources, its entry to the list, and its name to the help. */
const withMadeUp: Plugin = {
  name: 'made-up',
  setup({ onLoad, onResolve }) {
    const path = fileURLToPath(new URL('fixtures/made-up/index.ts', import.meta.url));
    onResolve({ filter: /^\.\/made-up\/index\.ts$/ }, () => ({ path }));
    onLoad({ filter: /agent\/src\/providers\/index\.ts$/ }, async ({ path }) => {
      const list = await readFile(path, 'utf8');
      expect(list).toContain(LAST);
      const named = list.replace(LAST, `${LAST}\n  madeUpDefinition,`);
      return { contents: `import { madeUpDefinition } from './made-up/index.ts';\n${named}`, loader: 'ts' };
    });
    onLoad({ filter: /cli\/src\/names\.ts$/ }, async ({ path }) => {
      const list = await readFile(path, 'utf8');
      expect(list).toContain(LAST_NAME);
      return { contents: list.replace(LAST_NAME, `${LAST_NAME}\n  'made-up': 'MADE_UP_API_KEY',`), loader: 'ts' };
    });
  },
};

const folder = folderWith();
const bin = join(folder, 'dist/bin.js');
beforeAll(() => bundlePrograms(join(folder, 'dist'), [withMadeUp]), 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function holdfast(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = folder,
  input = '',
): Promise<Ended> {
  const own = { ...COMPILE_CACHE, PATH: process.env.PATH ?? '', HOME: `${folder}-home`, HOLDFAST_TRUST: '1' };
  return run(process.execPath, [bin, ...args], { cwd, env: { ...own, ...env }, input });
}

test('a provider that is a folder, an entry of the list and a name is in help, completion and configuration', async () => {
  const help = await holdfast(['run', '--help']);
  expect(help.stdout.replace(/\s+/g, ' ')).toContain('"stand-in", "made-up"');
  expect((await holdfast(['--help'])).stdout).toContain('OPENAI_API_KEY, GEMINI_API_KEY, MADE_UP_API_KEY');
  expect((await holdfast(['completion', 'bash'])).stdout).toContain('made-up');
  const config = await holdfast(['config', '--provider', 'made-up', '--json']);
  expect(JSON.parse(config.stdout)).toMatchObject({ config: { provider: { type: 'made-up' } } });
  expect(JSON.parse(config.stdout)).toMatchObject({ config: { provider: { wire: 'plain', calls: 120 } } });
  const file = await holdfast(['init', '--stdout']);
  expect(file.stdout).toContain('# For `made-up`: which wire. One of plain, items.\n  #wire: plain\n');
  const wrong = await holdfast(['config', '--provider', 'make-up']);
  expect(wrong).toMatchObject({ code: 2 });
  expect(wrong.stderr).toContain('made-up');
});

test('doctor checks its key, its server and its model', async () => {
  const asked: (readonly unknown[])[] = [];
  const server = createServer(({ url, headers }, response) => {
    asked.push([url, headers['x-made-up-key']]);
    response.end('{"context_window":4321}');
  }).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const missing = await holdfast(['doctor', '--provider', 'made-up']);
    expect(missing.stdout).toContain('MADE_UP_API_KEY is not set');
    const env = { MADE_UP_API_KEY: 'any', MADE_UP_BASE_URL: address };
    const { stdout } = await holdfast(['doctor', '--provider', 'made-up'], env);
    expect(stdout).toMatch(/^ok +key: MADE_UP_API_KEY is set$/m);
    expect(stdout).toContain(`${address} answers; its context window is 4.3k tokens`);
    expect(asked).toEqual([['/models/gpt-6-sol?made-up', 'any']]);
    expect(stdout).toMatch(/^\w+ +model: gpt-6-sol/m);
  } finally {
    server.close();
  }
});

test('its own keys are checked in holdfast.yml and crew.yml, and decide what it speaks', async () => {
  const there = project({
    ...FILES,
    'holdfast.yml': 'provider: { type: made-up, wire: items }\n',
    'wrong.yml': 'provider: { type: made-up, wire: item }\n',
    'crew.yml': 'entry: a\nprovider: { type: made-up, wire: 7 }\nagents: { a: { role: x } }\n',
  });
  const wrong = await holdfast(['config', '--config', 'wrong.yml'], there.env, there.workspace);
  expect(wrong.stderr).toContain('wrong.yml:1:34: provider.wire is "item": expected one of plain, items');
  const crew = await holdfast(['crew', 'run', 'crew.yml', 'hi'], there.env, there.workspace);
  expect(crew.stderr).toContain('crew.yml:2:34: provider.wire is 7: expected one of plain, items');
  const standIn = await createStandIn({ script: codingTask(there.workspace, { calls: 3 }) });
  try {
    const env = { ...there.env, MADE_UP_API_KEY: 'any', MADE_UP_BASE_URL: `${standIn.url}/v1` };
    expect(await holdfast(['run', 'TASK.md'], env, there.workspace)).toMatchObject({ code: 0 });
    expect(standIn.requests.map(({ path }) => path)).toContain('/v1/responses');
  } finally {
    await standIn.close();
  }
});

test('run talks to it', async () => {
  const there = project(FILES);
  const standIn = await createStandIn({ script: codingTask(there.workspace, { calls: 5 }) });
  try {
    const env = { ...there.env, MADE_UP_API_KEY: 'any', MADE_UP_BASE_URL: `${standIn.url}/v1` };
    const ended = await holdfast(['run', 'TASK.md', '--provider', 'made-up'], env, there.workspace);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout + ended.stderr).toContain('all 5 calls were answered');
  } finally {
    await standIn.close();
  }
});

test('setup tries its key and saves it, and a chat uses it', async () => {
  const there = project(FILES);
  const server = await keyServer('typed-key');
  const env = { ...there.env, MADE_UP_BASE_URL: `${server.url}/v1` };
  const saved = await holdfast(['setup', '--provider', 'made-up'], env, there.workspace, 'typed-key\n');
  expect(saved).toMatchObject({ code: 0, stdout: expect.stringContaining('Saved MADE_UP_API_KEY') });
  const tried = server.sent.length;
  expect(await holdfast(['chat', 'hello'], env, there.workspace)).toMatchObject({ code: 0 });
  expect(server.sent.length).toBeGreaterThan(tried);
  expect(new Set(server.sent)).toEqual(new Set(['typed-key']));
});
