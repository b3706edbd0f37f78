import { type Client, FAKE_KEY } from './client.ts';

/** OpenAI's Codex, on the Responses API. */
export const codex: Client = {
  name: 'codex',
  package: '@openai/codex',
  version: '0.166.0',
  bin: 'codex',
  api: 'openai-responses',
  model: 'gpt-5.6-sol',
  budget: 40_000,
  cost_share: 0.6,
  compacts: true,
  compaction: /CONTEXT CHECKPOINT COMPACTION/,
  command({ base_url, home, prompt, resume, compact_at, mcp_url, mcp_command, sandboxed, args = [] }) {
    const [command, ...words] = mcp_command ?? [];
    const config = [
      `model = ${JSON.stringify(this.model)}`,
      'model_provider = "local"',
      'check_for_update_on_startup = false',
      ...(sandboxed ? ['sandbox_mode = "workspace-write"'] : []),
      `model_auto_compact_token_limit = ${compact_at ?? 1_000_000_000}`,
      '[model_providers.local]',
      'name = "local"',
      `base_url = ${JSON.stringify(`${base_url}/v1`)}`,
      'env_key = "OPENAI_API_KEY"',
      'wire_api = "responses"',
      '[analytics]',
      'enabled = false',
      '[otel]',
      'exporter = "none"',
      ...(mcp_url || command ? ['[mcp_servers.holdfast]'] : []),
      ...(mcp_url ? [`url = ${JSON.stringify(mcp_url)}`] : []),
      ...(command ? [`command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(words)}`] : []),
      // Otherwise it does not wait for the server, and the stand-in answers faster than a model.
      ...(command ? ['required = true', 'startup_timeout_sec = 60'] : []),
    ];
    return {
      args: [
        ...['exec', ...(resume ? ['resume', '--last'] : [])],
        ...['--skip-git-repo-check', ...args],
        ...(sandboxed ? [] : ['--dangerously-bypass-approvals-and-sandbox']),
        prompt,
      ],
      env: { CODEX_HOME: `${home}/.codex`, OPENAI_API_KEY: FAKE_KEY },
      files: { '.codex/config.toml': `${config.join('\n')}\n` },
    };
  },
};
