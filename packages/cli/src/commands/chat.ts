import { type Command, Option } from 'commander';
import type { ChatFlags } from '../chat/chat.ts';
import { addConfigFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';

/** `holdfast chat`: an interactive conversation, saved as a session. */
export function addChat(program: Command, context: Context): void {
  const format = new Option(
    '--output-format <format>',
    'with --print: the answer as text, one JSON object at the end, or events as JSON lines',
  );
  format.choices(['text', 'json', 'stream-json']);
  const command = program
    .command('chat')
    .description('chat with a model in this folder; the conversation is saved as a session')
    .argument('[prompt...]', 'what to ask first; text on standard input is added to it')
    .option('-p, --print', 'answer once, print the answer, and exit')
    .addOption(format)
    .option('-c, --continue', 'resume the most recent chat of this folder')
    .option('-r, --resume [chat]', 'resume the most recent chat of any folder, or the one whose id starts with this')
    .option('--yolo', 'let tools change files and run commands without asking')
    .option(
      '--store <file-or-url>',
      'database file or postgres://… URL (default: from the configuration, else sessions.db in HOLDFAST_HOME)',
    )
    .option('--max-cost <dollars>', 'stop once this much is spent (default with --print: 10; 0 = no limit)')
    .option(
      '--max-minutes <minutes>',
      'stop after this many minutes of answering (default with --print: 60; 0 = no limit)',
    )
    .option('--max-rounds <count>', 'stop after this many requests for one prompt (default: 200; 0 = no limit)')
    .option('--json', 'the same as --output-format stream-json')
    .addHelpText(
      'after',
      `
Examples:
  holdfast chat
  holdfast chat "fix the flaky test"         starts with a prompt
  holdfast chat -c                           resume the most recent chat of this folder
  holdfast chat --resume k3v9                the start of the id is enough
  holdfast chat --provider stand-in          try it without a key: a script plays the model
  holdfast chat -p "what does this do?" < main.c
  git diff | holdfast chat -p --output-format json "review this"

In the chat, /help lists commands and keys. Tools that change something ask first, unless you pass --yolo.
Exit codes: 0 done, 1 failed, 2 invalid usage or configuration, 4 limit reached (continue with --resume), 130 interrupted.`,
    );
  addConfigFlags(command).action(async (words: readonly string[], flags: ChatFlags) => {
    const { chat } = await import('../chat/chat.ts');
    await chat(words.join(' '), flags, context);
  });
}
