import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { programOf } from '../../../scripts/test-programs.ts';
import { installClient } from '../../proxy/clients/install.ts';
import { openRun } from '../../proxy/clients/open-run.ts';
import { opencode } from '../../proxy/clients/opencode.ts';
import type { HoldfastEvent } from '../src/opencode/index.ts';
import { type Setup, testFramework } from './framework-conformance.ts';
import { pluginFiles, READER, startOpencode } from './opencode-server.ts';
import { promptTokens } from './scripted.ts';

const asked = process.env.HOLDFAST_CLIENTS === '1';
if (!asked) console.warn('opencode: not run; set HOLDFAST_CLIENTS=1 to install it from npm and run it');

/** About 1,400 tokens each. */
const CALLS = 60;

/** opencode's home, its sessions by conversation, and the server that runs there. */
interface Home {
  readonly folder: string;
  readonly sessions: Map<string, string>;
  /** How many events of its plugin the tests have seen. */
  events: number;
  url: Promise<string>;
  stop: () => Promise<void>;
}

if (asked) {
  vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });
  const command = await installClient(opencode);

  test('SQLite meets every demand on a store in Bun, which opencode runs on', () => {
    const env = { ...process.env, BUN_BE_BUN: '1' };
    const printed = execFileSync(command, ['run', programOf('check-sqlite-child')], { env, encoding: 'utf8' });
    expect(JSON.parse(printed)).toEqual({ runtime: 'bun', findings: [] });
  });

  test('the plugin of the docs bounds the real program, with all its tools', async () => {
    const run = await openRun({ calls: CALLS });
    onTestFinished(() => run.close());
    const plugin = Object.entries(pluginFiles(programOf('opencode-example')));
    const end = await run.start({
      ...opencode,
      command(start) {
        const { files, ...rest } = opencode.command(start);
        const more = plugin.map(([name, text]) => [`.config/opencode/${name}`, text]);
        return { ...rest, files: { ...files, ...Object.fromEntries(more) } };
      },
    });
    expect(end).toMatchObject({ exit_code: 0, timed_out: false });
    const { requests } = run.stand_in;
    expect(requests.filter(({ verdict }) => verdict !== 'answered')).toEqual([]);
    const tokens = requests.map(promptTokens);
    expect(tokens.length).toBeGreaterThan(CALLS);
    expect(Math.max(...tokens)).toBeLessThanOrEqual(50_000);
    expect(JSON.stringify(requests.at(-1)?.body)).toContain('[Note on');
  });

  // Each of its bars takes half a minute: `HOLDFAST_CLIENTS=1 npm run soak` runs them.
  if (SOAK)
    testFramework<Home>('opencode', {
      pictures: true,
      refusals: 0,
      named: true,
      memory: () => ({
        folder: mkdtempSync(join(tmpdir(), 'holdfast-opencode-')),
        sessions: new Map(),
        events: 0,
        url: Promise.resolve(''),
        stop: async () => undefined,
      }),
      open(setup) {
        const { memory } = setup;
        const before = memory.stop;
        const events = join(memory.folder, 'events');
        const started = start(command, events, setup, before);
        memory.url = started.then(({ url }) => url);
        memory.stop = async () => (await started).stop();
        return {
          async ask(conversation, text, { image, stream = false, signal } = {}) {
            const url = await memory.url;
            const session = memory.sessions.get(conversation) ?? (await createSession(url, conversation));
            memory.sessions.set(conversation, session);
            const picture = image ? [{ type: 'file', mime: 'image/png', url: `data:image/png;base64,${image}` }] : [];
            const pieces = stream ? await countPieces(url, session) : undefined;
            signal?.addEventListener('abort', () => void post(`${url}/session/${session}/abort`, {}));
            const answer = await post(`${url}/session/${session}/message`, {
              ...READER,
              parts: [...picture, { type: 'text', text }],
            });
            const lines = existsSync(events) ? readFileSync(events, 'utf8').split('\n').slice(0, -1) : [];
            for (const line of lines.slice(memory.events)) setup.onEvent(JSON.parse(line) as HoldfastEvent);
            memory.events = lines.length;
            const { parts } = answer as {
              readonly parts: readonly { readonly type: string; readonly text?: string }[];
            };
            return {
              text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
              parts: (await pieces?.()) ?? 1,
            };
          },
        };
      },
      async remembered({ url, sessions }, conversation) {
        return (await fetch(`${await url}/session/${sessions.get(conversation)}/message`, { headers: ONCE })).text();
      },
      async compact({ url, sessions }, conversation) {
        await post(`${await url}/session/${sessions.get(conversation)}/summarize`, READER.model);
      },
      async close({ folder, stop }) {
        await stop();
        rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      },
    });
} else test.skip('opencode: set HOLDFAST_CLIENTS=1');

async function start(command: string, events: string, setup: Setup<Home>, before: () => Promise<void>) {
  await before();
  const files = createServer(({ url = '' }, response) => {
    try {
      response.end(setup.readFile(url.slice(1)));
    } catch (error) {
      response.writeHead(404).end(String(error));
    }
  });
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  const { max_tokens, recall, store, database, memory, picture, url: api } = setup;
  const { url, stop } = startOpencode(command, memory.folder, api, {
    max_tokens,
    recall,
    events,
    files: `http://127.0.0.1:${(files.address() as AddressInfo).port}`,
    ...(store ? { database } : {}),
    ...(picture ? { picture } : {}),
  });
  return {
    url: await url,
    async stop() {
      await stop();
      files.closeAllConnections();
      files.close();
    },
  };
}

/** Servers follow each other on one port, so no connection may be used again. */
const ONCE = { connection: 'close' };

async function post(url: string, body: unknown): Promise<unknown> {
  const headers = { ...ONCE, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** With a title of its own, no model is asked for one. */
async function createSession(url: string, title: string): Promise<string> {
  return ((await post(`${url}/session`, { title })) as { readonly id: string }).id;
}

/** Counts the pieces of text that opencode shows while they arrive. Resolves when it listens. */
async function countPieces(url: string, session: string): Promise<() => Promise<number>> {
  const abort = new AbortController();
  const { body } = await fetch(`${url}/event`, { signal: abort.signal, headers: ONCE });
  let text = '';
  const reading = (async () => {
    for await (const chunk of body ?? []) text += Buffer.from(chunk).toString('utf8');
  })().catch(() => undefined);
  return async () => {
    abort.abort();
    await reading;
    const shown = text.split('\n').filter((line) => line.includes('"message.part.delta"') && line.includes(session));
    return shown.filter((line) => line.includes('"field":"text"')).length;
  };
}
