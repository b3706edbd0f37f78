import { type Client, FAKE_KEY } from './client.ts';

/** Cline's command line, on Chat Completions. It compacts by its own estimate of the history, so it is switched off. */
export const cline: Client = {
  name: 'cline',
  package: 'cline',
  version: '3.0.65',
  bin: 'cline',
  api: 'openai-chat',
  model: 'gpt-4.1',
  budget: 40_000,
  cost_share: 0.6,
  compacts: false,
  compaction: /summar/i,
  command({ base_url, prompt, resume, mcp_url, args = [] }) {
    const settings = { provider: 'openai-compatible', apiKey: FAKE_KEY, model: this.model, baseUrl: `${base_url}/v1` };
    const providers = {
      'openai-compatible': { settings, updatedAt: new Date(0).toISOString(), tokenSource: 'manual' },
    };
    if (resume) throw new Error('cline resumes conversations only in a terminal');
    const servers = { mcpServers: mcp_url ? { holdfast: { type: 'streamableHttp', url: mcp_url } } : {} };
    return {
      args: ['--provider', 'openai-compatible', '--compaction', 'off', ...args, prompt],
      // Its hub is a daemon that would outlive the run.
      env: { CLINE_SESSION_BACKEND_MODE: 'local', CLINE_TELEMETRY_DISABLED: '1', CLINE_NO_AUTO_UPDATE: '1' },
      files: {
        '.cline/data/settings/providers.json': JSON.stringify({
          version: 1,
          lastUsedProvider: 'openai-compatible',
          modes: {},
          providers,
        }),
        '.cline/data/settings/cline_mcp_settings.json': JSON.stringify(servers),
      },
    };
  },
};
