import { HoldfastError } from 'holdfast';
import type { ModelOverrides } from '../models/model.ts';
import { anthropicApi } from '../providers/anthropic-api/index.ts';
import { claudeCli } from '../providers/claude-cli/index.ts';
import { cursorCli } from '../providers/cursor-cli/index.ts';
import { openaiApi } from '../providers/openai-api/index.ts';
import type { Provider } from '../providers/provider.ts';
import type { ProviderConfig } from './config.ts';

/**
 * The provider that a configuration names, with what is known better of models. Throws BAD_CONFIG for `stand-in`, which is no
 * part of this package.
 */
export function createProvider(
  { type, model, base_url, api, program, args }: ProviderConfig,
  models: ModelOverrides = {},
): Provider {
  const server = {
    models,
    ...(model === undefined ? {} : { model }),
    ...(base_url === undefined ? {} : { base_url }),
  };
  const local = {
    ...(model === undefined ? {} : { model }),
    ...(program === undefined ? {} : { program }),
    args,
  };
  switch (type) {
    case 'anthropic-api':
      return anthropicApi(server);
    case 'openai-api':
      return openaiApi({ ...server, api });
    case 'claude-cli':
      return claudeCli(local);
    case 'cursor-cli':
      return cursorCli(local);
    case 'stand-in':
      throw new HoldfastError(
        'BAD_CONFIG',
        'provider.type stand-in: start one with createStandIn() and name its base_url',
      );
  }
}
