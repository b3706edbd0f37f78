/** How a client is started so that it uses a proxy, for this process alone. */
export interface ClientRun {
  readonly env: Readonly<Record<string, string>>;
  /** To put before the arguments of its user. */
  readonly args: readonly string[];
  /** Files to write first, by the names that `args` use for them. */
  readonly files: Readonly<Record<string, string>>;
}

/** How people point a client at a proxy. `url` has no path. All functions are pure. */
export interface ClientSettings {
  readonly name: string;
  /** Its command. */
  readonly program: string;
  /** What to type or set, on one line. */
  line(url: string): string;
  /** Undefined for a client that reads its base URL only from its own settings. `folder`: where `files` will be. */
  readonly run?: (url: string, folder: string) => ClientRun;
  /** The command that adds the proxy's MCP server to the client. */
  mcp?(url: string): string;
}

const claudeCode: ClientSettings = {
  name: 'Claude Code',
  program: 'claude',
  line: (url) => `ANTHROPIC_BASE_URL=${url} claude`,
  run: (url) => ({ env: { ANTHROPIC_BASE_URL: url }, args: [], files: {} }),
  mcp: (url) => `claude mcp add --transport http holdfast ${url}/mcp`,
};

/** It ignores OPENAI_BASE_URL. */
const codex: ClientSettings = {
  name: 'Codex',
  program: 'codex',
  line: (url) => `codex -c openai_base_url=${url}/v1`,
  run: (url) => ({ env: {}, args: ['-c', `openai_base_url=${JSON.stringify(`${url}/v1`)}`], files: {} }),
  mcp: (url) => `codex mcp add holdfast --url ${url}/mcp`,
};

/** The variable adds to the configuration files. */
const opencode: ClientSettings = {
  name: 'opencode',
  program: 'opencode',
  line: (url) => `OPENCODE_CONFIG_CONTENT='${opencodeConfig(url)}' opencode`,
  run: (url) => ({ env: { OPENCODE_CONFIG_CONTENT: opencodeConfig(url) }, args: [], files: {} }),
};

function opencodeConfig(url: string): string {
  const options = { baseURL: `${url}/v1` };
  return JSON.stringify({ provider: { anthropic: { options }, openai: { options } } });
}

const EXTENSION = 'holdfast-proxy.ts';

/** It has no variable for a base URL, but an extension can set one. */
const pi: ClientSettings = {
  name: 'pi',
  program: 'pi',
  line: (url) => {
    const providers = { anthropic: { baseUrl: url }, openai: { baseUrl: `${url}/v1` } };
    return `~/.pi/agent/models.json: ${JSON.stringify({ providers })}`;
  },
  run: (url, folder) => ({
    env: {},
    args: ['-e', `${folder}/${EXTENSION}`],
    files: {
      [EXTENSION]: `export default function (pi) {
  pi.registerProvider('anthropic', { baseUrl: '${url}' });
  pi.registerProvider('openai', { baseUrl: '${url}/v1' });
}
`,
    },
  }),
};

const qwenCode: ClientSettings = {
  name: 'qwen-code',
  program: 'qwen',
  line: (url) => `qwen --openai-base-url ${url}/v1`,
  run: (url) => ({ env: { OPENAI_BASE_URL: `${url}/v1` }, args: ['--openai-base-url', `${url}/v1`], files: {} }),
};

const geminiCli: ClientSettings = {
  name: 'Gemini CLI',
  program: 'gemini',
  line: (url) => `GOOGLE_GEMINI_BASE_URL=${url} gemini`,
  run: (url) => ({ env: { GOOGLE_GEMINI_BASE_URL: url }, args: [], files: {} }),
  mcp: (url) => `gemini mcp add --transport http holdfast ${url}/mcp`,
};

/** It compacts by its own estimate of the history, so its compaction has to be switched off. */
const cline: ClientSettings = {
  name: 'Cline',
  program: 'cline',
  line: (url) =>
    `cline auth -p openai-compatible -k KEY -m MODEL -b ${url}/v1, then cline -P openai-compatible --compaction off`,
};

/** The clients that the proxy is tested with, each by a file in `clients/` of this package. */
export const CLIENTS: readonly ClientSettings[] = [claudeCode, codex, geminiCli, opencode, pi, qwenCode, cline];

/** How to start any other program: most SDKs read these variables. Pure. */
export function anyClient(url: string): ClientRun {
  const env = { ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1`, GOOGLE_GEMINI_BASE_URL: url };
  return { env, args: [], files: {} };
}

/** The client of this command, which may be a path. Undefined if it is not known. Pure. */
export function clientOf(command: string): ClientSettings | undefined {
  const program = command.replace(/^.*[\\/]/, '').replace(/\.(?:exe|cmd|ps1)$/i, '');
  return CLIENTS.find((client) => client.program === program);
}
