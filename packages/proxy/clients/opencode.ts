import { type Client, FAKE_KEY } from './client.ts';

const OUTPUT = 8_000;

/** opencode, on Chat Completions. */
export const opencode: Client = {
  name: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  bin: 'opencode',
  api: 'openai-chat',
  model: 'gpt-4.1',
  budget: 40_000,
  cost_share: 0.6,
  compacts: true,
  compaction: /<conversation>/,
  command({ base_url, prompt, resume, compact_at, mcp_url, args = [] }) {
    // It compacts once the prompt exceeds `context` less `output`.
    const limit = { context: compact_at === undefined ? 1_000_000 : compact_at + OUTPUT, output: OUTPUT };
    const config = {
      autoupdate: false,
      share: 'disabled',
      permission: { bash: 'allow', edit: 'allow', webfetch: 'deny' },
      compaction: { auto: compact_at !== undefined },
      provider: {
        local: {
          npm: '@ai-sdk/openai-compatible',
          name: 'local',
          options: { baseURL: `${base_url}/v1`, apiKey: FAKE_KEY },
          models: { [this.model]: { name: this.model, limit } },
        },
      },
      ...(mcp_url && { mcp: { holdfast: { type: 'remote', url: mcp_url, enabled: true } } }),
    };
    return {
      args: ['run', '--model', `local/${this.model}`, '--auto', ...(resume ? ['--continue'] : []), ...args, prompt],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
        OPENCODE_DISABLE_SHARE: '1',
      },
      files: { '.config/opencode/opencode.json': JSON.stringify(config) },
    };
  },
};
