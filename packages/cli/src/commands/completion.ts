import { Argument, type Command } from 'commander';
import type { CommandShape, IdKind } from '../completion/shape.ts';
import type { Context } from '../context.ts';

type Script = (shapes: readonly CommandShape[]) => string;

const SHELLS: ReadonlyMap<string, () => Promise<Script>> = new Map([
  ['bash', async () => (await import('../completion/bash.ts')).bashScript],
  ['zsh', async () => (await import('../completion/zsh.ts')).zshScript],
  ['fish', async () => (await import('../completion/fish.ts')).fishScript],
]);

/** `holdfast completion`: a shell script generated from the commands and their options. */
export function addCompletion(program: Command, context: Context): void {
  program
    .command('completion')
    .description('print a script that completes commands, options, ids, models and files in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices([...SHELLS.keys()]))
    .addHelpText(
      'after',
      `
Examples:
  source <(holdfast completion bash)      in ~/.bashrc
  source <(holdfast completion zsh)       in ~/.zshrc, after compinit
  holdfast completion fish > ~/.config/fish/completions/holdfast.fish`,
    )
    .action(async (shell: string) => {
      const { MODELS } = await import('@holdfast/models');
      const { shapesOf } = await import('../completion/shape.ts');
      const script = await SHELLS.get(shell)?.();
      context.print(script?.(shapesOf(program, Object.keys(MODELS))) ?? '');
    });
  // What the scripts ask for.
  program
    .command('complete', { hidden: true })
    .addArgument(new Argument('<kind>').choices(['sessions', 'runs', 'chats']))
    .action(async (kind: IdKind) => (await import('../completion/ids.ts')).printIds(kind, context));
}
