import type { Command } from 'commander';
import { addStoreFlag } from '../config-flags.ts';
import type { Context } from '../context.ts';
import type { StoreFlags } from '../sessions/open-store.ts';

/** `holdfast mcp`: recall, search and list over a session store, as an MCP server on standard input and output. */
export function addMcp(program: Command, context: Context): void {
  addStoreFlag(program.command('mcp'))
    .description('serve recall, search and list over all stored sessions to any MCP client, over stdio')
    .addHelpText(
      'after',
      `
Examples:
  claude mcp add holdfast -- holdfast mcp
  codex mcp add holdfast -- holdfast mcp

A running proxy serves the same at http://127.0.0.1:4142/mcp.`,
    )
    .action(async (flags: StoreFlags) => {
      const { serveStdio } = await import('@holdfast/proxy/mcp');
      const { readOwnStore } = await import('../sessions/open-store.ts');
      const { forJson } = await import('../view/guard-output.ts');
      await readOwnStore(
        flags,
        context,
        (store) => serveStdio(store, process.stdin, forJson(process.stdout)),
        // It may start before the first conversation; a store that is named, and missing, is a mistake.
        flags.store === undefined,
      );
    });
}
