import type { Command } from 'commander';
import type { ChatFlags } from '../chat/chat.ts';
import { addConfigFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';

/** `holdfast chat`: an interactive conversation, saved as a session. */
export function addChat(program: Command, context: Context): void {
  const command = program
    .command('chat')
    .description('chat with a model in this folder; the conversation is saved as a session')
    .option('--resume [session]', 'resume the most recent chat, or the one whose id starts with this')
    .option('--yolo', 'let tools change files and run commands without asking')
    .option(
      '--store <file-or-url>',
      'database file or postgres://… URL (default: from the configuration, else sessions.db in HOLDFAST_HOME)',
    )
    .option('--max-cost <dollars>', 'stop once this much is spent (default in a pipe: 10; 0 = no limit)')
    .option(
      '--max-minutes <minutes>',
      'stop after this many minutes of answering (default in a pipe: 60; 0 = no limit)',
    )
    .option('--max-rounds <count>', 'stop after this many requests for one prompt (default: 200; 0 = no limit)')
    .option('--json', 'for a question on standard input: print events as JSON, one per line, the result last')
    .addHelpText(
      'after',
      `
Examples:
  holdfast chat
  holdfast chat --resume                     the most recent chat
  holdfast chat --resume k3v9                the start of the id is enough
  holdfast chat --provider stand-in          try it without a key: a script plays the model
  echo "Why does the test fail?" | holdfast chat --resume k3v9
  git diff | holdfast chat --json

In the chat, /help lists commands and keys. Tools that change something ask first, unless you pass --yolo.
Exit codes: 0 done, 1 failed, 2 invalid usage or configuration, 4 limit reached (continue with --resume), 130 interrupted.`,
    );
  addConfigFlags(command).action(async (flags: ChatFlags) => {
    const { chat } = await import('../chat/chat.ts');
    await chat(flags, context);
  });
}
