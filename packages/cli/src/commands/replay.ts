import type { Command } from 'commander';
import { addTrustFlag } from '../config-flags.ts';
import type { Context } from '../context.ts';
import type { ReplayFlags } from '../replay/plan.ts';

/** `holdfast replay`: what policies would cost on recorded conversations, and what they would forget. */
export function addReplay(program: Command, context: Context): void {
  addTrustFlag(program.command('replay'))
    .description('measure what each policy and budget would cost on your own transcripts, and forget; asks no model')
    .argument('[files...]', 'transcripts, folders of *.jsonl, or patterns')
    .option(
      '--policy <names>',
      'everything, fold, sliding, governed, two-tier, rolling, fold+summary … (default: all but the last kind)',
    )
    .option('--policies <file>', 'more policies: configurations of a conversation by name, YAML or JSON')
    .option('--budget <tokens>', 'tokens for the messages, several with commas (default: 20k,40k,80k)')
    .option('--reserve <tokens>', 'tokens beside the messages: system prompt and tools (default: 10k)')
    .option('--min-tokens <tokens>', 'only conversations of at least so many tokens')
    .option('--half <1|2>', 'only one half of the conversations: to choose on one and confirm on the other')
    .option('--model <name>', 'by the prices and cache rules of this model (default: reference rules)')
    .option('--prices <file>', 'prices of models, YAML or JSON, instead of the table')
    .option('--summaries <file>', 'recorded summaries, JSON lines of key and summary')
    .option('--missing-summaries <file>', 'write the prompts for which none is recorded')
    .option(
      '--session <id>',
      'a session that Holdfast keeps; may be given several times',
      (id: string, all: string[] = []) => [...all, id],
    )
    .option('--store <file-or-url>', 'where sessions are kept (default: sessions.db of HOLDFAST_HOME)')
    .option('--html <file>', 'write a page with charts: frontier, context over time, folds')
    .option('--advise', 'name the cheapest policy and budget that covers enough')
    .option('--min-coverage <percent>', 'what is enough (default: 95)')
    .option('--workers <count>', 'threads (default: one for each core)')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `
Examples:
  holdfast replay ~/.claude/projects                          every log of Claude Code
  holdfast replay ~/.codex/sessions --budget 40k --advise
  holdfast replay talk.jsonl --policy fold,sliding --html report.html
  holdfast replay 'logs/*.jsonl' --model claude-opus-5-5 --json
  holdfast replay --session k3v9

Reads messages of the Anthropic and OpenAI APIs and the AI SDK as JSON lines, Responses items, logs of Claude Code and
Codex, and sessions of Holdfast. What cannot be read is told of, with its line; the rest is read.`,
    )
    .action(async (files: readonly string[], flags: ReplayFlags) => {
      const { replayFiles } = await import('../replay/run.ts');
      const { trustedStore } = await import('../sessions/open-store.ts');
      // Only a session is looked for in a store; files of prices and policies set nothing but figures.
      const trusted = flags.session === undefined ? context : await trustedStore(flags, context);
      await replayFiles(files, flags, trusted);
    });
}
