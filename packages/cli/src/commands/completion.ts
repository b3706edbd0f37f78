import { Argument, type Command } from 'commander';
import { bashScript } from '../completion/bash.ts';
import { fishScript } from '../completion/fish.ts';
import { type CommandShape, shapesOf } from '../completion/shape.ts';
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
    .description('print a script that completes commands, options and files in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices([...SHELLS.keys()]))
    .addHelpText(
      'after',
      `
Examples:
  source <(holdfast completion bash)      in ~/.bashrc
  source <(holdfast completion zsh)       in ~/.zshrc, after compinit
  holdfast completion fish > ~/.config/fish/completions/holdfast.fish`,
    )
    .action((shell: string) => context.print(SHELLS.get(shell)?.(shapesOf(program)) ?? ''));
}
