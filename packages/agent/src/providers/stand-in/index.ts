import { HoldfastError } from 'holdfast';
import { truth, whole } from '../../config/row.ts';
import type { ProviderDefinition } from '../definition.ts';
import type { Provider } from '../provider.ts';

/** Its own keys of the configuration. */
export interface StandInSettings {
  readonly calls: number;
  readonly edits: boolean;
}

/** A script instead of a model, for trying things out. Only the command line starts it. */
export const standInDefinition = {
  type: 'stand-in',
  isScript: true,
  rows: {
    calls: whole(1, 100_000, { about: 'How many tool calls the script makes.', default: 120 }),
    edits: truth({ about: 'Whether the script may edit files and run commands.', default: false }),
  },
  dialect: 'anthropic',
  defaultModel: 'claude-sonnet-5',
  create(): Provider {
    const text = 'provider.type stand-in: start one with createStandIn() and pass its URL as base_url';
    throw new HoldfastError('BAD_CONFIG', text);
  },
} as const satisfies ProviderDefinition<StandInSettings>;
