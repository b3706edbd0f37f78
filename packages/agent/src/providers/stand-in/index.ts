import { HoldfastError } from 'holdfast';
import type { ProviderDefinition } from '../definition.ts';
import type { Provider } from '../provider.ts';

/** A script instead of a model, for trying things out. Only the command line starts it. */
export const standInDefinition = {
  type: 'stand-in',
  dialect: 'anthropic',
  default_model: 'claude-sonnet-5',
  create(): Provider {
    const text = 'provider.type stand-in: start one with createStandIn() and pass its URL as base_url';
    throw new HoldfastError('BAD_CONFIG', text);
  },
} as const satisfies ProviderDefinition;
