import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { KEY_VARIABLES, PROVIDER_TYPES } from '../names.ts';
import type { SetupFlags } from '../setup/setup.ts';

/** `holdfast setup`: asks for a provider and its key, tries them, and saves them for the user. */
export function addSetup(program: Command, context: Context): void {
  const provider = new Option('--provider <name>', 'provider to use (otherwise you are asked)');
  provider.argChoices = [...PROVIDER_TYPES];
  program
    .command('setup')
    .description('choose a provider, save its key, and try them with one request')
    .addOption(provider)
    .option('--model <name>', "model to use (default: the provider's)")
    .option('--base-url <url>', "URL of a server that speaks the provider's API")
    .option('--no-check', 'save without trying a request')
    .addOption(new Option('--key [key]').hideHelp())
    .addHelpText(
      'after',
      `
Examples:
  holdfast setup
  holdfast setup --provider openai-api --model gpt-6-sol
  holdfast setup --provider anthropic-api < key.txt    without a terminal, the key comes from standard input
  holdfast setup --provider stand-in                   no key: a script plays the model

The key is saved in ~/.holdfast/credentials, which only you can read; the agent's file tools cannot. The provider is saved in
~/.holdfast/config.yml. Keys of other providers are kept. Environment variables (${KEY_VARIABLES.join(', ')})
override saved keys.
Exit codes: 0 saved, 1 the request failed and nothing was saved, 2 invalid usage, 130 interrupted, nothing was saved.`,
    )
    .action(async (flags: SetupFlags) => (await import('../setup/setup.ts')).setup(flags, context));
}
