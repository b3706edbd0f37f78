import {
  type FlagValue,
  type HoldfastConfig,
  type LoadedConfig,
  loadConfig,
  nearest,
  PROVIDER_TYPES,
  userConfigFile,
} from '@holdfast/agent/config';
import { type Command, Option } from 'commander';
import type { Context } from './context.ts';
import { WrongUse } from './failure.ts';
import { checkAsTrusted, configItem } from './trust/trust-items.ts';

/** The values of the configuration flags. */
export interface ConfigFlags {
  readonly config?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly trust?: boolean;
}

/** Adds the flags that override the configuration. */
export function addConfigFlags(command: Command): Command {
  const provider = new Option('--provider <name>', 'provider to use').argParser(providerNamed);
  provider.argChoices = [...PROVIDER_TYPES]; // for help and completion
  return addTrustFlag(command)
    .option(
      '--config <file>',
      'configuration file (default: holdfast.yml or .ai/config.yml, here or in a parent folder)',
    )
    .addOption(provider)
    .option('--model <name>', 'model to use')
    .option('--base-url <url>', "URL of a server that speaks the provider's API");
}

/** Checked before the folder is asked about. Throws WrongUse. */
function providerNamed(name: string): string {
  if ((PROVIDER_TYPES as readonly string[]).includes(name)) return name;
  const meant = nearest(name, PROVIDER_TYPES);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw new WrongUse(`unknown provider "${name}": expected one of ${PROVIDER_TYPES.join(', ')}${hint}`);
}

/** Adds the flags that apply to every agent of a crew. */
export function addCrewFlags(command: Command): Command {
  return addTrustFlag(command)
    .argument('<file>', 'crew file: YAML with entry and agents')
    .option('--store <file-or-url>', 'where to keep sessions: a database file or postgres://… URL')
    .option('--provider <type>', 'provider for all agents')
    .option('--model <name>', 'model for all agents')
    .option('--base-url <url>', "URL of a server that speaks the provider's API")
    .option('--max-messages <count>', "maximum messages in the crew's history (max_messages_per_request)");
}

/** Adds `--trust` and `--store`, for commands on saved sessions. */
export function addStoreFlags(command: Command): Command {
  return addStoreFlag(addTrustFlag(command));
}

/** Adds `--store` alone, for commands that ignore the folder's configuration. */
export function addStoreFlag(command: Command): Command {
  return command.option(
    '--store <file-or-url>',
    'database file or postgres://… URL (default: sessions.db in HOLDFAST_HOME)',
  );
}

/** Adds `--trust`. */
function addTrustFlag(command: Command): Command {
  return command.option(
    '--trust',
    'trust what this folder and the named files set, for this run only (or HOLDFAST_TRUST=1)',
  );
}

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
