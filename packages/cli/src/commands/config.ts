import { configText, hiddenConfig, shownPath } from '@holdfast/agent/config';
import type { Command } from 'commander';
import { addConfigFlags, type ConfigFlags, loadWithFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';

/** `holdfast config`: what holds, and where each value came from. */
export function addConfig(program: Command, context: Context): void {
  const command = program
    .command('config')
    .description('print the configuration that holds, and where each value came from')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `
Examples:
  holdfast config
  holdfast config --provider openai-api --model gpt-6-sol
  HOLDFAST_MODEL=gpt-6-sol holdfast config --json

A flag stands over the environment (HOLDFAST_PROVIDER, HOLDFAST_MODEL, HOLDFAST_BASE_URL), that over the file, that over
the default.`,
    );
  addConfigFlags(command).action(({ json = false, ...flags }: ConfigFlags & { readonly json?: boolean }) => {
    const loaded = loadWithFlags(context, flags);
    if (json) {
      const { sources, warnings, file = null } = loaded;
      context.print(JSON.stringify({ file, config: hiddenConfig(loaded.config), sources, warnings }, null, 2));
      return;
    }
    const from = loaded.file === undefined ? 'no file: all defaults' : shownPath(context.cwd, loaded.file);
    context.print(`# ${from}`);
    context.print(painted(configText(loaded, context.cwd), context));
  });
}

function painted(text: string, { paint }: Context): string {
  return text.replace(/#.*$/gm, (comment) => paint.dim(comment));
}
