import type { Command } from 'commander';
import { addConfigFlags, type ConfigFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import { harmless, jsonText } from '../view/harmless.ts';

/** `holdfast config`: the effective configuration and the source of each value. */
export function addConfig(program: Command, context: Context): void {
  const command = program
    .command('config')
    .description('print the effective configuration and where each value comes from')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  holdfast config
  holdfast config --provider openai-api --model gpt-6-sol
  HOLDFAST_MODEL=gpt-6-sol holdfast config --json

Flags override the environment (HOLDFAST_PROVIDER, HOLDFAST_MODEL, HOLDFAST_BASE_URL), which overrides the folder's file,
which overrides your own (~/.holdfast/config.yml), which overrides the defaults. Settings of a folder that you do not trust
are shown but not applied.`,
    );
  addConfigFlags(command).action(async ({ json = false, ...flags }: ConfigFlags & { readonly json?: boolean }) => {
    const { configText, hiddenConfig, shownPath, tokenBudget } = await import('@holdfast/agent/config');
    const { loadWithFlags } = await import('../load-with-flags.ts');
    const { isTrustedByFlag, trustStatusOf } = await import('../trust/ensure-trust.ts');
    // This command only prints, so it marks what is not trusted instead of asking.
    const trusts = isTrustedByFlag(context, flags) || trustStatusOf(context, flags, {}).trusts;
    const loaded = loadWithFlags({ ...context, trusts }, flags);
    if (json) {
      const { sources, warnings, file = null, userFile = null, trusted } = loaded;
      const claims = loaded.claims.map(({ key, line }) => ({ key, line }));
      const config = hiddenConfig(loaded.config);
      const budget = tokenBudget(loaded.config) ?? null;
      context.print(jsonText({ file, userFile, trusted, claims, config, budget, sources, warnings }));
      return;
    }
    const from = loaded.file === undefined ? 'no file: all defaults' : shownPath(context.cwd, loaded.file);
    context.print(`# ${harmless(from)}`);
    if (loaded.userFile !== undefined) context.print(`# your own: ${harmless(loaded.userFile)}`);
    if (!trusts)
      context.print('# this folder is not trusted yet: `holdfast trust` shows what it wants to set, and asks');
    context.print(painted(configText(loaded, context.cwd), context));
  });
}

function painted(text: string, { paint }: Context): string {
  return harmless(text).replace(/#.*$/gm, (comment) => paint.dim(comment));
}
