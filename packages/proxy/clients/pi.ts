import { type Client, FAKE_KEY } from './client.ts';

const RESERVED = 16_384;

/** pi, on the Messages API. It has no MCP. */
export const pi: Client = {
  name: 'pi',
  package: '@mariozechner/pi-coding-agent',
  version: '0.73.1',
  bin: 'pi',
  api: 'anthropic',
  model: 'claude-opus-4-6',
  budget: 40_000,
  cost_share: 0.6,
  compacts: true,
  compaction: /<conversation>/,
  command({ base_url, prompt, resume, compact_at, args = [] }) {
    // It compacts once the prompt exceeds the context window less the reserve.
    const contextWindow = compact_at === undefined ? 1_000_000 : compact_at + RESERVED;
    const anthropic = { baseUrl: base_url, modelOverrides: { [this.model]: { contextWindow } } };
    return {
      args: [
        ...['--print', '--provider', 'anthropic', '--model', this.model, '--thinking', 'medium'],
        ...(resume ? ['--continue'] : []),
        ...args,
        prompt,
      ],
      env: { ANTHROPIC_API_KEY: FAKE_KEY, PI_OFFLINE: '1', PI_TELEMETRY: '0' },
      files: {
        '.pi/agent/models.json': JSON.stringify({ providers: { anthropic } }),
        '.pi/agent/settings.json': JSON.stringify({
          compaction: { enabled: compact_at !== undefined, reserveTokens: RESERVED },
        }),
      },
    };
  },
};
