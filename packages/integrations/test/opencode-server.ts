import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { programOf } from '../../../scripts/test-programs.ts';
import type { PluginSetup } from './opencode-plugin.ts';

/** Nothing listens there, so that opencode cannot reach the internet. */
const CLOSED = 'http://127.0.0.1:9';
const MODEL = 'claude-opus-5-5';

/** What a message to opencode names. */
export const READER = { agent: 'reader', model: { providerID: 'local', modelID: MODEL } };

/** Starts opencode's server with our plugin in a folder, its home. Resolves with its address when it listens. */
export function startOpencode(command: string, home: string, api: string, setup: PluginSetup) {
  writeConfig(join(home, '.config/opencode'), api);
  const work = join(home, 'work');
  mkdirSync(work, { recursive: true });
  const process_ = spawn(command, ['serve', '--port', '0', '--hostname', '127.0.0.1'], {
    cwd: work,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      HTTPS_PROXY: CLOSED,
      HTTP_PROXY: CLOSED,
      NO_PROXY: '127.0.0.1,localhost',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      HOLDFAST_TEST: JSON.stringify(setup),
    },
  });
  return { url: addressOf(process_), stop: () => stop(process_) };
}

function writeConfig(folder: string, api: string): void {
  const config = {
    autoupdate: false,
    share: 'disabled',
    permission: { '*': 'allow' },
    compaction: { auto: false, prune: false },
    agent: {
      reader: { mode: 'primary', prompt: 'You read files.', tools: { '*': false, read_file: true, recall: true } },
    },
    provider: {
      local: {
        npm: '@ai-sdk/anthropic',
        name: 'local',
        options: { baseURL: `${api}/v1`, apiKey: 'none' },
        models: {
          [MODEL]: {
            name: MODEL,
            reasoning: true,
            attachment: true,
            modalities: { input: ['text', 'image'], output: ['text'] },
            options: { thinking: { type: 'adaptive' } },
            limit: { context: 1_000_000, output: 8_000 },
          },
        },
      },
    },
  };
  const files = { 'opencode.json': JSON.stringify(config), ...pluginFiles(programOf('opencode-plugin')) };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** The files in opencode's configuration that load a plugin. With this lock file, opencode installs nothing itself. */
export function pluginFiles(plugin: string): Record<string, string> {
  return {
    'plugins/holdfast.js': `export * from ${JSON.stringify(plugin)};\n`,
    'package-lock.json': JSON.stringify({ packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } } }),
    'node_modules/.keep': '',
  };
}

function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk: Buffer) => {
      said += chunk;
      const [, url] = /listening on (http:\S+)/.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    };
    server.stdout?.on('data', listen);
    server.stderr?.on('data', listen);
    server.on('error', reject);
    server.on('exit', () => reject(new Error(`opencode did not start: ${said}`)));
  });
}

function stop(server: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (server.exitCode !== null || server.signalCode !== null) return resolve();
    server.on('exit', () => resolve());
    server.kill('SIGKILL');
  });
}
