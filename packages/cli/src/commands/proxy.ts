import { type Command, Option } from 'commander';
import { addStoreFlag } from '../config-flags.ts';
import type { Context } from '../context.ts';
import { PREFERENCES } from '../names.ts';
import type { ProxyFlags } from '../proxy/settings.ts';
import type { StatusFlags } from '../proxy/status.ts';

const PORT = 'port of the proxy (default: 4142)';

/** `holdfast proxy`: bounded conversations for clients that only let you set a base URL. */
export function addProxy(program: Command, context: Context): void {
  const prefer = new Option('--prefer <what>', 'what to favour when folding (default: price)').choices(PREFERENCES);
  const proxy = addStoreFlag(program.command('proxy'))
    .description('sit between a client and its API, and fold (compact) conversations that outgrow their budget')
    .argument('[client...]', 'client to start, after --, with its base URL set for this process only')
    .option('--no-store', 'keep conversations in memory; after a restart nothing can be recalled')
    .option(
      '--port <port>',
      'port of the proxy (default: 4142, or a free one if it starts a client); 0 picks a free one',
    )
    .option(
      '--budget <tokens>',
      'maximum tokens in a prompt, such as 40k; folds earlier where that costs less (default: by the model)',
    )
    .addOption(prefer)
    .option('--anthropic <url>', "where to send requests for Anthropic's API (default: https://api.anthropic.com)")
    .option('--openai <url>', "where to send requests for OpenAI's API (default: https://api.openai.com)")
    .option(
      '--gemini <url>',
      "where to send requests for Google's Gemini API (default: https://generativelanguage.googleapis.com)",
    )
    .option('--keep-days <days>', 'delete conversations unused for this long (default: 30)')
    .option('--keep-gb <gigabytes>', 'delete the least recently used once all exceed this (default: 5)')
    .option('--json', 'print events as JSON lines')
    .addHelpText(
      'after',
      `
Examples:
  holdfast proxy                              prints the line to set for each client
  holdfast proxy -- claude "fix the tests"    starts Claude Code through the proxy, and prints what was saved
  holdfast proxy --budget 80k -- codex
  holdfast proxy --openai http://localhost:8000/v1
  holdfast proxy status

Your API key goes to the API as the client sends it; the proxy needs none and keeps none.
If it starts a client, it exits with the client's exit code.`,
    )
    .action(async (command: readonly string[], flags: ProxyFlags) => {
      const { runProxy } = await import('../proxy/run-proxy.ts');
      await runProxy(command, flags, context);
    });
  proxy
    .command('status')
    .description('show conversations, folds, and the cost compared with going direct; live on a terminal')
    .option('--port <port>', PORT)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  holdfast proxy status\n  holdfast proxy status --json | jq .totals')
    .action(async (_: StatusFlags, command: Command) => {
      const { showStatus } = await import('../proxy/status.ts');
      // The proxy itself has options of the same names, which commander assigns to it.
      await showStatus(command.optsWithGlobals<StatusFlags>(), context);
    });
}
