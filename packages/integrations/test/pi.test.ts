import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Script } from '@holdfast/stand-in';
import { expect, onTestFinished, test, vi } from 'vitest';
import { programOf } from '../../../scripts/test-programs.ts';
import { installClient } from '../../proxy/clients/install.ts';
import { openRun } from '../../proxy/clients/open-run.ts';
import { pi as client } from '../../proxy/clients/pi.ts';
import { partName } from '../../proxy/clients/workspace.ts';
import { holdfast, type PiApi } from '../src/pi/index.ts';
import { testFramework } from './framework-conformance.ts';
import { promptTokens } from './scripted.ts';

const asked = process.env.HOLDFAST_CLIENTS === '1';
if (!asked) console.warn('pi: not run; set HOLDFAST_CLIENTS=1 to install it from npm and run it');

const PI = { name: 'pi', package: '@earendil-works/pi-coding-agent', version: '0.87.1', bin: 'pi' };
const MODEL = 'claude-opus-4-6';
/** About 1,400 tokens each. */
const CALLS = 60;

/** pi's sessions: files in a folder. */
interface Home {
  readonly folder: string;
  readonly files: Map<string, string>;
  readonly open: Map<string, PiSession>;
}

interface PiSession {
  readonly sessionFile: string;
  readonly messages: readonly unknown[];
  subscribe(listener: (event: PiEvent) => void): () => void;
  prompt(text: string, options: { readonly images?: readonly unknown[] }): Promise<void>;
  abort(): Promise<void>;
  compact(): Promise<unknown>;
  dispose(): void;
}

interface PiEvent {
  readonly type: string;
  readonly assistantMessageEvent?: { readonly type: string };
  readonly message?: { readonly role: string; readonly content: readonly { readonly text?: string }[] };
}

type Made = Readonly<Record<string, unknown>>;
type SessionFiles = { create(cwd: string, folder: string): unknown; open(path: string, folder: string): unknown };

/** What the tests use of pi, which is installed outside this repository. */
interface Pi {
  createAgentSession(options: Made): Promise<{ readonly session: PiSession }>;
  readonly DefaultResourceLoader: new (options: Made) => { reload(): Promise<void> };
  readonly ModelRuntime: {
    create(options: Made): Promise<{
      getModel(provider: string, id: string): Made;
      setRuntimeApiKey(provider: string, key: string): Promise<void>;
    }>;
  };
  readonly SessionManager: SessionFiles;
  readonly SettingsManager: { inMemory(settings: Made): unknown };
}

/** Reads the files of the workspace one by one, whatever was folded before. */
const readParts: Script = ({ messages }) => {
  const commands = messages.flatMap(({ calls }) => calls.map(({ input }) => JSON.stringify(input)));
  const read = Math.max(0, ...commands.map((command) => Number(/part-(\d+)/.exec(command)?.[1] ?? 0)));
  if (read === CALLS) return { text: 'That was all.' };
  return {
    thinking: `Next is ${read + 1}.`,
    calls: [{ name: 'bash', input: { command: `cat ${partName(read + 1)}` } }],
  };
};

