import type { Command } from 'commander';
import { addTrustFlag } from '../config-flags.ts';
import type { Context } from '../context.ts';
import type { ServeFlags } from '../serve/serve.ts';

/** `holdfast serve`: a crew over HTTP. */
export function addServe(program: Command, context: Context): void {
  addTrustFlag(program.command('serve'))
    .description('serve a crew over HTTP, with live streaming, sessions, metrics and a page to talk to it')
    .argument('<file>', 'the crew: YAML with entry and agents')
    .option('--port <port>', 'where to listen; 0 takes any that is free (default: 4141)')
    .option(
      '--host <address>',
      'the address to listen on; any but loopback needs HOLDFAST_SERVE_TOKEN (default: 127.0.0.1)',
    )
    .option('--store <file-or-url>', 'where sessions are kept: a database file, or postgres://…')
    .option('--provider <type>', 'who runs the models of all agents')
    .option('--model <name>', 'the model of all agents')
    .option('--base-url <url>', "any server that speaks the provider's API")
    .option('--max-messages <count>', "most messages of the crew's history (max_messages_per_request)")
    .option('--max-concurrent <count>', 'requests at the same time; 0 = no limit (default: 256)')
    .option('--rate <count>', 'requests of one address in a minute; 0 = no limit (default: 600)')
    .option('--grace <seconds>', 'what is under way may take so long when the server ends (default: 30)')
    .option('--resume <seconds>', 'a client that was cut off may be away so long (default: 10)')
    .option('--max-body <megabytes>', 'the longest body, input and history together (default: 32)')
    .option(
      '--max-memory <megabytes>',
      'what requests under way may hold together, four bytes for each of a body; 0 = no limit (default: half of the heap)',
    )
    .addHelpText(
      'after',
      `
Examples:
  holdfast serve crew.yml                      then open http://127.0.0.1:4141
  holdfast serve crew.yml --provider stand-in  without a key
  HOLDFAST_SERVE_TOKEN=… holdfast serve crew.yml --host 0.0.0.0 --store postgres://db/holdfast

  curl -N localhost:4141/api/crew/stream -H 'content-type: application/json' -d '{"input":"my disk is full"}'

Several of them on one Postgres serve the same sessions. Ctrl-C ends it once what is under way is done; pressed again, that is cancelled.

Exit codes: 0 ended, 1 failed, 2 wrong use or configuration, 130 ended by a second Ctrl-C or SIGTERM.`,
    )
    .action(async (file: string, flags: ServeFlags) => {
      const { serveCrew } = await import('../serve/serve.ts');
      await serveCrew(file, flags, context);
    });
}
