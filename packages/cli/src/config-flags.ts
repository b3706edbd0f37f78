import { type Command, Option } from 'commander';
import { WrongUse } from './failure.ts';
import { PROVIDER_TYPES } from './names.ts';

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
  const provider = new Option('--provider <name>', 'provider to use');
  provider.argChoices = [...PROVIDER_TYPES]; // for help and completion
  return addTrustFlag(command)
    .hook('preAction', (_, acting) => checkProvider(acting.getOptionValue('provider')))
    .option(
      '--config <file>',
      'configuration file (default: holdfast.yml or .ai/config.yml, here or in a parent folder)',
    )
    .addOption(provider)
    .option('--model <name>', 'model to use')
    .option('--base-url <url>', "URL of a server that speaks the provider's API");
}

/** Checked before the folder is asked about. Throws WrongUse. */
async function checkProvider(name: unknown): Promise<void> {
  if (typeof name !== 'string' || PROVIDER_TYPES.includes(name)) return;
  const { nearest } = await import('@holdfast/agent/config');
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
