import { type Client, FAKE_KEY } from './client.ts';

const WINDOW = 1_000_000;

/** Qwen Code, on Chat Completions. Its system prompt and tools take 20,000 tokens, hence the larger budget. */
export const qwenCode: Client = {
  name: 'qwen-code',
  package: '@qwen-code/qwen-code',
  version: '0.24.4',
  bin: 'qwen',
  api: 'openai-chat',
  model: 'gpt-4.1',
  budget: 65_000,
  cost_share: 0.8,
  compacts: true,
  compaction: /<state_snapshot>/,
  command({ base_url, prompt, resume, compact_at, mcp_url, args = [] }) {
    const settings = {
      general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      // Without a terminal it takes the end of a quick command for the end of its output, and loses that.
      tools: { shell: { enableInteractiveShell: true } },
      model: { generationConfig: { contextWindowSize: WINDOW } },
      context: { autoCompactThreshold: compact_at === undefined ? 1 : compact_at / WINDOW },
      ...(mcp_url && { mcpServers: { holdfast: { httpUrl: mcp_url, trust: true } } }),
    };
    return {
      args: ['--auth-type', 'openai', '--yolo', ...(resume ? ['--continue'] : []), ...args, prompt],
      env: {
        OPENAI_API_KEY: FAKE_KEY,
        OPENAI_BASE_URL: `${base_url}/v1`,
        OPENAI_MODEL: this.model,
        QWEN_CODE_SUPPRESS_YOLO_WARNING: '1',
      },
      files: { '.qwen/settings.json': JSON.stringify(settings) },
    };
  },
};
