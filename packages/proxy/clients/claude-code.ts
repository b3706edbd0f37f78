import { type Client, FAKE_KEY } from './client.ts';

// The smallest window that it accepts. It compacts at a percentage of the window less what it keeps free for the summary.
const WINDOW = 100_000;
const FREE = 20_000;

/** Anthropic's Claude Code, on the Messages API. */
export const claudeCode: Client = {
  name: 'claude-code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.325',
  bin: 'claude',
  api: 'anthropic',
  model: 'claude-opus-5-5',
  budget: 40_000,
  cost_share: 0.6,
  compacts: true,
  compaction: /Your task is to create a detailed summary|<summary> block/,
  command({ base_url, home, prompt, resume, compact_at, mcp_url, mcp_command, args = [] }) {
    const [command, ...words] = mcp_command ?? [];
    const local = command === undefined ? undefined : { type: 'stdio', command, args: words };
    const server = mcp_url ? { type: 'http', url: mcp_url } : local;
    const servers = { mcpServers: server ? { holdfast: server } : {} };
    return {
      args: [
        ...['--print', prompt, '--model', this.model, '--dangerously-skip-permissions'],
        ...['--strict-mcp-config', '--mcp-config', JSON.stringify(servers)],
        ...(resume ? ['--continue'] : []),
        ...args,
      ],
      env: {
        CLAUDE_CONFIG_DIR: `${home}/.claude`,
        ANTHROPIC_BASE_URL: base_url,
        ANTHROPIC_API_KEY: FAKE_KEY,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        DISABLE_TELEMETRY: '1',
        DISABLE_ERROR_REPORTING: '1',
        // Allows --dangerously-skip-permissions where everything runs as root.
        IS_SANDBOX: '1',
        ...(compact_at === undefined
          ? { DISABLE_AUTO_COMPACT: '1' }
          : {
              CLAUDE_CODE_AUTO_COMPACT_WINDOW: `${WINDOW}`,
              CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: `${Math.round((100 * compact_at) / (WINDOW - FREE))}`,
            }),
      },
      files: {},
    };
  },
};
