import type { Command } from 'commander';
import { addCrewFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import type { ServeFlags } from '../serve/serve.ts';

/** `holdfast serve`: a crew over HTTP. */
export function addServe(program: Command, context: Context): void {
  addCrewFlags(program.command('serve'))
    .description('serve a crew over HTTP, with live streaming, sessions, metrics and a web page to talk to it')
    .option('--port <port>', 'port to listen on; 0 picks a free one (default: 4141)')
    .option(
      '--host <address>',
      'address to listen on; anything but loopback needs HOLDFAST_SERVE_TOKEN (default: 127.0.0.1)',
    )
    .option('--max-concurrent <count>', 'maximum concurrent requests; 0 = no limit (default: 256)')
    .option('--rate <count>', 'maximum requests per minute from one address; 0 = no limit (default: 600)')
    .option('--grace <seconds>', 'how long running requests may take to finish on shutdown (default: 30)')
    .option('--resume <seconds>', 'how long a disconnected client has to reconnect (default: 10)')
    .option('--max-body <megabytes>', 'maximum request body, input and history together (default: 32)')
    .option(
      '--max-memory <megabytes>',
      'maximum memory of all running requests, at four bytes per body byte; 0 = no limit (default: half of the heap)',
    )
    .addHelpText(
      'after',
      `
Examples:
  holdfast serve crew.yml                      then open the address that it prints
  holdfast serve crew.yml --provider stand-in  without a key
  HOLDFAST_SERVE_TOKEN=… holdfast serve crew.yml --host 0.0.0.0 --store postgres://db/holdfast

  curl -N localhost:4141/api/crew/stream -H "authorization: Bearer $(cat ~/.holdfast/serve-token)" \\
    -H 'content-type: application/json' -d '{"input":"my disk is full"}'

Clients send HOLDFAST_SERVE_TOKEN, or what ~/.holdfast/serve-token contains if it is not set.

Several servers on one Postgres share their sessions. Ctrl-C shuts down once running requests are done; a second Ctrl-C cancels them.

Exit codes: 0 shut down, 1 failed, 2 invalid usage or configuration, 130 cancelled by a second Ctrl-C or SIGTERM.`,
    )
    .action(async (file: string, flags: ServeFlags) => {
      const { serveCrew } = await import('../serve/serve.ts');
      await serveCrew(file, flags, context);
    });
}
