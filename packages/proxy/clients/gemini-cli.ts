import { type Client, FAKE_KEY } from './client.ts';

const WINDOW = 1_048_576;

/** Gemini CLI. Its system prompt and tools take 14,000 tokens. */
export const geminiCli: Client = {
  name: 'gemini-cli',
  package: '@google/gemini-cli',
  version: '0.61.0',
  bin: 'gemini',
  api: 'gemini',
  model: 'gemini-3.1-pro-preview',
  budget: 45_000,
  cost_share: 0.8,
  compacts: true,
  compaction: /<state_snapshot>/,
  command({ base_url, prompt, resume, compact_at, mcp_url }) {
    const settings = {
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, disableAutoUpdate: true },
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      model: {
        name: this.model,
        compressionThreshold: compact_at === undefined ? 1 : compact_at / WINDOW,
        // It asks a small model about calls without their results, which the API refuses.
        disableLoopDetection: true,
      },
      ...(mcp_url && { mcpServers: { holdfast: { httpUrl: mcp_url, trust: true } } }),
    };
    return {
      args: ['--yolo', '--model', this.model, ...(resume ? ['--resume', 'latest'] : []), '--prompt', prompt],
      env: {
        GEMINI_API_KEY: FAKE_KEY,
        GOOGLE_GEMINI_BASE_URL: base_url,
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      },
      files: { '.gemini/settings.json': JSON.stringify(settings) },
    };
  },
};
