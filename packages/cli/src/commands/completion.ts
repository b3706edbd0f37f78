import { Argument, type Command } from 'commander';
import { bashScript } from '../completion/bash.ts';
import { fishScript } from '../completion/fish.ts';
import { type CommandShape, type IdKind, shapesOf } from '../completion/shape.ts';
import { zshScript } from '../completion/zsh.ts';
import type { Context } from '../context.ts';

const SHELLS: ReadonlyMap<string, (shapes: readonly CommandShape[]) => string> = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
  ['fish', fishScript],
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
      context.print(SHELLS.get(shell)?.(shapesOf(program, Object.keys(MODELS))) ?? '');
    });
  // What the scripts ask for.
  program
    .command('complete', { hidden: true })
    .addArgument(new Argument('<kind>').choices(['sessions', 'runs', 'chats']))
    .action(async (kind: IdKind) => (await import('../completion/ids.ts')).printIds(kind, context));
}
