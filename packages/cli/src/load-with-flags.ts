import {
  type FlagValue,
  type HoldfastConfig,
  type LoadedConfig,
  loadConfig,
  userConfigFile,
} from '@holdfast/agent/config';
import type { ConfigFlags } from './config-flags.ts';
import type { Context } from './context.ts';
import { checkAsTrusted, configItem } from './trust/trust-items.ts';

/** The user's own configuration and the environment, without the folder's. Prints no warnings. Throws BAD_CONFIG. */
export function ownConfig({ cwd, env }: Context): HoldfastConfig {
  return loadConfig({ cwd, env, user: userConfigFile(env), userOnly: true }).config;
}

/**
 * Loads the effective configuration and prints its warnings. Leaves out what only a trusted folder may set, unless
 * `context.trusts`. `more`: flags of a single command. Throws BAD_CONFIG, and WrongUse if the file changed since it was trusted.
 */
export function loadWithFlags(
  context: Context,
  flags: ConfigFlags,
  more: Readonly<Record<string, FlagValue>> = {},
): LoadedConfig {
  const loaded = loadConfig({
    cwd: context.cwd,
    env: context.env,
    path: flags.config,
    user: userConfigFile(context.env),
    trusted: context.trusts === true,
    flags: {
      'provider.type': { value: flags.provider, flag: '--provider' },
      'provider.model': { value: flags.model, flag: '--model' },
      'provider.base_url': { value: flags.baseUrl, flag: '--base-url' },
      ...more,
    },
  });
  if (context.trusts) checkAsTrusted(context, configItem(loaded, context));
  for (const warning of loaded.warnings) context.tell(`warning: ${warning}`);
  return loaded;
}
