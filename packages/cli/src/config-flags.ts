import { type FlagValue, type LoadedConfig, loadConfig, PROVIDER_TYPES, userConfigFile } from '@holdfast/agent/config';
import { type Command, Option } from 'commander';
import type { Context } from './context.ts';
import { WrongUse } from './failure.ts';

/** What the flags gave. */
export interface ConfigFlags {
  readonly config?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly trust?: boolean;
}

/** Adds the flags that stand over a configuration: which file, which provider, which model. */
export function addConfigFlags(command: Command): Command {
  const provider = new Option('--provider <name>', 'provider to use');
  provider.argChoices = [...PROVIDER_TYPES]; // for help and completion: what is wrong, the configuration says better
  return addTrustFlag(command)
    .option(
      '-c, --config <file>',
      'configuration file (default: holdfast.yml or .ai/config.yml, here or in a parent folder)',
    )
    .addOption(provider)
    .option('--model <name>', 'model to use')
    .option('--base-url <url>', "URL of a server that speaks the provider's API");
}

/** Adds the flag that vouches for a folder. */
export function addTrustFlag(command: Command): Command {
  return command.option(
    '--trust',
    'trust what this folder and the named files set, for this run only (or HOLDFAST_TRUST=1)',
  );
}

/**
 * The effective configuration, its warnings told. What only a trusted folder may set is left out unless `context.trusts`. `more`:
 * flags of one command alone. Throws BAD_CONFIG, and WrongUse for a file that has changed since the user trusted it.
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
  if (context.trusts && context.isAsTrusted?.(loaded) === false)
    throw new WrongUse(`${loaded.file} changed while you were reviewing it: run the command again to see the change`);
  for (const warning of loaded.warnings) context.tell(`warning: ${warning}`);
  return loaded;
}