if (asked) {
  vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });
  const bin = await installClient(PI);
  const main = join(dirname(bin), '..', PI.package, 'dist/index.js');
  const pi = (await import(/* @vite-ignore */ pathToFileURL(main).href)) as Pi;

  test('the extension of the docs bounds the real program', async () => {
    const run = await openRun({ calls: CALLS, script: readParts });
    onTestFinished(() => run.close());
    const end = await run.start({
      ...client,
      ...PI,
      command(start) {
        const { args, ...rest } = client.command(start);
        return { ...rest, args: ['--extension', programOf('pi-extension'), ...args] };
      },
    });
    expect(end).toMatchObject({ exit_code: 0, timed_out: false });
    const { requests } = run.stand_in;
    expect(requests.filter(({ verdict }) => verdict !== 'answered')).toEqual([]);
    expect(requests.length).toBe(CALLS + 1);
    const tokens = requests.map(promptTokens);
    expect(Math.max(...tokens)).toBeLessThanOrEqual(50_000);
    expect(tokens.filter((now, at) => now < (tokens[at - 1] ?? 0)).length).toBeGreaterThan(0);
    expect(JSON.stringify(requests.at(-1)?.body)).toContain('[Note on');
  });

  testFramework<Home>('pi', {
    pictures: true,
    refusals: 0,
    named: true,
    memory: () => ({ folder: mkdtempSync(join(tmpdir(), 'holdfast-pi-')), files: new Map(), open: new Map() }),
    open({ url, memory, readFile, picture, recall, retries, max_tokens, store, onEvent }) {
      const { folder, files } = memory;
      for (const session of memory.open.values()) session.dispose();
      memory.open.clear();
      const extension = holdfast({ max_tokens, recall, onEvent, ...(store ? { store } : {}) });
      const readFileTool = (api: PiApi) =>
        api.registerTool({
          name: 'read_file',
          label: 'Read',
          description: 'Reads a file.',
          parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
          execute: async (_: string, { path }: { path: string }) => ({
            content: [
              { type: 'text', text: readFile(path) },
              ...(picture ? [{ type: 'image', mimeType: 'image/png', data: picture }] : []),
            ],
            details: undefined,
          }),
        } as never);
      const start = async (conversation: string): Promise<PiSession> => {
        const place = { cwd: folder, agentDir: join(folder, 'agent') };
        mkdirSync(place.agentDir, { recursive: true });
        const settings = pi.SettingsManager.inMemory({
          compaction: { enabled: false },
          retry: { enabled: retries > 0, maxRetries: retries, baseDelayMs: 1 },
        });
        const resourceLoader = new pi.DefaultResourceLoader({
          ...place,
          settingsManager: settings,
          extensionFactories: [extension, readFileTool],
          systemPrompt: 'You read files.',
        });
        await resourceLoader.reload();
        const modelRuntime = await pi.ModelRuntime.create({
          authPath: join(place.agentDir, 'auth.json'),
          modelsPath: join(place.agentDir, 'models.json'),
        });
        await modelRuntime.setRuntimeApiKey('anthropic', 'none');
        const file = files.get(conversation);
        const { session } = await pi.createAgentSession({
          ...place,
          settingsManager: settings,
          resourceLoader,
          modelRuntime,
          model: { ...modelRuntime.getModel('anthropic', MODEL), baseUrl: url },
          thinkingLevel: 'medium',
          tools: ['read_file', 'recall'],
          sessionManager: file ? pi.SessionManager.open(file, folder) : pi.SessionManager.create(folder, folder),
        });
        files.set(conversation, session.sessionFile);
        return session;
      };
      return {
        async ask(conversation, text, { image, signal } = {}) {
          const session = memory.open.get(conversation) ?? (await start(conversation));
          memory.open.set(conversation, session);
          let parts = 0;
          let answer = '';
          const stop = session.subscribe(({ type, assistantMessageEvent, message }) => {
            if (type === 'message_update' && assistantMessageEvent?.type === 'text_delta') parts++;
            if (type === 'message_end' && message?.role === 'assistant')
              answer = message.content.map((part) => part.text ?? '').join('');
          });
          const images = image ? { images: [{ type: 'image', mimeType: 'image/png', data: image }] } : {};
          signal?.addEventListener('abort', () => void session.abort());
          await session.prompt(text, images);
          stop();
          return { text: answer, parts };
        },
      };
    },
    remembered: async ({ open }, conversation) => JSON.stringify(open.get(conversation)?.messages),
    async compact({ open }, conversation) {
      await open.get(conversation)?.compact();
    },
    async close({ folder, open }) {
      for (const session of open.values()) session.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  });
} else test.skip('pi: set HOLDFAST_CLIENTS=1');
