import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { claudeCode } from '../claude-code.ts';
import { type Client, type ClientCommand, type ClientStart, FAKE_KEY } from '../client.ts';
import { codex } from '../codex.ts';
import { geminiCli } from '../gemini-cli.ts';
import { installClient } from '../install.ts';
import { environment, openRun, readUpTo } from '../open-run.ts';
import { opencode } from '../opencode.ts';
import { pi } from '../pi.ts';
import { qwenCode } from '../qwen-code.ts';
import { runProcess } from '../run-process.ts';
import { COMMAND } from '../start-holdfast.ts';
import { checked, type Scenario, unless } from './scenario.ts';

const CALLS = 5;

/** Where a client's own settings must not lead: only `holdfast proxy` knows the address. */
const NOWHERE = 'http://127.0.0.1:9';

/** Providers that clients bring with them, for those that otherwise run on one from their settings. */
const BUILT_IN: Readonly<Record<string, ClientCommand>> = {
  [codex.name]: {
    args: ['exec', '--model', codex.model, '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
    env: { CODEX_API_KEY: FAKE_KEY },
    files: {},
  },
  [opencode.name]: {
    args: ['run', '--auto', '--model', 'anthropic/claude-opus-4-6'],
    env: { ANTHROPIC_API_KEY: FAKE_KEY, OPENCODE_DISABLE_AUTOUPDATE: '1' },
    // For titles; the stand-in does not know the one that it would choose.
    files: { '.config/opencode/opencode.json': '{"small_model":"anthropic/claude-opus-4-6"}' },
  },
};

/** `holdfast proxy -- CLIENT` starts each client so that all of its requests come through the proxy. */
export const started: Scenario = {
  name: 'started',
  clients: [claudeCode, codex, geminiCli, opencode, pi, qwenCode],
  async run(client) {
    const path = await installClient(client);
    const run = await openRun({ calls: CALLS });
    try {
      const { stand_in, home } = run;
      const { args, env, files } = commandOf(client, { base_url: NOWHERE, home, prompt: readUpTo(CALLS) });
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(home, name)), { recursive: true });
        await writeFile(join(home, name), text);
      }
      const [node, ...holdfast] = COMMAND;
      const upstreams = ['anthropic', 'openai', 'gemini'].flatMap((vendor) => [`--${vendor}`, stand_in.url]);
      const end = await runProcess(node, [...holdfast, 'proxy', ...upstreams, '--', path, ...args], {
        cwd: join(home, '..', 'work'),
        env: { ...environment(home), ...env },
        seconds: 300,
      });
      const { measured, problems } = checked(client, stand_in.requests, CALLS, [end]);
      return {
        figures: `${measured.completed} of ${CALLS} calls, ${measured.refused.length} refused`,
        problems: [...problems, ...unless(/holdfast: \d+ requests\b/.test(end.output), 'nothing was summed up')],
      };
    } finally {
      await run.close();
    }
  },
};

function commandOf(client: Client, start: ClientStart): ClientCommand {
  const known = BUILT_IN[client.name];
  return known ? { ...known, args: [...known.args, start.prompt] } : client.command(start);
}
