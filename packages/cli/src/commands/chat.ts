import type { Command } from 'commander';
import type { ChatFlags } from '../chat/chat.ts';
import { addConfigFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';

/** `holdfast chat`: a conversation with a person, kept in a session. */
export function addChat(program: Command, context: Context): void {
  const command = program
    .command('chat')
    .description('talk with a model in this folder; every word is kept in a session')
    .option('--resume [session]', 'go on with the chat that was used last, or with the one whose id begins so')
    .option('--yolo', 'let tools change files and run commands without asking')
    .option(
      '--store <file-or-url>',
      'a database file, or postgres://… (default: what the configuration says, or sessions.db of HOLDFAST_HOME)',
    )
    .option('--max-cost <dollars>', 'stop when so much is spent, and say so (default in a pipe: 10; 0 = no limit)')
    .option('--max-minutes <minutes>', 'stop after so many minutes of answers (default in a pipe: 60; 0 = no limit)')
    .option('--max-rounds <count>', 'stop after so many requests for one prompt (default: 200; 0 = no limit)')
    .option('--json', 'for a question on standard input: an event a line, as JSON; the result is the last')
    .addHelpText(
      'after',
      `
Examples:
  holdfast chat
  holdfast chat --resume                     the chat that was used last
  holdfast chat --resume k3v9                a beginning of the id will do
  holdfast chat --provider stand-in          try it without a key: a script in place of a model
  echo "Why does the test fail?" | holdfast chat --resume k3v9
  git diff | holdfast chat --json

In the chat, /help lists commands and keys. Tools that change something ask first, unless --yolo.
Exit codes: 0 done, 1 failed, 2 wrong use or configuration, 4 a limit was reached (--resume goes on), 130 interrupted.`,
    );
  addConfigFlags(command).action(async (flags: ChatFlags) => {
    const { chat } = await import('../chat/chat.ts');
    await chat(flags, context);
  });
}
